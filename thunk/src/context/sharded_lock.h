#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace kfdcts::thunk {

/// A readers-writer lock whose readers share no cache line: each thread counts itself in a shard of
/// its own, and a writer waits for all shards. For what is read much and written seldom. A thread
/// that waits sleeps. Not recursive: a reader that locks again may wait for ever behind a writer.
/// Meets the requirements of SharedMutex as far as std::shared_lock and std::unique_lock need them.
class ShardedLock {
 public:
  void lock_shared() {
    std::atomic<std::uint32_t>& readers = shards_[ShardOfThread()].readers;
    for (;;) {
      // Sequentially consistent, as the writer's counterpart: of a reader that counts itself and
      // then looks for a writer, and a writer that shows itself and then looks for readers, at
      // least one sees the other.
      readers.fetch_add(1);
      if (writing_.load() == 0) return;
      Leave(readers);
      writing_.wait(1);
    }
  }

  void unlock_shared() { Leave(shards_[ShardOfThread()].readers); }

  void lock() {
    writers_.lock();
    writing_.store(1);
    for (Shard& shard : shards_) {
      while (const std::uint32_t count = shard.readers.load()) shard.readers.wait(count);
    }
  }

  void unlock() {
    writing_.store(0);
    writing_.notify_all();
    writers_.unlock();
  }

  /// In the child of a fork() that the writer made: readers that were on their way in, or out again
  /// before it, are threads that the child does not have.
  void unlock_in_child() {
    for (Shard& shard : shards_) shard.readers.store(0);
    unlock();
  }

 private:
  static constexpr std::size_t kShards = 32;
  static constexpr std::size_t kCacheLine = 64;

  struct alignas(kCacheLine) Shard {
    std::atomic<std::uint32_t> readers{0};
  };

  void Leave(std::atomic<std::uint32_t>& readers) {
    readers.fetch_sub(1);
    if (writing_.load() != 0) readers.notify_all();
  }

  static std::size_t ShardOfThread();

  std::array<Shard, kShards> shards_;
  std::atomic<std::uint32_t> writing_{0};
  std::mutex writers_;
};

}  // namespace kfdcts::thunk
