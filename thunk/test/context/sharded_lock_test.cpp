#include "thunk/src/context/sharded_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace kfdcts::thunk {
namespace {

TEST(ShardedLockTest, WritersAndReadersSeeWholeChanges) {
  constexpr int kRounds = 2000;
  constexpr int kThreads = 4;
  ShardedLock lock;
  long first = 0;
  long second = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, writes = t % 2 == 0] {
      for (int i = 0; i < kRounds; ++i) {
        if (writes) {
          const std::unique_lock guard(lock);
          ++first;
          ++second;
        } else {
          const std::shared_lock guard(lock);
          EXPECT_EQ(first, second);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(first, kRounds * kThreads / 2);
}

TEST(ShardedLockTest, ReadersAreInTogether) {
  ShardedLock lock;
  std::latch all_in(3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      const std::shared_lock guard(lock);
      all_in.arrive_and_wait();
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::unique_lock guard(lock);  // and are out again
}

TEST(ShardedLockTest, ForkedChildDoesNotWaitForReadersOfTheParent) {
  ShardedLock lock;
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    while (!stop) const std::shared_lock guard(lock);
  });
  for (int i = 0; i < 200; ++i) {
    lock.lock();
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // a wait for ever ends here
      lock.unlock_in_child();
      lock.lock();
      _exit(0);
    }
    lock.unlock();
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "fork " << i;
  }
  stop = true;
  reader.join();
}

}  // namespace
}  // namespace kfdcts::thunk
