#include "harness/test/falsify/verdict.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

namespace kfdcts::falsify {
namespace {

using testing::ElementsAre;

const Outcomes kOutcomes = {
    {"Suite.Red/gpu0", Outcome::kFailed},
    {"Suite.Red/gpu1", Outcome::kFailed},
    {"Suite.Green/gpu0", Outcome::kPassed},
    {"Suite.Skipped/gpu0", Outcome::kSkipped},
};

TEST(Judge, CaughtWhereEveryNamedTestIsRed) {
  const Verdict verdict = Judge({"Suite.Red/*"}, kOutcomes);
  EXPECT_TRUE(verdict.Caught());
  EXPECT_EQ(verdict.red, 2);
}

TEST(Judge, OneGreenTestIsAMiss) {
  const Verdict verdict = Judge({"Suite.*/gpu0"}, kOutcomes);
  EXPECT_FALSE(verdict.Caught());
  EXPECT_THAT(verdict.not_red,
              ElementsAre("Suite.Green/gpu0 (passed)", "Suite.Skipped/gpu0 (skipped)"));
}

TEST(Judge, FilterThatMatchesNoTestIsAMiss) {
  const Verdict verdict = Judge({"Suite.Red/*", "Suite.Rde/*"}, kOutcomes);
  EXPECT_FALSE(verdict.Caught());
  EXPECT_THAT(verdict.match_none, ElementsAre("Suite.Rde/*"));
}

TEST(Judge, NoReportIsAMiss) { EXPECT_FALSE(Judge({"Suite.Red/*"}, {}).Caught()); }

TEST(ReadJunit, TellsOutcomes) {
  const std::string file = testing::TempDir() + "verdict_test." + std::to_string(getpid()) + ".xml";
  std::ofstream(file) << R"(<testsuites><testsuite name="S">
    <testcase classname="S" name="Passed/gpu0"/>
    <testcase classname="S" name="Failed/gpu0"><failure message="no"/></testcase>
    <testcase classname="S" name="Expected/gpu0"><skipped type="expected-failure"/></testcase>
    <testcase classname="S" name="Skipped/gpu0"><skipped message="no GPU"/></testcase>
  </testsuite></testsuites>)";
  const Outcomes outcomes = ReadJunit(file);
  std::remove(file.c_str());
  const Outcomes expected = {{"S.Passed/gpu0", Outcome::kPassed},
                             {"S.Failed/gpu0", Outcome::kFailed},
                             {"S.Expected/gpu0", Outcome::kFailed},
                             {"S.Skipped/gpu0", Outcome::kSkipped}};
  EXPECT_EQ(outcomes, expected);
}

TEST(ReadJunit, MissingFileIsAnError) {
  EXPECT_THROW(ReadJunit("/nonexistent/junit.xml"), std::runtime_error);
}

}  // namespace
}  // namespace kfdcts::falsify
