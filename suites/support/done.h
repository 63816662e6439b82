#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/work/work_result.h"

namespace kfdcts::suites {

/// Passes where the GPU's work came to its end; otherwise the message says how it ended instead.
inline testing::AssertionResult Done(const harness::WorkResult& result) {
  if (result) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "GPU work ended with: " << result.Text();
}

/// Passes where the work ended with a memory exception in one of `pages`.
inline testing::AssertionResult FaultedIn(std::span<const std::byte> pages,
                                          const harness::WorkResult& result) {
  if (result.end != harness::WorkResult::End::kFault) {
    return testing::AssertionFailure() << "no memory fault: " << result.Text();
  }
  const auto start = reinterpret_cast<std::uintptr_t>(pages.data());
  if (result.fault.address >= start && result.fault.address < start + pages.size()) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "fault elsewhere: " << result.Text();
}

}  // namespace kfdcts::suites
