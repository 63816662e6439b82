#pragma once

#include <future>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "harness/director/director.h"
#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {

using harness::Director;
using harness::DirectorHold;

/// Fixture of races that the director decides: what the device is to do late is held until the
/// other side has done its part. Tests need Capability::kDirector and run in fresh processes. Where
/// a thread waits for what is held, its future is declared before the hold, so that a failing test
/// lets go first and waits then.
class RaceTest : public XnackTest {
 protected:
  /// What the test holds is released before: by its body, or a derived fixture's TearDown.
  void TearDown() override {
    devices_.clear();
    XnackTest::TearDown();
  }

  /// Of the test's GPU `index`, opened at the first call.
  Director& Device(std::size_t index = 0);

  /// Waits until the driver has given Device().HoldCopies() something to hold. False where it does
  /// not.
  bool WaitForHeldCopies();

  /// Waits until a fault is held of each of these pages. False where one does not come.
  bool WaitForHeldFaults(std::initializer_list<const void*> pages);

  /// The retry faults of this memory are kept from the driver.
  DirectorHold HoldFaultsOf(std::span<const std::byte> memory);

  /// Set in a thread of its own.
  std::future<HSAKMT_STATUS> SetAside(std::span<std::byte> pages,
                                      std::vector<HSA_SVM_ATTRIBUTE> attributes) const;

  /// What a thread does; true where it ended within the deadline of GPU work.
  template <typename Result>
  static bool Ends(const std::future<Result>& aside) {
    return aside.wait_for(gpu::kGpuTimeout) == std::future_status::ready;
  }

 private:
  std::vector<std::unique_ptr<Director>> devices_;
};

}  // namespace kfdcts::suites
