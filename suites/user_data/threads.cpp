// User data set by many threads.
#include "suites/support/threads.h"

#include <atomic>

#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

constexpr int kThreads = 4;

}  // namespace

KFD_TEST_F(UserData, OwnObjectsOfManyThreads, MemoryTest,
           .property =
               "threads that set user data of their own objects read back their own values, "
               "while objects come and go",
           .rules = "USR-1 USR-4 USR-5 PTR-25", .scope = Scope::kFirstGpu) {
  std::atomic<int> failures = 0;
  InThreads(kThreads, [&](int id) {
    for (int round = 0; round < 100; ++round) {
      const Allocation memory = Allocate(MemoryKind::kVram, 1);
      void* const value = reinterpret_cast<void*>((std::uintptr_t{1} << (40 + id)) +
                                                  static_cast<std::uintptr_t>(round));
      failures += Query(memory.address()).user_data != nullptr;
      failures += thunk().hsaKmtSetMemoryUserData(memory.address(), value) != HSAKMT_STATUS_SUCCESS;
      failures += Query(memory.address()).user_data != value;
    }
  });
  EXPECT_EQ(failures, 0);
}

// A value is its thread's number in both halves, so that a torn one shows.
KFD_TEST_F(UserData, OneObjectOfManyThreads, MemoryTest,
           .property = "an object that many threads set has a value that one of them set",
           .rules = "USR-1 USR-3 PTR-25", .scope = Scope::kFirstGpu) {
  constexpr std::uintptr_t kBothHalves = 0x1'0000'0001;
  const Allocation memory = Allocate(MemoryKind::kGtt);
  std::atomic<int> failures = 0;
  InThreads(kThreads, [&](int id) {
    void* const own = reinterpret_cast<void*>(static_cast<std::uintptr_t>(id + 1) * kBothHalves);
    for (int round = 0; round < 200; ++round) {
      failures += thunk().hsaKmtSetMemoryUserData(memory.address(), own) != HSAKMT_STATUS_SUCCESS;
      const auto value = reinterpret_cast<std::uintptr_t>(Query(memory.address()).user_data);
      failures += value % kBothHalves != 0 || value == 0 || value > kThreads * kBothHalves;
    }
  });
  EXPECT_EQ(failures, 0);
}

}  // namespace kfdcts::suites
