#include "harness/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/records.h"
#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::Failed;
using testing_support::Passed;
using testing_support::Skipped;
using testing_support::SomeRun;
using testing_support::TemporaryFolder;

RuleBook Book() {
  const TemporaryFolder folder;
  folder.Write("rules.yaml",
               "suites:\n"
               "  - family: PTR\n"
               "    suite: PointerInfo\n"
               "    title: look-up\n"
               "    rules:\n"
               "      - {id: PTR-1, text: first rule, sources: [D1]}\n"
               "      - {id: PTR-2, text: second rule, sources: [D1]}\n");
  folder.Write(
      "known-bugs.yaml",
      "areas:\n"
      "  - area: pointers\n"
      "    bugs:\n"
      "      - {id: BUG-1, what: stale arrays, cause: no lock, trigger: c, kfdtest: no}\n");
  return RuleBook::Load(folder.path());
}

const std::vector<DeclaredTest> kDeclared = {{"PointerInfo", "A", {"PTR-1"}, {"BUG-1"}},
                                             {"PointerInfo", "B", {"PTR-1"}, {}}};

RuleResult FirstRule(const std::vector<TestRecord>& records) {
  static const RuleBook book = Book();
  return JudgeRules(book, kDeclared, records).front();
}

TEST(RuleVerdicts, PassedNeedsATestThatRan) {
  EXPECT_EQ(RuleVerdict::kPassed, FirstRule({Passed("A/gpu0", {"PTR-1"})}).verdict);
}

TEST(RuleVerdicts, ASkipNeverCountsAsPassed) {
  const auto result = FirstRule({Skipped("A/gpu0"), Skipped("B/gpu0")});
  EXPECT_EQ(RuleVerdict::kSkipped, result.verdict);
  EXPECT_EQ(0, result.passed);
  EXPECT_EQ(2, result.skipped);
}

TEST(RuleVerdicts, OneFailureOutweighsEveryPass) {
  EXPECT_EQ(RuleVerdict::kFailed,
            FirstRule({Passed("A/gpu0", {"PTR-1"}), Failed("B/gpu0", {"PTR-1"})}).verdict);
}

TEST(RuleVerdicts, AnExpectedFailureNeverCountsAsPassed) {
  TestRecord record = Failed("A/gpu0", {"PTR-1"});
  record.expected_cause = "BUG-1";
  const RuleResult result = FirstRule({record, Passed("B/gpu0", {"PTR-1"})});
  EXPECT_EQ(RuleVerdict::kAsExpected, result.verdict);
  EXPECT_EQ(1, result.expected_failures);
  EXPECT_EQ(0, result.failed);
}

TEST(RuleVerdicts, AnotherFailureOutweighsExpectedOnes) {
  TestRecord record = Failed("A/gpu0", {"PTR-1"});
  record.expected_cause = "BUG-1";
  EXPECT_EQ(RuleVerdict::kFailed, FirstRule({record, Failed("B/gpu0", {"PTR-1"})}).verdict);
}

TEST(RuleVerdicts, NotRunAndNotCoveredDiffer) {
  const RuleBook book = Book();
  const auto results = JudgeRules(book, kDeclared, {});
  EXPECT_EQ(RuleVerdict::kNotRun, results[0].verdict);
  EXPECT_EQ(RuleVerdict::kNotCovered, results[1].verdict);
}

TEST(Summary, FailureNamesTheBugThatItGuards) {
  TestRecord record = Failed("A/gpu0", {"PTR-1"});
  record.guards = {"BUG-1"};
  const auto text = Summarise(SomeRun(), Book(), kDeclared, {record}, SummaryDetail::kFull);
  EXPECT_THAT(text, HasSubstr("PointerInfo.A/gpu0  [PTR-1]"));
  EXPECT_THAT(text, HasSubstr("suites/pointer_info/x.cpp:12"));
  EXPECT_THAT(text, HasSubstr("guards BUG-1: stale arrays\n      cause: no lock"));
}

TEST(Summary, CountsEveryKindApart) {
  TestRecord expected = Failed("A/gpu0");
  expected.expected_cause = "BUG-1";
  TestRecord surprise = Passed("B/gpu0");
  surprise.expected_cause = "BUG-1";
  const std::vector<TestRecord> records = {Passed("A/gpu1"), Failed("B/gpu1"), Skipped("A/gpu2"),
                                           expected, surprise};
  const auto text = Summarise(SomeRun(), Book(), kDeclared, records, SummaryDetail::kFull);
  EXPECT_THAT(text, HasSubstr("Tests: 2 passed, 1 failed, 1 skipped, 1 failed as expected, 1 "
                              "passed unexpectedly"));
  EXPECT_THAT(text, HasSubstr("1 × xnack-switchable: no XNACK"));
}

TEST(Summary, AFlakeIsNeitherPassedNorFailed) {
  TestRecord flake = Failed("A/gpu0", {"PTR-1"});
  flake.runs = {"fail", "pass"};
  const auto text = Summarise(SomeRun(), Book(), kDeclared, {flake}, SummaryDetail::kFull);
  EXPECT_THAT(text, HasSubstr("PTR-1   flaky"));
  EXPECT_THAT(text, HasSubstr("FLAKES that no expectation lists"));
  EXPECT_THAT(text, HasSubstr("  PointerInfo.A/gpu0: fail, pass\n"));
  EXPECT_THAT(text, HasSubstr("Tests: 0 passed, 0 failed, 0 skipped, 0 failed as expected, 0 "
                              "passed unexpectedly, 1 flakes"));
}

TEST(Summary, WhatAVirtualGpuDidNotKnowIsTold) {
  RunInfo run = SomeRun();
  run.device_complaints = {"gpu0: unknown packet: PM4 0x5a x1"};
  const auto text = Summarise(run, Book(), kDeclared, {}, SummaryDetail::kFull);
  EXPECT_THAT(text, HasSubstr("unknown packet: PM4 0x5a"));
}

TEST(Summary, BriefGathersTheRulesThatNoTestRan) {
  const std::vector<TestRecord> records = {Passed("A/gpu0", {"PTR-1"})};
  const auto brief = Summarise(SomeRun(), Book(), kDeclared, records, SummaryDetail::kBrief);
  EXPECT_THAT(brief, HasSubstr("first rule"));
  EXPECT_THAT(brief, Not(HasSubstr("second rule")));
  EXPECT_THAT(brief, HasSubstr("PTR not covered: 2"));
  const auto full = Summarise(SomeRun(), Book(), kDeclared, records, SummaryDetail::kFull);
  EXPECT_THAT(full, HasSubstr("second rule"));
}

TEST(ListRules, ShowsTheTestsOfEachRuleAndRulesWithout) {
  const auto text = ListRules(Book(), kDeclared);
  EXPECT_THAT(text, HasSubstr("PTR-1  first rule\n    PointerInfo.A\n    PointerInfo.B\n"));
  EXPECT_THAT(text, HasSubstr("PTR-2  second rule\n    (no test)\n"));
}

}  // namespace
}  // namespace kfdcts::harness
