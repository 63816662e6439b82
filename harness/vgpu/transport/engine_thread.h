#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "harness/vgpu/core/device.h"

namespace kfdcts::vgpu {

/// Runs the device's engines in a thread of their own while there is work, and sleeps else.
/// Installs itself as the device's wake-up. Host::NowNs must be the steady clock.
class EngineThread {
 public:
  explicit EngineThread(Device& device);
  ~EngineThread();
  EngineThread(const EngineThread&) = delete;
  EngineThread& operator=(const EngineThread&) = delete;

  /// Held by a guest's access around its call of the device, so that the access waits for the
  /// packet that is running but not for the whole queue: a plain mutex would let the engine thread
  /// take the device's lock again first.
  std::mutex& access_first() { return access_first_; }

 private:
  void Run();
  void Wake();

  Device& device_;
  std::mutex access_first_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace kfdcts::vgpu
