#include "harness/breakages/verdict.h"

#include <algorithm>
#include <set>

namespace kfdcts::harness {

bool WentRed(const TestRecord& record) {
  return record.Failed() && record.failure_kind != FailureKind::kNotRun;
}

BreakageVerdict Judge(const Breakage& breakage, const std::vector<TestRecord>& records) {
  const std::set<std::string> rules(breakage.rules.begin(), breakage.rules.end());
  std::set<std::string> noticed;
  BreakageVerdict verdict;
  std::vector<std::string> of_other_rules;
  for (const auto& record : records) {
    if (!WentRed(record)) continue;
    bool of_its_rules = false;
    for (const auto& rule : record.rules) {
      if (!rules.contains(rule)) continue;
      of_its_rules = true;
      noticed.insert(rule);
    }
    (of_its_rules ? verdict.red : of_other_rules).push_back(record.FullName());
  }
  verdict.red.insert(verdict.red.end(), of_other_rules.begin(), of_other_rules.end());
  std::copy_if(breakage.rules.begin(), breakage.rules.end(), std::back_inserter(verdict.rules_left),
               [&](const auto& rule) { return !noticed.contains(rule); });
  if (verdict.red.empty()) return verdict;
  verdict.kind = verdict.rules_left.empty() ? BreakageVerdict::Kind::kCaught
                                            : BreakageVerdict::Kind::kWrongRule;
  return verdict;
}

const char* NameOf(BreakageVerdict::Kind kind) {
  switch (kind) {
    case BreakageVerdict::Kind::kCaught:
      return "caught";
    case BreakageVerdict::Kind::kWrongRule:
      return "WRONG RULE";
    case BreakageVerdict::Kind::kMissed:
      return "MISSED";
  }
  return "?";
}

}  // namespace kfdcts::harness
