#include "harness/breakages/report.h"

#include <algorithm>
#include <cstdio>

namespace kfdcts::harness {
namespace {

constexpr std::size_t kNameWidth = 26;
constexpr std::size_t kRulesWidth = 14;

std::string Padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string Seconds(std::chrono::milliseconds time) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f s", static_cast<double>(time.count()) / 1000);
  return text;
}

}  // namespace

std::string ListBreakages(const std::vector<Breakage>& breakages) {
  std::string text;
  for (const auto& one : breakages) {
    text += Padded(one.name, kNameWidth) + ' ' + Padded(Joined(one.rules), kRulesWidth) + ' ' +
            one.what + '\n';
  }
  return text;
}

std::string DescribeWhole(const std::vector<TestRecord>& records) {
  std::string text;
  int passed = 0;
  int skipped = 0;
  for (const auto& record : records) {
    passed += record.Passed() ? 1 : 0;
    skipped += record.Skipped() ? 1 : 0;
    if (record.ExpectedFailure()) {
      text += "    left out, fails as expected: " + record.FullName() + '\n';
    } else if (record.Failed()) {
      text += "    fails with nothing broken: " + record.FullName() + "\n        " +
              record.failures.front().message + '\n';
    }
  }
  const auto failed = static_cast<int>(records.size()) - passed - skipped;
  return "with nothing broken: " + std::to_string(passed) + " passed, " + std::to_string(failed) +
         " failed, " + std::to_string(skipped) + " skipped\n" + text;
}

std::string Describe(const Breakage& breakage, const BreakageVerdict& verdict,
                     std::chrono::milliseconds time) {
  std::string text = Padded(breakage.name, kNameWidth) + ' ' +
                     Padded(Joined(breakage.rules), kRulesWidth) + ' ' +
                     Padded(NameOf(verdict.kind), 10) + ' ' + std::to_string(verdict.red.size()) +
                     " red, " + Seconds(time) + ": " + breakage.what + '\n';
  for (const auto& rule : verdict.rules_left) text += "    no red test of " + rule + '\n';
  for (const auto& test : verdict.red) text += "    " + test + '\n';
  return text;
}

std::string Describe(const Tally& tally) {
  const int share = tally.breakages == 0 ? 0 : 100 * tally.caught / tally.breakages;
  return "caught " + std::to_string(tally.caught) + " of " + std::to_string(tally.breakages) +
         " (" + std::to_string(share) + " %)\n";
}

void CheckRules(const BreakageKind& kind, const RuleBook& book) {
  for (const auto& one : kind.breakages) {
    if (one.rules.empty()) throw FixtureError("breakage " + one.name + ": names no rule");
    for (const auto& rule : one.rules) {
      if (book.FindRule(rule) != nullptr) continue;
      throw FixtureError("breakage " + one.name + ": " + rule +
                         " is not in fixtures/spec/rules.yaml");
    }
  }
}

}  // namespace kfdcts::harness
