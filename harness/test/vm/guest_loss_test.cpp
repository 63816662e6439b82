// Runs of kfdcts_fake in guests of the machine cpu-only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/program_run.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing_support::ProgramRun;

ProgramRun InGuest(const std::string& filter) {
  return ProgramRun({"--machine=cpu-only", "--quick-driver", "--root", "--gtest_filter=" + filter});
}

TEST(Guest, APanicCostsTheTestThatRanAndTheRestGoesOnInAFreshGuest) {
  ProgramRun run = InGuest("Good.Passes*:Fatal.PanicsItsKernel*:Fatal.TheNextRuns*");
  EXPECT_EQ(1, run.exit_code());
  EXPECT_EQ("passed", run.Verdict("Good.Passes/cpu")) << run.output() << run.errors();
  const std::string failure = run.FailureOf("Fatal.PanicsItsKernel/cpu");
  EXPECT_THAT(failure, HasSubstr("lost in this test"));
  EXPECT_THAT(failure, HasSubstr("the guest's kernel"));
  EXPECT_THAT(failure, HasSubstr("sysrq"));  // the console's last lines
  EXPECT_EQ("passed", run.Verdict("Fatal.TheNextRuns/cpu"));
  EXPECT_TRUE(std::filesystem::exists(run.results() / "boot2" / "console.log"));
  EXPECT_FALSE(std::filesystem::exists(run.results() / "boot3"));
}

TEST(Guest, ACrashAHangAndALeakCostNoBoot) {
  ProgramRun run = InGuest("Good.*:Bad.Crashes*:Bad.Hangs*:Bad.LeavesDescriptor*:Skips.*");
  EXPECT_EQ(1, run.exit_code());
  EXPECT_THAT(run.output(), HasSubstr("7 passed, 3 failed, 2 skipped")) << run.errors();
  EXPECT_THAT(run.FailureOf("Bad.Hangs/cpu"), HasSubstr("time limit of 1 s"));
  EXPECT_FALSE(std::filesystem::exists(run.results() / "boot2"));
}

}  // namespace
}  // namespace kfdcts::harness
