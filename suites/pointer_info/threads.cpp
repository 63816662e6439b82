// Queries against changes in other threads.
#include <atomic>
#include <thread>

#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

/// Runs the reader until the writer is done.
template <typename Reader, typename Writer>
void Against(int readers, Reader reader, Writer writer) {
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < readers; ++i) {
    threads.emplace_back([&] {
      while (!done.load(std::memory_order_relaxed)) reader();
    });
  }
  writer();
  done = true;
  for (std::thread& thread : threads) thread.join();
}

// What one object may look like to a reader.
bool IsObject(const PointerInfo& info, const void* start, std::size_t size, HsaMemFlags flags) {
  return info.Found() && info.cpu_address == start && info.size == size &&
         info.flags == flags.Value && info.gpu_address == reinterpret_cast<HSAuint64>(start);
}

constexpr int kReaders = 3;
constexpr int kRounds = 200;

}  // namespace

// Two objects by turns, often at one address: an answer is one of them or UNKNOWN, never a mixture.
KFD_TEST_F(PointerInfo, QueriesAgainstAllocation, MemoryTest,
           .property =
               "while another thread allocates and frees, a query finds a whole object or "
               "none",
           .rules = "PTR-25") {
  const std::size_t sizes[] = {2 * PageSize(), 3 * PageSize()};
  const HsaMemFlags flags[] = {FlagsFor(MemoryKind::kVram), FlagsFor(MemoryKind::kVisibleVram)};
  std::atomic<void*> address = nullptr;
  std::atomic<int> mixtures = 0;
  std::atomic<int> answers = 0;
  Against(
      kReaders,
      [&] {
        void* const start = address;
        if (start == nullptr) return;
        const PointerInfo info = Query(start);
        ++answers;
        // Only an object that starts here is one of ours for sure.
        if (info.Unknown() || (info.Found() && info.cpu_address != start)) return;
        mixtures += !IsObject(info, start, sizes[0], flags[0]) &&
                    !IsObject(info, start, sizes[1], flags[1]);
      },
      [&] {
        for (int round = 0; round < kRounds; ++round) {
          Allocation memory(thunk(), gpu().node_id, sizes[round % 2], flags[round % 2]);
          address = memory.address();
        }
      });
  EXPECT_EQ(mixtures, 0) << "of " << answers << " answers";
  EXPECT_GT(answers, 0);
}

KFD_TEST_F(PointerInfo, QueriesAgainstMapping, MemoryTest,
           .property =
               "while another thread maps and unmaps an object, a query finds it mapped to "
               "one node or to none",
           .rules = "PTR-25", .guards = "BUG-3") {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  std::atomic<int> wrong = 0;
  Against(
      kReaders,
      [&] {
        const PointerInfo info = Query(memory.address());
        wrong += !info.Found() || info.cpu_address != memory.address() || info.mapped_count > 1 ||
                 (info.mapped_count == 1 && info.mapped_array == nullptr);
      },
      [&] {
        for (int round = 0; round < kRounds; ++round) {
          MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
          Check("hsaKmtUnmapMemoryToGPU", thunk().hsaKmtUnmapMemoryToGPU(memory.address()));
        }
      });
  EXPECT_EQ(wrong, 0);
}

KFD_TEST_F(PointerInfo, QueriesAgainstRegistration, MemoryTest,
           .property =
               "while another thread registers and deregisters user memory, a query finds "
               "the whole object or none",
           .rules = "PTR-25", .guards = "BUG-11", .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(2);
  void* const start = pages.At(128);
  const std::size_t size = PageSize();
  std::atomic<int> mixtures = 0;
  Against(
      kReaders,
      [&] {
        const PointerInfo info = Query(start);
        mixtures += !info.Unknown() && (info.type != HSA_POINTER_REGISTERED_USER ||
                                        info.cpu_address != start || info.size != size);
      },
      [&] {
        for (int round = 0; round < kRounds; ++round) {
          const Registration registration(thunk(), start, size);
        }
      });
  EXPECT_EQ(mixtures, 0);
  EXPECT_TRUE(Query(start).Unknown());
}

// Registered by many threads at once it stays one object, counted: see BUG-11.
KFD_TEST_F(PointerInfo, RegistrationsByManyThreads, MemoryTest,
           .property =
               "a user pointer that many threads register and deregister is unknown in the "
               "end, with no registration left",
           .rules = "PTR-25 PTR-26", .guards = "BUG-11", .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(2);
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kReaders + 1; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        failures += thunk().hsaKmtRegisterMemory(pages.At(), pages.size()) != HSAKMT_STATUS_SUCCESS;
        failures += !Query(pages.At()).Found();
        failures += thunk().hsaKmtDeregisterMemory(pages.At()) != HSAKMT_STATUS_SUCCESS;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_TRUE(Query(pages.At()).Unknown());
  EXPECT_EQ(thunk().hsaKmtDeregisterMemory(pages.At()), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
}

}  // namespace kfdcts::suites
