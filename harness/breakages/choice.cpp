#include "harness/breakages/choice.h"

#include <algorithm>
#include <tuple>

#include "harness/run/glob.h"

namespace kfdcts::harness {
namespace {

bool NamesOneOf(const TestInstance& test, const std::vector<std::string>& rules) {
  const auto own = SplitIds(test.definition->spec.rules);
  return std::find_first_of(own.begin(), own.end(), rules.begin(), rules.end()) != own.end();
}

/// Whether it is a test's variant for GPU 0, or for 0 and 1.
bool OnFirstGpus(const TestInstance& test) {
  return std::all_of(test.gpu_ordinals.begin(), test.gpu_ordinals.end(),
                     [next = 0](int ordinal) mutable { return ordinal == next++; });
}

}  // namespace

std::vector<TestInstance> TestsFor(const BreakageKind& kind, std::string_view filter,
                                   std::vector<TestInstance> tests) {
  std::vector<std::string> rules;
  for (const auto& breakage : kind.breakages) {
    rules.insert(rules.end(), breakage.rules.begin(), breakage.rules.end());
  }
  std::erase_if(tests, [&](const TestInstance& test) {
    const auto& suites = kind.suites;
    return std::find(suites.begin(), suites.end(), test.definition->suite) == suites.end() ||
           !NamesOneOf(test, rules) || !MatchesFilter(filter, test.FullName());
  });
  const auto key = [](const TestInstance& test) {
    const TestSpec& spec = test.definition->spec;
    return std::make_tuple(spec.process != Process::kShared, spec.environment);
  };
  std::stable_sort(tests.begin(), tests.end(),
                   [&](const auto& left, const auto& right) { return key(left) < key(right); });
  return tests;
}

Choice Choose(const Breakage& breakage, const std::vector<TestInstance>& tests) {
  Choice choice;
  for (const auto& test : tests) {
    const bool first = NamesOneOf(test, breakage.rules) && OnFirstGpus(test);
    (first ? choice.first : choice.others).push_back(test);
  }
  return choice;
}

std::vector<Breakage> Named(const BreakageKind& kind, std::string_view filter) {
  std::vector<Breakage> named;
  std::copy_if(kind.breakages.begin(), kind.breakages.end(), std::back_inserter(named),
               [&](const auto& one) { return MatchesFilter(filter, one.name); });
  return named;
}

}  // namespace kfdcts::harness
