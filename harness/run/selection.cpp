#include "harness/run/selection.h"

#include <algorithm>
#include <map>

#include "harness/run/glob.h"

namespace kfdcts::harness {
namespace {

/// Whether the `index`th of `count` in a row is among `wanted` that stand evenly in it.
bool IsChosen(std::size_t index, std::size_t count, std::size_t wanted) {
  if (wanted >= count) return true;
  if (wanted == 1) return index == 0;
  // The n-th chosen one stands at n * (count - 1) / (wanted - 1), rounded down.
  const std::size_t n = (index * (wanted - 1) + count - 2) / (count - 1);
  return n * (count - 1) / (wanted - 1) == index;
}

bool Share(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  return std::find_first_of(some.begin(), some.end(), others.begin(), others.end()) != some.end();
}

void KeepCases(std::vector<TestInstance>& tests, std::size_t wanted) {
  std::map<const TestDefinition*, std::size_t> counts;
  for (const auto& test : tests) ++counts[test.definition];
  std::map<const TestDefinition*, std::size_t> seen;
  std::erase_if(tests, [&](const TestInstance& test) {
    return !IsChosen(seen[test.definition]++, counts[test.definition], wanted);
  });
}

}  // namespace

std::vector<TestInstance> Select(std::vector<TestInstance> tests, const Selection& selection) {
  std::erase_if(tests, [&](const TestInstance& test) {
    const bool named = !selection.names || selection.names->contains(test.FullName());
    const auto labels = SplitIds(test.definition->spec.labels);
    const bool wanted = selection.labels.empty() || Share(labels, selection.labels);
    return !named || !wanted || Share(labels, selection.exclude_labels);
  });
  if (selection.cases > 0) {
    std::erase_if(tests, [&](const TestInstance& test) {
      return !MatchesFilter(selection.filter, test.FullName());
    });
    KeepCases(tests, static_cast<std::size_t>(selection.cases));
  }
  return tests;
}

}  // namespace kfdcts::harness
