#include "harness/kfdreport/statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kfdcts::report {
namespace {

using testing::ElementsAre;

Case CaseOf(const std::string& name, Verdict verdict, std::vector<std::string> rules) {
  Case one;
  one.suite = "S";
  one.name = name;
  one.verdict = verdict;
  one.message = "why";
  one.rules = std::move(rules);
  return one;
}

/// What a run of these cases says of the rule R-1.
RuleFinding FindingOf(std::vector<Case> cases) {
  const auto statement = MakeStatement({{"f", {}, std::move(cases)}}, {});
  return statement.of_run.at(0).at("R-1");
}

RuleState StateOf(const std::vector<Verdict>& verdicts) {
  std::vector<Case> cases;
  for (const auto verdict : verdicts) cases.push_back(CaseOf("a", verdict, {"R-1"}));
  return FindingOf(std::move(cases)).state;
}

TEST(Statement, TheWorstTestDecides) {
  EXPECT_EQ(StateOf({Verdict::kPass, Verdict::kSkip}), RuleState::kHeld);
  EXPECT_EQ(StateOf({Verdict::kUnexpectedPass, Verdict::kWarn}), RuleState::kHeld);
  EXPECT_EQ(StateOf({Verdict::kPass, Verdict::kExpectedFail}), RuleState::kExpected);
  EXPECT_EQ(StateOf({Verdict::kFlake, Verdict::kExpectedFail}), RuleState::kFlaky);
  EXPECT_EQ(StateOf({Verdict::kFlake, Verdict::kTimeout, Verdict::kPass}), RuleState::kBroken);
  EXPECT_EQ(StateOf({Verdict::kSkip}), RuleState::kNotRun);
}

TEST(Statement, ASkippedTestCountsForWhatItsOtherCasesName) {
  const auto finding =
      FindingOf({CaseOf("a/gpu0", Verdict::kPass, {"R-1"}), CaseOf("a/gpu1", Verdict::kSkip, {}),
                 CaseOf("b/gpu1", Verdict::kSkip, {})});
  EXPECT_EQ(finding.skipped, 1);
  EXPECT_EQ(finding.skip_reasons.at("why"), 1);
}

TEST(Statement, WhatASkippedTestNamesItselfIsNotGuessed) {
  Case skipped = CaseOf("a/gpu1", Verdict::kSkip, {});
  skipped.properties.emplace_back("skipped_rule", "R-2");
  const auto statement =
      MakeStatement({{"f", {}, {CaseOf("a/gpu0", Verdict::kPass, {"R-1"}), skipped}}}, {});
  EXPECT_EQ(statement.of_run.at(0).at("R-1").skipped, 0);
  EXPECT_EQ(statement.of_run.at(0).at("R-2").skipped, 1);
}

TEST(Statement, RulesOfTheBookComeFirst) {
  RuleTexts texts;
  texts.order = {"Z-1", "R-1"};
  texts.rules = {{"Z-1", "z"}, {"R-1", "r"}};
  const auto statement =
      MakeStatement({{"f", {}, {CaseOf("a", Verdict::kPass, {"A-1", "R-1"})}}}, texts);
  EXPECT_THAT(statement.rules, ElementsAre("Z-1", "R-1", "A-1"));
}

}  // namespace
}  // namespace kfdcts::report
