#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kfdreport/report.h"

namespace kfdcts::report::html {

/// All verdicts, the worst first: the order in which they are told.
constexpr std::array kVerdicts = {
    Verdict::kCrash,        Verdict::kTimeout, Verdict::kFail,
    Verdict::kFlake,        Verdict::kWarn,    Verdict::kUnexpectedPass,
    Verdict::kExpectedFail, Verdict::kSkip,    Verdict::kPass};

/// "failed", "passed unexpectedly": after a number of tests.
std::string_view PhraseOf(Verdict verdict);

/// How many cases ended how, and how long they took.
struct Tally {
  std::array<std::size_t, kVerdicts.size()> counts{};
  double seconds = 0;

  void Add(const Case& one);
  std::size_t Of(Verdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
  std::size_t All() const;
  std::size_t Bad() const;
};

Tally TallyOf(const Run& run);

/// What the cases that check a rule say of it, together.
enum class RuleState { kHeld, kBroken, kFlaky, kAsExpected, kSkipped, kNotRun };

/// "broken"
std::string_view NameOf(RuleState state);

/// One bad case breaks a rule; else a flake makes it flaky; else one that failed as expected…
RuleState StateOf(const Tally& tally);

/// "PTR" of "PTR-1".
std::string FamilyOf(std::string_view rule);
/// Families by name, rules by number: "PTR-2" before "PTR-10".
bool RuleBefore(std::string_view a, std::string_view b);

struct RuleOrder {
  bool operator()(const std::string& a, const std::string& b) const { return RuleBefore(a, b); }
};
using RuleTallies = std::map<std::string, Tally, RuleOrder>;

RuleTallies RulesOf(const Run& run);

}  // namespace kfdcts::report::html
