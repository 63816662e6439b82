#include "harness/vgpu/transport/engine_thread.h"

#include <chrono>
#include <cstdint>
#include <limits>

namespace kfdcts::vgpu {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

EngineThread::EngineThread(Device& device) : device_(device) {
  device_.SetWakeup([this] { Wake(); });
  thread_ = std::thread([this] { Run(); });
}

EngineThread::~EngineThread() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
  device_.SetWakeup({});
}

void EngineThread::Wake() {
  {
    const std::scoped_lock lock(mutex_);
    woken_ = true;
  }
  changed_.notify_one();
}

void EngineThread::Run() {
  const auto runnable = [this] { return woken_ || stop_; };
  std::unique_lock lock(mutex_);
  while (!stop_) {
    woken_ = false;
    lock.unlock();
    { const std::scoped_lock turn(access_first_); }
    const Device::StepResult result = device_.Step();
    lock.lock();
    if (result.progress) {
      continue;
    }
    if (result.wake_ns == std::numeric_limits<std::uint64_t>::max()) {
      changed_.wait(lock, runnable);
    } else {
      const Clock::time_point when(std::chrono::duration_cast<Clock::duration>(
          std::chrono::nanoseconds(static_cast<std::int64_t>(result.wake_ns))));
      changed_.wait_until(lock, when, runnable);
    }
  }
}

}  // namespace kfdcts::vgpu
