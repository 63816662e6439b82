#pragma once

#include <string>
#include <vector>

#include "harness/test_support/registry.h"

namespace kfdcts::harness {

/// Which of a machine's tests a run is about, before gtest sees them.
struct Selection {
  std::string filter = "*";  ///< As --gtest_filter, which gtest applies once more.
  int cases = 0;             ///< Of each test at most so many instances; 0: all.
};

/// Those of `tests` that the selection leaves, in their order. Where `cases` cuts, the first and
/// the last that the filter leaves stay, and those between stand evenly; 1 leaves the first.
std::vector<TestInstance> Select(std::vector<TestInstance> tests, const Selection& selection);

}  // namespace kfdcts::harness
