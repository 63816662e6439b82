#include "harness/run/previous_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/fixture_error.h"
#include "harness/report/junit.h"
#include "harness/run/session.h"
#include "harness/test/program_run.h"
#include "harness/test/records.h"

namespace kfdcts::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Failed;
using testing_support::MessageOf;
using testing_support::Passed;
using testing_support::ProgramRun;
using testing_support::Skipped;
using testing_support::SomeRun;
using testing_support::TemporaryFolder;

TEST(PreviousRun, NamesWhatFailedOrWasNotRun) {
  const TemporaryFolder folder;
  TestRecord expected = Failed("Expected/gpu0");
  expected.expected_cause = "a bug";
  TestRecord hung = Failed("Hung/gpu0");
  hung.failure_kind = FailureKind::kTimeLimit;
  TestRecord cut = Skipped("Cut/gpu0");
  cut.skip_reason = kInterruptedReason;
  cut.missing_capability.clear();
  WriteJUnitFile(
      folder.path() / "junit.xml", SomeRun(),
      {Passed("Good/gpu0"), Failed("Bad/gpu0"), Skipped("Other/gpu0"), expected, hung, cut});
  const auto names =
      ElementsAre("PointerInfo.Bad/gpu0", "PointerInfo.Cut/gpu0", "PointerInfo.Hung/gpu0");
  EXPECT_THAT(FailedTests(folder.path()), names);
  EXPECT_THAT(FailedTests(folder.path() / "junit.xml"), names);
}

TEST(PreviousRun, WhatIsNoReportIsRefused) {
  const TemporaryFolder folder;
  const auto message = [](const std::filesystem::path& file) {
    return MessageOf<FixtureError>([&] { FailedTests(file); });
  };
  EXPECT_EQ("/no/such.xml: cannot be read", message("/no/such.xml"));
  EXPECT_EQ((folder.path() / "junit.xml").string() + ": cannot be read", message(folder.path()));
  EXPECT_THAT(message(folder.Write("cut.xml", "<testsuites><testsuite")), HasSubstr("cut.xml: "));
  EXPECT_THAT(message(folder.Write("page.xml", "<html/>")), HasSubstr("no JUnit report"));
}

TEST(PreviousRun, FlagRunsOnlyThose) {
  ProgramRun first({"--gtest_filter=Bad.Fails*:Good.Passes*"});
  EXPECT_EQ(1, first.exit_code());
  ProgramRun again({"--rerun-failed=" + first.results().string()});
  EXPECT_EQ(1, again.exit_code());
  EXPECT_EQ("failed", again.Verdict("Bad.Fails/cpu"));
  EXPECT_THAT(again.output(), HasSubstr("0 passed, 1 failed"));
  const ProgramRun own({"--rerun-failed"});
  EXPECT_EQ("kfdcts: " + own.results().string() + ": cannot be read\n", own.errors());
}

TEST(PreviousRun, WhereNothingFailedNothingRuns) {
  ProgramRun first({"--gtest_filter=Good.Passes*"});
  ProgramRun again({"--rerun-failed=" + first.results().string()});
  EXPECT_EQ(0, again.exit_code());
  EXPECT_THAT(again.output(), HasSubstr("nothing failed there"));
  EXPECT_FALSE(std::filesystem::exists(again.results()));
}

}  // namespace
}  // namespace kfdcts::harness
