#include "thunk/src/context/sharded_lock.h"

namespace kfdcts::thunk {
namespace {

std::atomic<std::uint32_t> next_thread{0};

}  // namespace

std::size_t ShardedLock::ShardOfThread() {
  // Numbered in turn at their first lock, threads that run at once have shards of their own as long
  // as there are enough. The model spares a call into the loader on each lock.
  __attribute__((tls_model("initial-exec"))) static thread_local std::uint32_t number =
      kShards;  // none yet
  if (number == kShards) {
    number = next_thread.fetch_add(1, std::memory_order_relaxed) % kShards;
  }
  return number;
}

}  // namespace kfdcts::thunk
