#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <thread>

#include "harness/vgpu/engines/pm4_packets.h"
#include "harness/vgpu/test/engines/device_rig.h"

namespace kfdcts::vgpu {
namespace {

/// Steps a device in a thread of its own whenever it asks for it, as the transport does.
class Stepper {
 public:
  explicit Stepper(Device& device) : device_(device) {
    device_.SetWakeup([this] { Wake(false); });
    thread_ = std::thread([this] { Run(); });
  }
  ~Stepper() {
    device_.SetWakeup({});
    Wake(true);
    thread_.join();
  }

 private:
  void Wake(bool stop) {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    stop_ = stop_ || stop;
    changed_.notify_one();
  }
  void Run() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      changed_.wait(lock, [this] { return woken_; });
      woken_ = false;
      lock.unlock();
      while (device_.Step().progress) {
      }
      lock.lock();
    }
  }

  Device& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false, stop_ = false;
  std::thread thread_;
};

constexpr std::uint64_t kData = 0x10000;

/// A guest that submits and reads from one thread while packets run in another and a director looks
/// on from a third.
TEST(DeviceThreads, SubmitStepAndObserveAtOnce) {
  DeviceRig rig;
  rig.StartRing();
  constexpr std::uint32_t kFences = 2000;
  std::atomic<bool> done = false;
  {
    Stepper stepper(rig.device);
    std::thread director([&] {
      while (!done) {
        std::ostringstream report;
        rig.device.Report(report);
        rig.device.Control({.verb = ControlCommand::Verb::kHoldEngine, .engine = "sdma0"});
        rig.device.Control({.verb = ControlCommand::Verb::kReleaseEngine, .engine = "sdma0"});
        rig.device.Control({.verb = ControlCommand::Verb::kHoldInterrupts});
        (void)rig.device.Held();
        rig.device.Control({.verb = ControlCommand::Verb::kReleaseAll});
        EXPECT_TRUE(rig.device.ListComplaints(true).findings.empty());
        rig.device.Locked([] {});
      }
    });
    for (std::uint32_t i = 1; i <= kFences; ++i) {
      rig.Submit({pm4::Header(pm4::kReleaseMem, 7), 0, pm4::kData32 << 29, kData,
                  static_cast<std::uint32_t>(kVega10.fb_base >> 32), i, 0, 0});
      while (rig.Read<std::uint32_t>(Device::Bar::kVram, kData) != i) std::this_thread::yield();
    }
    done = true;
    director.join();
  }
  EXPECT_EQ(rig.device.Snapshot().fences, kFences);
}

TEST(DeviceThreads, ResetWhilePacketsRun) {
  DeviceRig rig;
  Stepper stepper(rig.device);
  for (unsigned round = 0; round < 100; ++round) {
    rig.StartRing();
    for (unsigned i = 0; i < 20; ++i)
      rig.Submit({pm4::kNopDword, pm4::Header(pm4::kWriteData, 4), pm4::kDstMemory << 8, kData,
                  static_cast<std::uint32_t>(kVega10.fb_base >> 32), i});
    rig.device.Reset();
  }
  rig.StartRing();
  rig.Submit({pm4::Header(pm4::kWriteData, 4), pm4::kDstMemory << 8, kData,
              static_cast<std::uint32_t>(kVega10.fb_base >> 32), 77});
  while (rig.Read<std::uint32_t>(Device::Bar::kVram, kData) != 77) std::this_thread::yield();
  EXPECT_EQ(rig.device.Snapshot().faults, 0u);
}

}  // namespace
}  // namespace kfdcts::vgpu
