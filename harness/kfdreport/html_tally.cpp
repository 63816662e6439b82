#include "harness/kfdreport/html_tally.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>

namespace kfdcts::report::html {
namespace {

/// What follows the last '-', where that is a number.
std::uint64_t NumberOf(std::string_view rule) {
  std::uint64_t number = 0;
  const std::size_t dash = rule.rfind('-');
  if (dash == std::string_view::npos) return 0;
  const auto [end, error] =
      std::from_chars(rule.data() + dash + 1, rule.data() + rule.size(), number);
  return error == std::errc() ? number : 0;
}

}  // namespace

std::string_view PhraseOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "passed";
    case Verdict::kFail:
      return "failed";
    case Verdict::kCrash:
      return "crashed";
    case Verdict::kTimeout:
      return "timed out";
    case Verdict::kSkip:
      return "skipped";
    case Verdict::kExpectedFail:
      return "failed as expected";
    case Verdict::kUnexpectedPass:
      return "passed unexpectedly";
    case Verdict::kFlake:
      return "flaky";
    case Verdict::kWarn:
      return "passed with a kernel warning";
  }
  return "";
}

void Tally::Add(const Case& one) {
  ++counts[static_cast<std::size_t>(one.verdict)];
  if (std::isfinite(one.seconds) && one.seconds > 0) seconds += one.seconds;
}

std::size_t Tally::All() const {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::size_t Tally::Bad() const {
  std::size_t bad = 0;
  for (const Verdict verdict : kVerdicts) bad += IsBad(verdict) ? Of(verdict) : 0;
  return bad;
}

Tally TallyOf(const Run& run) {
  Tally tally;
  for (const auto& one : run.cases) tally.Add(one);
  return tally;
}

std::string_view NameOf(RuleState state) {
  switch (state) {
    case RuleState::kHeld:
      return "held";
    case RuleState::kBroken:
      return "broken";
    case RuleState::kFlaky:
      return "flaky";
    case RuleState::kAsExpected:
      return "as expected";
    case RuleState::kSkipped:
      return "skipped";
    case RuleState::kNotRun:
      return "not run";
  }
  return "";
}

RuleState StateOf(const Tally& tally) {
  if (tally.Bad() > 0) return RuleState::kBroken;
  if (tally.Of(Verdict::kFlake) > 0) return RuleState::kFlaky;
  if (tally.Of(Verdict::kExpectedFail) > 0) return RuleState::kAsExpected;
  if (tally.All() == 0) return RuleState::kNotRun;
  return tally.All() == tally.Of(Verdict::kSkip) ? RuleState::kSkipped : RuleState::kHeld;
}

std::string FamilyOf(std::string_view rule) { return std::string(rule.substr(0, rule.rfind('-'))); }

bool RuleBefore(std::string_view a, std::string_view b) {
  const auto key = [](std::string_view rule) {
    return std::tuple(rule.substr(0, rule.rfind('-')), NumberOf(rule), rule);
  };
  return key(a) < key(b);
}

RuleTallies RulesOf(const Run& run) {
  RuleTallies rules;
  for (const auto& one : run.cases) {
    for (const auto& rule : one.rules) rules[rule].Add(one);
  }
  return rules;
}

}  // namespace kfdcts::report::html
