#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/breakages/breakage.h"
#include "harness/test_support/registry.h"

namespace kfdcts::harness {

/// The tests of the kind's suites that name a rule of one of its breakages and that a
/// --gtest_filter lets through, in an order that needs few processes: those with one environment
/// together, those that want a process of their own last.
std::vector<TestInstance> TestsFor(const BreakageKind& kind, std::string_view filter,
                                   std::vector<TestInstance> tests);

/// Which tests to ask about a breakage: the ones that should notice on the fewest GPUs, and, where
/// they do not, all the others.
struct Choice {
  std::vector<TestInstance> first;
  std::vector<TestInstance> others;
};
Choice Choose(const Breakage& breakage, const std::vector<TestInstance>& tests);

/// Those of the kind's breakages whose name matches globs as --gtest_filter has; all for none.
std::vector<Breakage> Named(const BreakageKind& kind, std::string_view filter);

}  // namespace kfdcts::harness
