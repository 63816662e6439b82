#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/test_support/registry.h"

namespace kfdcts::harness {

/// Which of a machine's tests a run is about, before gtest sees them.
struct Selection {
  /// Full names; nothing: all. Names of tests that are not there are passed over.
  std::optional<std::set<std::string>> names = std::nullopt;
  /// A test must carry one of them, where there are some, and none of those to exclude.
  std::vector<std::string> labels = {};
  std::vector<std::string> exclude_labels = {};
  std::string filter = "*";  ///< As --gtest_filter, which gtest applies once more.
  int cases = 0;             ///< Of each test at most so many instances; 0: all.
};

/// Those of `tests` that names, labels and then `cases` leave, in their order. Where `cases` cuts,
/// the first and the last that the filter leaves stay, and those between stand evenly; 1 leaves the
/// first.
std::vector<TestInstance> Select(std::vector<TestInstance> tests, const Selection& selection);

}  // namespace kfdcts::harness
