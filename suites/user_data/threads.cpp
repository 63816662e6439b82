// User data set by many threads.
#include <atomic>
#include <thread>

#include "suites/support/memory_test.h"

namespace kfdcts::suites {

KFD_TEST_F(UserData, OwnObjectsOfManyThreads, MemoryTest,
           .property =
               "threads that set user data of their own objects read back their own values, "
               "while objects come and go",
           .rules = "USR-1 USR-4 PTR-25") {
  constexpr int kThreads = 4;
  constexpr std::uintptr_t kRounds = 100;
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (std::uintptr_t id = 1; id <= kThreads; ++id) {
    threads.emplace_back([&, id] {
      for (std::uintptr_t round = 0; round < kRounds; ++round) {
        const Allocation memory = Allocate(MemoryKind::kVram, 1);
        void* const value = reinterpret_cast<void*>(id << 32 | round);
        failures += Query(memory.address()).user_data != nullptr;
        failures +=
            thunk().hsaKmtSetMemoryUserData(memory.address(), value) != HSAKMT_STATUS_SUCCESS;
        failures += Query(memory.address()).user_data != value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

KFD_TEST_F(UserData, OneObjectOfManyThreads, MemoryTest,
           .property = "an object that many threads set has a value that one of them set",
           .rules = "USR-1 USR-3 PTR-25") {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  constexpr std::uintptr_t kThreads = 4;
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (std::uintptr_t id = 1; id <= kThreads; ++id) {
    threads.emplace_back([&, id] {
      for (int round = 0; round < 200; ++round) {
        failures += thunk().hsaKmtSetMemoryUserData(memory.address(),
                                                    reinterpret_cast<void*>(id * 0x100000001)) !=
                    HSAKMT_STATUS_SUCCESS;
        const auto value = reinterpret_cast<std::uintptr_t>(Query(memory.address()).user_data);
        failures += value % 0x100000001 != 0 || value == 0 || value > kThreads * 0x100000001;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

}  // namespace kfdcts::suites
