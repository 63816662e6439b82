#pragma once

#include <memory>
#include <span>
#include <vector>

#include "suites/support/done.h"
#include "suites/support/event_log.h"
#include "suites/support/svm_test.h"

namespace kfdcts::suites {

using harness::Xnack;

/// Pages of the range that a fault makes, at most: 2^granularity, of the default granularity.
inline constexpr std::size_t kGranule = 512;

/// Fixture of the suite XNACK.
class XnackTest : public SvmTest {
 protected:
  /// Unmaps what Own() gave.
  void TearDown() override {
    owned_.clear();
    SvmTest::TearDown();
  }

  /// Memory of the fixture's own. A plain member would outlive the look for what the test left.
  SvmMemory& Own(std::size_t pages) {
    return *owned_.emplace_back(std::make_unique<SvmMemory>(pages));
  }

  /// The first page of the memory that lies on a multiple of the granule.
  static std::size_t FirstGranule(const SvmMemory& memory);

  /// The value that the GPU reads at `address`; fails the test where it does not read.
  std::uint32_t GpuRead(const void* address, std::size_t index = 0);

  HSAint32 Mode() const;

 private:
  std::vector<std::unique_ptr<SvmMemory>> owned_;
};

}  // namespace kfdcts::suites
