// Sharing over and over: nothing is left, nothing is mixed up.
#include <atomic>

#include "harness/probes/leak_check.h"
#include "suites/support/shared_test.h"
#include "suites/support/threads.h"

namespace kfdcts::suites {
namespace {

/// Fails for what `body` leaves behind in this process, once it has run before.
template <typename Body>
void ExpectNothingLeft(Body body) {
  body();
  const harness::Holdings before = harness::TakeHoldings(nullptr);
  body();
  for (const std::string& leak : harness::Compare(before, harness::TakeHoldings(nullptr))) {
    ADD_FAILURE() << "left behind: " << leak;
  }
}

}  // namespace

KFD_TEST_F(PointerInfo, ImportsLeaveNothing, SharedTest,
           .property =
               "importing and deregistering 200 times leaves no descriptor, mapping or memory in "
               "the importer",
           .rules = "PTR-7 PTR-15", .guards = "BUG-29", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram, 1);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    ExpectNothingLeft([&] {
      for (int round = 0; round < 100; ++round) {
        EXPECT_EQ(TryImport(thunk(), handle), HSAKMT_STATUS_SUCCESS);
      }
    });
  });
}

KFD_TEST_F(PointerInfo, SharesLeaveNothing, SharedTest,
           .property =
               "allocating, sharing and freeing 200 times leaves nothing in the exporter, and no "
               "two objects have one handle",
           .rules = "PTR-3 PTR-7", .guards = "BUG-29", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSharedMemory}) {
  std::set<std::vector<HSAuint32>> handles;
  constexpr std::size_t kRounds = 200;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const Allocation memory = Allocate(MemoryKind::kVram, 1);
    const SharedHandle handle = Share(memory);
    handles.emplace(std::begin(handle.words), std::end(handle.words));
  }
  EXPECT_EQ(handles.size(), kRounds);
}

KFD_TEST_F(PointerInfo, SharedOverAndOver, SharedTest,
           .property = "memory shared 200 times holds no more than memory shared once",
           .rules = "PTR-7", .guards = "BUG-29 BUG-27", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram, 1);
  ExpectNothingLeft([&] {
    for (int round = 0; round < 100; ++round) Share(memory);
  });
  const SharedHandle handle = Share(memory);
  InPeer([&] { EXPECT_EQ(TryImport(thunk(), handle), HSAKMT_STATUS_SUCCESS); });
}

KFD_TEST_F(PointerInfo, EarlierHandleStaysGood, SharedTest,
           .property = "sharing again does not spoil the handle that was given before",
           .rules = "PTR-7", .guards = "BUG-27", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram, 1);
  const SharedHandle first = Share(memory);
  const SharedHandle second = Share(memory);
  InPeer([&] {
    EXPECT_EQ(TryImport(thunk(), first), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(TryImport(thunk(), second), HSAKMT_STATUS_SUCCESS);
  });
}

KFD_TEST_F(PointerInfo, ShareWhileImported, SharedTest,
           .property =
               "while one process shares an object over and over, another imports it whole, with "
               "its bytes, each time",
           .rules = "PTR-7 PTR-25", .guards = "BUG-27", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kGtt, 2);
  WritePattern({static_cast<volatile std::uint32_t*>(memory.address()), 1024}, 7);
  const SharedHandle handle = Share(memory);
  std::atomic<int> failures = 0;
  HsaSharedMemoryHandle again{};
  Against(
      1,
      [&] {
        failures += thunk().hsaKmtShareMemory(memory.address(), memory.size(), &again) !=
                    HSAKMT_STATUS_SUCCESS;
      },
      [&] {
        InPeer([&] {
          for (int round = 0; round < 30; ++round) {
            const Import import(thunk(), handle);
            EXPECT_EQ(Query(import.address()).size, memory.size());
            const CpuWindow window(thunk(), import.address(), import.size());
            EXPECT_EQ(WrongWords(window.words().first(1024), 7), 0U);
          }
        });
      });
  EXPECT_EQ(failures, 0);
}

// Where it would show: the thunk knows the object before it knows that it was imported.
KFD_TEST_F(PointerInfo, ImportIsNeverSeenAsAllocated, SharedTest,
           .property =
               "while a thread imports and deregisters, a query of the address finds SHARED or "
               "nothing",
           .rules = "PTR-25 PTR-7 PTR-9", .guards = "BUG-50", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram, 5);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    void* const address = Import(thunk(), handle).address();
    std::atomic<int> wrong = 0;
    Against(
        2,
        [&] {
          const PointerInfo info = Query(address);
          wrong += info.Found() && info.type != HSA_POINTER_REGISTERED_SHARED;
        },
        [&] {
          for (int round = 0; round < 100; ++round) {
            EXPECT_EQ(TryImport(thunk(), handle), HSAKMT_STATUS_SUCCESS);
          }
        });
    EXPECT_EQ(wrong, 0);
  });
}

KFD_TEST_F(
    PointerInfo, ImporterThatDies, SharedTest,
    .property = "an importer that ends without deregistering takes nothing from its exporter",
    .rules = "PTR-4 PTR-7", .scope = Scope::kFirstGpu, .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const SharedHandle handle = Share(memory);
  for (int round = 0; round < 2; ++round) {
    const harness::ChildResult child = harness::RunInChild([&] {
      OpenKfd();
      void* address = nullptr;
      HSAuint64 size = 0;
      EXPECT_EQ(thunk().hsaKmtRegisterSharedHandle(&handle.words, &address, &size),
                HSAKMT_STATUS_SUCCESS);
    });
    EXPECT_TRUE(child.Passed()) << child.Describe();
  }
  EXPECT_EQ(Query(memory.address()).type, HSA_POINTER_ALLOCATED);
}

}  // namespace kfdcts::suites
