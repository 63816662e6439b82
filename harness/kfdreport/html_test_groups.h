#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/kfdreport/report.h"

namespace kfdcts::report::html {

/// Cases of one run, suite and verdict whose names are the same but for what follows the last '/':
/// a row of a list.
struct TestGroup {
  const Run* run = nullptr;
  const Case* first = nullptr;
  std::string name;                   ///< "Scenario/back_to_the_cpu", without its variants.
  std::vector<std::string> variants;  ///< "gpu0", "gpu1"; empty for a name without '/'.
  std::size_t cases = 0;
  double seconds = 0;
};

/// Groups `cases` of `run`, in the order of their first cases.
std::vector<TestGroup> GroupTests(const Run& run, const std::vector<const Case*>& cases);

/// "gpu0 gpu1", at most `most` of them, and how many more there are.
std::string VariantText(const TestGroup& group, std::size_t most);

}  // namespace kfdcts::report::html
