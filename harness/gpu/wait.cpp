#include "harness/gpu/wait.h"

#include <sched.h>

#include <algorithm>

namespace kfdcts::gpu {

void Backoff::Pause() {
  constexpr unsigned kYields = 32;
  if (count_++ < kYields) {
    sched_yield();
    return;
  }
  const long microseconds = std::min(1000L, 50L * (1L + static_cast<long>((count_ - kYields) / 8)));
  const timespec pause{0, microseconds * 1000};
  nanosleep(&pause, nullptr);
}

}  // namespace kfdcts::gpu
