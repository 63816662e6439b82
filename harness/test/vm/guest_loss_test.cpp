// Runs of kfdcts_fake in guests.
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

std::string TypeOf(ProgramRun& run, const char* test) {
  return run.Test(test).child("failure").attribute("type").value();
}

/// One command: a panic, a hung GPU queue, a process that wants all memory, and tests around them.
TEST(Guest, APanicAndAHungGpuQueueCostTheTestsThatRanAlone) {
  ProgramRun run({"--machine=vega10", "--quick-driver", "--root",
                  "--gtest_filter=Rough.Passes*:Rough.EatsAllMemory*:Rough.TheLast*:Good.Passes*:"
                  "Fatal.PanicsItsKernel*:Fatal.TheNextRuns*:Fatal.HangsAGpuQueue*"});
  EXPECT_EQ(1, run.exit_code());
  for (const char* test : {"Good.Passes/cpu", "Fatal.TheNextRuns/cpu", "Rough.Passes/cpu",
                           "Rough.TheLastPasses/cpu"}) {
    EXPECT_EQ("passed", run.Verdict(test)) << test << run.output() << run.errors();
  }
  const std::string panic = run.FailureOf("Fatal.PanicsItsKernel/cpu");
  EXPECT_EQ("guest-lost", TypeOf(run, "Fatal.PanicsItsKernel/cpu"));
  EXPECT_THAT(panic, HasSubstr("lost in this test"));
  EXPECT_THAT(panic, HasSubstr("the guest's kernel"));
  EXPECT_THAT(panic, HasSubstr("sysrq"));  // the console's last lines
  EXPECT_EQ("time-limit", TypeOf(run, "Fatal.HangsAGpuQueue/cpu"));
  EXPECT_THAT(run.FailureOf("Fatal.HangsAGpuQueue/cpu"), HasSubstr("time limit of 5 s"));
  EXPECT_EQ("crash", TypeOf(run, "Rough.EatsAllMemory/cpu"));
  EXPECT_THAT(run.FailureOf("Rough.EatsAllMemory/cpu"), HasSubstr("the kernel was out of memory"));
  EXPECT_THAT(run.Test("Rough.EatsAllMemory/cpu").child("system-err").text().get(),
              HasSubstr("Out of memory: Killed process"));
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
