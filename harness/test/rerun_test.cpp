// Unexpected results that are run again, and what a run leaves out.
#include "harness/run/reruns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/program_run.h"
#include "harness/test/records.h"

namespace kfdcts::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::Failed;
using testing_support::Passed;
using testing_support::ProgramRun;
using testing_support::Skipped;
using testing_support::TemporaryFolder;

std::string PropertyOf(pugi::xml_node test, const char* name) {
  return test.child("properties")
      .find_child_by_attribute("property", "name", name)
      .attribute("value")
      .value();
}

/// A run of one test of suite Flaky, whose runs are counted in `folder`.
ProgramRun RunOf(const std::string& test, const TemporaryFolder& folder,
                 std::vector<std::string> flags) {
  flags.push_back("--gtest_filter=Flaky." + test + "*");
  flags.push_back("--env=KFDCTS_FAKE_COUNT=" + (folder.path() / "count").string());
  return ProgramRun(std::move(flags));
}

TEST(Surprises, AreWhatNoExpectationForesaw) {
  TestRecord expected = Failed("Expected");
  expected.expected_cause = "a bug";
  TestRecord mended = Passed("Mended");
  mended.expected_cause = "a bug";
  TestRecord not_run = Failed("NotRun");
  not_run.failure_kind = FailureKind::kNotRun;
  const std::vector<TestRecord> records = {Failed("Before"), Passed("Good"), Failed("Bad"),
                                           expected,         mended,         not_run};
  EXPECT_THAT(Surprises(records, 1, 2), ElementsAre(2u, 4u));
  EXPECT_THAT(Surprises(records, 1, 1), IsEmpty()) << "so many are no chance";
}

TEST(JudgeRuns, OnlyDifferentRunsAreAFlake) {
  TestRecord same = Failed("Same");
  same.runs = {"fail", "fail", "fail"};
  EXPECT_THAT(JudgeRuns(same, false), HasSubstr("fail, fail, fail: no flake"));
  EXPECT_TRUE(same.UnexpectedFailure());
  TestRecord flake = Failed("Flake");
  flake.runs = {"fail", "pass", "pass"};
  EXPECT_THAT(JudgeRuns(flake, false), HasSubstr("fail, pass, pass: A FLAKE"));
  EXPECT_FALSE(flake.UnexpectedFailure());
}

TEST(JudgeRuns, AFlakeFailsWhereThatIsAskedFor) {
  TestRecord passed = Passed("Listed");
  passed.expected_cause = "a bug";
  passed.runs = {"pass", "fail", "fail"};
  TestRecord kept = passed;
  JudgeRuns(kept, false);
  EXPECT_FALSE(kept.UnexpectedFailure());
  EXPECT_FALSE(kept.UnexpectedPass()) << "it does fail at times";
  JudgeRuns(passed, true);
  EXPECT_TRUE(passed.UnexpectedFailure());
}

TEST(Rerun, AFlakeIsToldAndDoesNotFailTheRun) {
  const TemporaryFolder folder;
  ProgramRun run = RunOf("FailsAtFirst", folder, {"--rerun=2"});
  EXPECT_EQ(0, run.exit_code()) << run.output();
  EXPECT_EQ("passed", run.Verdict("Flaky.FailsAtFirst/cpu"));
  EXPECT_EQ("fail, pass, pass", PropertyOf(run.Test("Flaky.FailsAtFirst/cpu"), "flake"));
  EXPECT_THAT(run.output(), HasSubstr("FLAKES that no expectation lists"));
  EXPECT_THAT(run.output(), HasSubstr("0 passed, 0 failed, 0 skipped, 0 failed as expected, 0 "
                                      "passed unexpectedly, 1 flakes"));
  EXPECT_THAT(run.output(), HasSubstr("PTR-8   flaky"));
  EXPECT_EQ(3u, std::filesystem::file_size(folder.path() / "count"));
  EXPECT_FALSE(std::filesystem::exists(run.results() / "boot2"));
}

TEST(Rerun, AFlakeFailsTheRunWhereThatIsAskedFor) {
  const TemporaryFolder folder;
  ProgramRun run = RunOf("FailsAtFirst", folder, {"--rerun=1", "--fail-on-flake"});
  EXPECT_EQ(1, run.exit_code());
  EXPECT_THAT(run.FailureOf("Flaky.FailsAtFirst/cpu"), HasSubstr("its runs ended fail, pass"));
}

TEST(Rerun, WithoutRerunsAFlakeIsAFailure) {
  const TemporaryFolder folder;
  ProgramRun run = RunOf("FailsAtFirst", folder, {"--rerun=0"});
  EXPECT_EQ(1, run.exit_code());
  EXPECT_EQ(1u, std::filesystem::file_size(folder.path() / "count"));
}

TEST(Rerun, WhatFailsEachTimeFailsTheRun) {
  ProgramRun run({"--rerun=2", "--gtest_filter=Bad.Fails*"});
  EXPECT_EQ(1, run.exit_code());
  EXPECT_EQ("fail, fail, fail", PropertyOf(run.Test("Bad.Fails/cpu"), "same_in_runs"));
  EXPECT_EQ("", PropertyOf(run.Test("Bad.Fails/cpu"), "flake"));
}

TEST(Rerun, AListedFailureThatPassesOnceIsAFlake) {
  const TemporaryFolder folder;
  const auto list =
      folder.Write("list.yaml", "fails:\n  - {pattern: Flaky.FailsInTheThird/*, cause: x}\n");
  ProgramRun run =
      RunOf("FailsInTheThird", folder, {"--rerun=2", "--expectations=" + list.string()});
  EXPECT_EQ(0, run.exit_code());
  EXPECT_EQ("pass, pass, fail", PropertyOf(run.Test("Flaky.FailsInTheThird/cpu"), "flake"));
  EXPECT_THAT(run.output(), Not(HasSubstr("1 passed unexpectedly")));
}

TEST(Rerun, AListedFlakeMayFailAndIsNotRunAgain) {
  const TemporaryFolder folder;
  const auto list = folder.Write(
      "list.yaml", "flakes:\n  - {pattern: Flaky.FailsAtFirst/*, cause: a race, rate: 1 of 9}\n");
  ProgramRun run = RunOf("FailsAtFirst", folder,
                         {"--rerun=2", "--fail-on-flake", "--expectations=" + list.string()});
  EXPECT_EQ(0, run.exit_code());
  EXPECT_EQ("skipped", run.Verdict("Flaky.FailsAtFirst/cpu"));
  EXPECT_EQ("a race", PropertyOf(run.Test("Flaky.FailsAtFirst/cpu"), "expected_flake"));
  EXPECT_EQ(1u, std::filesystem::file_size(folder.path() / "count"));
}

TEST(Rerun, AfterAnIterationThatWasCutShortTheRestIsNotMixedUp) {
  ProgramRun run(
      {"--rerun=1", "--gtest_fail_fast", "--gtest_filter=Bad.Fails*:Fatal.TheNextRuns*"});
  EXPECT_EQ(1, run.exit_code()) << run.output();
  EXPECT_EQ("fail, fail", PropertyOf(run.Test("Bad.Fails/cpu"), "same_in_runs"));
  EXPECT_EQ("", run.Verdict("Fatal.TheNextRuns/cpu"));
}

TEST(RepeatUntilFail, StopsAtTheFirstFailure) {
  const TemporaryFolder folder;
  ProgramRun run = RunOf("FailsInTheThird", folder, {"--repeat-until-fail", "--rerun=0"});
  EXPECT_EQ(1, run.exit_code()) << run.output();
  EXPECT_EQ(3u, std::filesystem::file_size(folder.path() / "count"));
  EXPECT_THAT(run.output(), HasSubstr("2 passed, 1 failed"));
}

TEST(RepeatUntilFail, HasAnEndWhereOneIsGiven) {
  ProgramRun run({"--repeat-until-fail=2", "--shuffle", "--gtest_filter=Good.*"});
  EXPECT_EQ(0, run.exit_code()) << run.output();
  EXPECT_THAT(run.output(), HasSubstr("14 passed, 0 failed"));
}

TEST(Skips, AreNotRunAndSayWhy) {
  const TemporaryFolder folder;
  const auto list = folder.Write("list.yaml",
                                 "skips:\n  - {pattern: Bad.*, machine: host, cause: not today}\n"
                                 "  - {pattern: Good.*, kernel: 0.1.*, cause: no such kernel}\n");
  ProgramRun run({"--gtest_filter=Bad.Crashes*:Good.Passes*", "--expectations=" + list.string()});
  EXPECT_EQ(0, run.exit_code()) << run.output();
  EXPECT_EQ("passed", run.Verdict("Good.Passes/cpu"));
  const auto skipped = run.Test("Bad.Crashes/cpu");
  EXPECT_STREQ("expected-skip", skipped.child("skipped").attribute("type").value());
  EXPECT_EQ("not today", PropertyOf(skipped, "expected_skip"));
  EXPECT_EQ("PTR-5", PropertyOf(skipped, "skipped_rule"));
  EXPECT_THAT(run.output(), HasSubstr("1 × skipped by expectation: not today"));
}

TEST(Safe, LeavesOutUnsafeLabelsAndWhatIsListedAsHanging) {
  const TemporaryFolder folder;
  const auto list =
      folder.Write("list.yaml", "fails:\n  - {pattern: Bad.Hangs/*, cause: x, hangs: true}\n");
  ProgramRun run({"--safe", "--gtest_filter=Labelled.Unsafe*:Bad.Hangs*:Good.Passes*",
                  "--expectations=" + list.string()});
  EXPECT_EQ(0, run.exit_code()) << run.output();
  EXPECT_EQ("", run.Verdict("Labelled.Unsafe/cpu"));
  EXPECT_THAT(run.Test("Bad.Hangs/cpu").child("skipped").attribute("message").value(),
              HasSubstr("--safe: it is known to crash or hang this kernel"));
  EXPECT_EQ("passed", run.Verdict("Good.Passes/cpu"));
}

TEST(Labels, AnUnknownOneFailsItsTest) {
  ProgramRun run({"--gtest_filter=Labelled.*"});
  EXPECT_EQ(1, run.exit_code());
  EXPECT_EQ("passed", run.Verdict("Labelled.Unsafe/cpu"));
  EXPECT_THAT(run.FailureOf("Labelled.Unknown/cpu"), HasSubstr("the label \"odd\", which is none"));
}

}  // namespace
}  // namespace kfdcts::harness
