#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "harness/director/director.h"
#include "suites/support/gate.h"
#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {

using harness::Director;
using harness::DirectorHold;

/// Of a race that is lost to a hang: what waits for it ends by gpu::kGpuTimeout before.
inline constexpr std::chrono::seconds kRaceLimit{30};

/// What another thread does in a race. The thread is there before the race begins: while the driver
/// moves memory it holds the address space, and no thread can be made.
class Aside {
 public:
  explicit Aside(std::function<void()> body);
  /// Where it was never started it never runs; else waits for its end.
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  void Start();
  /// Waits until it stands still in the kernel, in a wait that no signal ends, as those for locks
  /// and pages are. False where it does not come to that.
  bool Blocks() const;
  /// Waits for its end. False where it did not come before the deadline.
  bool Ends(const gpu::Deadline& deadline = gpu::Deadline(gpu::kGpuTimeout)) const;

 private:
  std::function<void()> body_;
  std::atomic<bool> wanted_ = false, ended_ = false;
  std::atomic<pid_t> thread_id_ = 0;
  Gate begin_;
  std::thread thread_;
};

/// Fixture of races that the director decides: what the device is to do late is held until the
/// other side has done its part. Tests need Capability::kDirector and run in fresh processes. What
/// waits for what is held is declared before the hold, so that a failing test lets go first.
class RaceTest : public XnackTest {
 protected:
  /// What the test holds is released before: by its body, or a derived fixture's TearDown.
  void TearDown() override {
    devices_.clear();
    XnackTest::TearDown();
  }

  /// Of the test's GPU `index`, opened at the first call, which comes before the race.
  Director& Device(std::size_t index = 0);

  /// Waits until the driver has given Device().HoldCopies() something to hold. False where it does
  /// not.
  bool WaitForHeldCopies();

  /// Waits until a fault is held of each of these pages. False where one does not come.
  bool WaitForHeldFaults(std::initializer_list<const void*> pages);

  /// The retry faults of this memory are kept from the driver.
  DirectorHold HoldFaultsOf(std::span<const std::byte> memory);

 private:
  std::vector<std::unique_ptr<Director>> devices_;
};

}  // namespace kfdcts::suites
