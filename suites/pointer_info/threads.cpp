// Queries against changes in other threads.
#include "suites/support/threads.h"

#include <atomic>
#include <mutex>

#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

constexpr int kReaders = 3;
constexpr int kRounds = 200;

/// Answers that must not be, counted by any thread; the first is kept for the message.
class WrongAnswers {
 public:
  void Add(const PointerInfo& info) {
    const std::lock_guard lock(mutex_);
    if (count_++ == 0) first_ = testing::PrintToString(info);
  }
  int count() const { return count_; }
  const std::string& first() const { return first_; }

 private:
  std::mutex mutex_;
  int count_ = 0;
  std::string first_;
};

}  // namespace

// Two objects by turns, often at one address: an answer is one of them or UNKNOWN, never a mixture.
KFD_TEST_F(PointerInfo, QueriesAgainstAllocation, MemoryTest,
           .property =
               "while another thread allocates and frees, a query finds a whole object or "
               "none",
           .rules = "PTR-25", .scope = Scope::kFirstGpu, .needs = {Capability::kLargeBar}) {
  const std::size_t sizes[] = {2 * PageSize(), 3 * PageSize()};
  const HsaMemFlags flags[] = {FlagsFor(MemoryKind::kVram), FlagsFor(MemoryKind::kVisibleVram)};
  std::atomic<void*> address = nullptr;
  std::atomic<int> found = 0;
  WrongAnswers wrong;
  const auto is = [&](const PointerInfo& info, int which) {
    return info.size == sizes[which] && info.flags == flags[which].Value &&
           info.node == gpu().node_id &&
           info.gpu_address == reinterpret_cast<HSAuint64>(address.load());
  };
  Against(
      kReaders,
      [&] {
        const PointerInfo info = Query(address);
        // Only an object that starts where the newest one did is one of ours for sure.
        if (!info.Found() || info.cpu_address != address) return;
        ++found;
        if (!is(info, 0) && !is(info, 1) && info.cpu_address == address) wrong.Add(info);
      },
      [&] {
        for (int round = 0; round < kRounds; ++round) {
          const Allocation memory(thunk(), gpu().node_id, sizes[round % 2], flags[round % 2]);
          address = memory.address();
        }
      });
  EXPECT_EQ(wrong.count(), 0) << "of " << found << ", the first: " << wrong.first();
  EXPECT_GT(found, 0);
}

KFD_TEST_F(PointerInfo, QueriesAgainstMapping, MemoryTest,
           .property =
               "while another thread maps and unmaps an object, a query finds it mapped to "
               "one node or to none",
           .rules = "PTR-25", .guards = "BUG-3", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  WrongAnswers wrong;
  Against(
      kReaders,
      [&] {
        const PointerInfo info = Query(memory.address());
        const bool list_is_whole = info.mapped_count == 0 || info.mapped_array != nullptr;
        if (!info.Found() || info.cpu_address != memory.address() || info.mapped_count > 1 ||
            !list_is_whole) {
          wrong.Add(info);
        }
      },
      [&] {
        for (int round = 0; round < kRounds; ++round) {
          MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
          Check("hsaKmtUnmapMemoryToGPU", thunk().hsaKmtUnmapMemoryToGPU(memory.address()));
        }
      });
  EXPECT_EQ(wrong.count(), 0) << wrong.first();
}

KFD_TEST_F(PointerInfo, QueriesAgainstRegistration, MemoryTest,
           .property =
               "while another thread registers and deregisters user memory, a query finds "
               "the whole object or none",
           .rules = "PTR-25", .guards = "BUG-11", .scope = Scope::kFirstGpu,
           .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(2);
  void* const start = pages.At(128);
  const std::size_t size = PageSize();
  WrongAnswers wrong;
  Against(
      kReaders,
      [&] {
        const PointerInfo info = Query(start);
        const bool whole = info.Found() && info.type == HSA_POINTER_REGISTERED_USER &&
                           info.cpu_address == start && info.size == size;
        if (!info.Unknown() && !whole) wrong.Add(info);
      },
      [&] {
        for (int round = 0; round < kRounds; ++round) {
          const Registration registration(thunk(), start, size);
        }
      });
  EXPECT_EQ(wrong.count(), 0) << wrong.first();
  EXPECT_TRUE(Query(start).Unknown());
}

KFD_TEST_F(PointerInfo, RegistrationsByManyThreads, MemoryTest,
           .property =
               "a user pointer that many threads register and deregister is unknown in the "
               "end, with no registration left",
           .rules = "PTR-25 PTR-26", .guards = "BUG-11", .scope = Scope::kFirstGpu,
           .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(2);
  std::atomic<int> failures = 0;
  InThreads(kReaders + 1, [&](int) {
    for (int round = 0; round < 50; ++round) {
      failures += thunk().hsaKmtRegisterMemory(pages.At(), pages.size()) != HSAKMT_STATUS_SUCCESS;
      failures += !Query(pages.At()).Found();
      failures += thunk().hsaKmtDeregisterMemory(pages.At()) != HSAKMT_STATUS_SUCCESS;
    }
  });
  EXPECT_EQ(failures, 0);
  EXPECT_TRUE(Query(pages.At()).Unknown());
  EXPECT_EQ(thunk().hsaKmtDeregisterMemory(pages.At()), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
  ForgetUserPointer(thunk(), pages.At());
}

}  // namespace kfdcts::suites
