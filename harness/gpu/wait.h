#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace kfdcts::gpu {

/// A point in time that a wait does not go beyond.
class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds from_now)
      : at_(std::chrono::steady_clock::now() + from_now) {}

  bool expired() const { return std::chrono::steady_clock::now() >= at_; }

  /// Whole milliseconds that are left, at least 0.
  std::uint32_t RemainingMs() const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(at_ - std::chrono::steady_clock::now());
    return left.count() > 0 ? static_cast<std::uint32_t>(left.count()) : 0;
  }

 private:
  std::chrono::steady_clock::time_point at_;
};

/// How long GPU work may take. Generous: an emulated guest on a busy machine must not fail for its
/// slowness.
inline constexpr std::chrono::milliseconds kGpuTimeout{20000};

/// Between two looks at memory that a GPU writes: yields at first, then sleeps, longer from time to
/// time up to 1 ms.
class Backoff {
 public:
  void Pause();

 private:
  unsigned count_ = 0;
};

/// Waits until `condition` holds. False where the deadline came first.
template <class Condition>
bool WaitUntil(const Condition& condition, const Deadline& deadline = Deadline(kGpuTimeout)) {
  Backoff backoff;
  while (!condition()) {
    if (deadline.expired()) return condition();
    backoff.Pause();
  }
  return true;
}

/// Loads a value that a GPU or another process writes; what was written before it is seen after it.
template <class T>
T LoadAcquire(const T* address) {
  return __atomic_load_n(address, __ATOMIC_ACQUIRE);
}

template <class T>
void StoreRelease(T* address, T value) {
  __atomic_store_n(address, value, __ATOMIC_RELEASE);
}

}  // namespace kfdcts::gpu
