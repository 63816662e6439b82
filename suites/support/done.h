#pragma once

#include <gtest/gtest.h>

#include "harness/work/work_result.h"

namespace kfdcts::suites {

/// Passes where the GPU's work came to its end; otherwise the message says how it ended instead.
inline testing::AssertionResult Done(const harness::WorkResult& result) {
  if (result) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "GPU work ended with: " << result.Text();
}

}  // namespace kfdcts::suites
