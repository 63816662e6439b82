#include "harness/kfdreport/statement.h"

#include <algorithm>
#include <set>

namespace kfdcts::report {
namespace {

/// Rules by the test's name before its first '/', which its cases share.
using Declared = std::map<std::string, std::set<std::string>>;

std::string TestOf(const Case& one) {
  return one.suite + "." + one.name.substr(0, one.name.find('/'));
}

Declared DeclarationsOf(const std::vector<Run>& runs) {
  Declared declared;
  for (const auto& run : runs) {
    for (const auto& one : run.cases) {
      if (!one.rules.empty()) declared[TestOf(one)].insert(one.rules.begin(), one.rules.end());
    }
  }
  return declared;
}

std::set<std::string> RulesOf(const Case& one, const Declared& declared) {
  std::set<std::string> rules(one.rules.begin(), one.rules.end());
  if (one.verdict != Verdict::kSkip) return rules;
  for (const auto& [name, value] : one.properties) {
    if (name == "skipped_rule") rules.insert(value);
  }
  const auto found = declared.find(TestOf(one));
  if (rules.empty() && found != declared.end()) rules = found->second;
  return rules;
}

RuleState StateOf(const RuleFinding& finding) {
  if (finding.failed > 0) return RuleState::kBroken;
  if (finding.flaky > 0) return RuleState::kFlaky;
  if (finding.expected > 0) return RuleState::kExpected;
  return finding.passed > 0 ? RuleState::kHeld : RuleState::kNotRun;
}

RuleState StateOf(Verdict verdict) {
  if (IsBad(verdict)) return RuleState::kBroken;
  if (verdict == Verdict::kFlake) return RuleState::kFlaky;
  if (verdict == Verdict::kExpectedFail) return RuleState::kExpected;
  return verdict == Verdict::kSkip ? RuleState::kNotRun : RuleState::kHeld;
}

void Count(RuleFinding& finding, const Case& one) {
  switch (StateOf(one.verdict)) {
    case RuleState::kBroken:
      ++finding.failed;
      break;
    case RuleState::kFlaky:
      ++finding.flaky;
      break;
    case RuleState::kExpected:
      ++finding.expected;
      break;
    case RuleState::kHeld:
      ++finding.passed;
      break;
    case RuleState::kNotRun:
      ++finding.skipped;
      ++finding.skip_reasons[one.message];
  }
}

void AddDeciding(RuleFinding& finding, const Case& one) {
  const bool decides = finding.state != RuleState::kHeld && finding.state != RuleState::kNotRun &&
                       StateOf(one.verdict) == finding.state;
  if (!decides) return;
  finding.tests.push_back(one.FullName());
  const bool known =
      std::find(finding.causes.begin(), finding.causes.end(), one.message) != finding.causes.end();
  if (!known && !one.message.empty()) finding.causes.push_back(one.message);
}

std::map<std::string, RuleFinding> FindingsOf(const Run& run, const Declared& declared) {
  std::map<std::string, RuleFinding> findings;
  for (const auto& one : run.cases) {
    for (const auto& rule : RulesOf(one, declared)) Count(findings[rule], one);
  }
  for (auto& [rule, finding] : findings) finding.state = StateOf(finding);
  for (const auto& one : run.cases) {
    for (const auto& rule : RulesOf(one, declared)) AddDeciding(findings[rule], one);
  }
  return findings;
}

}  // namespace

std::string_view NameOf(RuleState state) {
  switch (state) {
    case RuleState::kHeld:
      return "held";
    case RuleState::kBroken:
      return "broken";
    case RuleState::kFlaky:
      return "flaky";
    case RuleState::kExpected:
      return "as expected";
    case RuleState::kNotRun:
      return "not run";
  }
  return "";
}

Statement MakeStatement(const std::vector<Run>& runs, const RuleTexts& texts) {
  Statement statement;
  statement.rules = texts.order;
  const Declared declared = DeclarationsOf(runs);
  std::set<std::string> unknown;
  for (const auto& run : runs) {
    statement.of_run.push_back(FindingsOf(run, declared));
    for (const auto& [rule, finding] : statement.of_run.back()) {
      if (!texts.rules.contains(rule)) unknown.insert(rule);
    }
  }
  statement.rules.insert(statement.rules.end(), unknown.begin(), unknown.end());
  return statement;
}

}  // namespace kfdcts::report
