// Whole runs of kfdcts_fake: runner, executor, workers, reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness/test/program_run.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::ProgramRun;
using testing_support::TemporaryFolder;

std::string Filter(const std::string& filter) { return "--gtest_filter=" + filter; }

TEST(Run, PassingTestsPass) {
  ProgramRun run({Filter("Good.*")});
  EXPECT_EQ(0, run.exit_code()) << run.output() << run.errors();
  for (const char* name :
       {"Passes", "Records", "Environment", "NoEnvironment", "Cases/one", "Cases/two", "Traced"}) {
    EXPECT_EQ("passed", run.Verdict(std::string("Good.") + name + "/cpu")) << name;
  }
  EXPECT_THAT(run.output(), HasSubstr("7 passed, 0 failed, 0 skipped"));
}

TEST(Run, RulesBugsAndPropertiesReachTheReport) {
  ProgramRun run({Filter("Good.Passes*:Good.Records*"), "--gtest_random_seed=4711"});
  const auto value = [](pugi::xml_node owner, const char* name) {
    return std::string(owner.child("properties")
                           .find_child_by_attribute("property", "name", name)
                           .attribute("value")
                           .value());
  };
  EXPECT_EQ("PTR-1", value(run.Test("Good.Passes/cpu"), "rule"));
  EXPECT_EQ("BUG-3", value(run.Test("Good.Passes/cpu"), "bug"));
  EXPECT_EQ("It passes.", value(run.Test("Good.Passes/cpu"), "property"));
  EXPECT_EQ("42", value(run.Test("Good.Records/cpu"), "answer"));
  EXPECT_EQ("4711", value(run.Test("Good.Passes/cpu").parent(), "seed"));
  EXPECT_NE("", value(run.Test("Good.Passes/cpu").parent(), "kernel_release"));
}

TEST(Run, ASkipTellsWhatIsMissingAndAssertsNoRule) {
  ProgramRun run({Filter("Skips.*")});
  EXPECT_EQ(0, run.exit_code());
  EXPECT_EQ("skipped", run.Verdict("Skips.BeforeItsBody/cpu"));
  EXPECT_EQ("skipped", run.Verdict("Skips.InItsBody/cpu"));
  const auto properties = run.Test("Skips.InItsBody/cpu").child("properties");
  EXPECT_TRUE(properties.find_child_by_attribute("value", "symbol:hsaKmtNoSuchCall"));
  EXPECT_FALSE(properties.find_child_by_attribute("name", "rule"));
  EXPECT_THAT(run.output(), HasSubstr("0 passed, 0 failed, 2 skipped"));
  EXPECT_THAT(run.output(), HasSubstr("PTR-3   skipped"));
}

TEST(Run, AFailureFailsTheRunAndShowsItsPlaceAndOutput) {
  ProgramRun run({Filter("Bad.Fails*")});
  EXPECT_EQ(1, run.exit_code());
  EXPECT_THAT(run.FailureOf("Bad.Fails/cpu"), HasSubstr("fake_suite.cpp:"));
  EXPECT_THAT(run.Test("Bad.Fails/cpu").child("system-out").text().get(),
              HasSubstr("words of the test"));
  EXPECT_THAT(run.output(), HasSubstr("guards BUG-4: "));
  EXPECT_THAT(run.output(), HasSubstr("PTR-4   FAILED"));
}

TEST(Run, EveryWayToGoWrongCostsOneTestOnly) {
  ProgramRun run({Filter("Bad.*:Good.Passes*")});
  EXPECT_EQ(1, run.exit_code());
  EXPECT_EQ("passed", run.Verdict("Good.Passes/cpu"));
  EXPECT_THAT(run.FailureOf("Bad.Throws/cpu"), HasSubstr("thrown by the test"));
  EXPECT_THAT(run.FailureOf("Bad.Crashes/cpu"), HasSubstr("killed by signal 11"));
  EXPECT_THAT(run.Test("Bad.Crashes/cpu").child("system-out").text().get(),
              HasSubstr("last words"));
  EXPECT_THAT(run.FailureOf("Bad.Exits/cpu"), HasSubstr("exited with 0"));
  EXPECT_THAT(run.FailureOf("Bad.Hangs/cpu"), HasSubstr("time limit of 1 s"));
  EXPECT_STREQ("time-limit", run.Test("Bad.Hangs/cpu").child("failure").attribute("type").value());
  EXPECT_THAT(run.FailureOf("Bad.LeavesDescriptor/cpu"), HasSubstr("left behind: descriptor"));
  EXPECT_THAT(run.FailureOf("Bad.NamesUnknownRule/cpu"), HasSubstr("PTR-99"));
  EXPECT_THAT(run.FailureOf("Bad.NamesUnknownRule/cpu"), HasSubstr("BUG-999"));
  EXPECT_THAT(run.FailureOf("Bad.GpuIsNotThere/gpu1"), HasSubstr("gpu1 is not there"));
}

TEST(Run, WhatHappensInAChildIsItsTestsOwn) {
  ProgramRun run({Filter("Child.*")});
  const std::string failed = run.FailureOf("Child.Fails/cpu");
  EXPECT_THAT(failed, HasSubstr("fake_suite.cpp:"));
  EXPECT_THAT(failed, HasSubstr("first in the child"));
  EXPECT_THAT(failed, HasSubstr("second in the child"));
  EXPECT_THAT(failed, Not(HasSubstr("went on")));
  EXPECT_THAT(failed, Not(HasSubstr("result.")));
  EXPECT_THAT(run.FailureOf("Child.Crashes/cpu"), HasSubstr("before the crash"));
  EXPECT_THAT(run.FailureOf("Child.Crashes/cpu"), Not(HasSubstr("result.")));
  EXPECT_THAT(run.FailureOf("Child.Throws/cpu"), HasSubstr("thrown in the child"));
  EXPECT_EQ("skipped", run.Verdict("Child.Skips/cpu"));
}

TEST(Run, ALostTargetCostsTheTestThatRanAndTheRestGoesOnInANewOne) {
  ProgramRun run({Filter("Fatal.*")});
  EXPECT_EQ(1, run.exit_code());
  EXPECT_THAT(run.FailureOf("Fatal.EndsItsTarget/cpu"), HasSubstr("lost in this test"));
  EXPECT_THAT(run.FailureOf("Fatal.EndsItsTarget/cpu"), HasSubstr("killed by signal 9"));
  EXPECT_EQ("passed", run.Verdict("Fatal.TheNextRuns/cpu"));
  EXPECT_TRUE(std::filesystem::exists(run.results() / "boot2"));
  EXPECT_FALSE(std::filesystem::exists(run.results() / "boot3"));
}

TEST(Run, AListedFailureDoesNotFailTheRun) {
  const TemporaryFolder folder;
  const auto file = folder.Write("list.yaml",
                                 "fails:\n"
                                 "  - {pattern: Bad.Fails/*, machine: host, cause: one is one}\n"
                                 "  - {pattern: Good.Passes/*, cause: once it failed}\n");
  ProgramRun run({Filter("Bad.Fails*:Good.Passes*"), "--expectations=" + file.string()});
  EXPECT_EQ(0, run.exit_code()) << run.output();
  EXPECT_EQ("skipped", run.Verdict("Bad.Fails/cpu"));
  EXPECT_THAT(run.output(), HasSubstr("1 passed, 0 failed, 0 skipped, 1 failed as expected, 1 "
                                      "passed unexpectedly"));
  EXPECT_THAT(run.output(), HasSubstr("listed cause: once it failed"));
}

TEST(Run, WhatCrashesThisHostsKernelRunsOnlyWhereThatIsAllowed) {
  const TemporaryFolder folder;
  const auto file =
      folder.Write("list.yaml", "fails:\n  - {pattern: Bad.Fails/*, cause: x, crashes: true}\n");
  const std::string list = "--expectations=" + file.string();
  ProgramRun spared({Filter("Bad.Fails*:Good.Passes*"), list});
  EXPECT_EQ(0, spared.exit_code()) << spared.output();
  EXPECT_THAT(spared.output(), HasSubstr("1 passed, 0 failed, 1 skipped"));
  EXPECT_THAT(spared.output(), HasSubstr("it is known to crash this host's kernel"));
  ProgramRun allowed({Filter("Bad.Fails*"), list, "--allow-oops"});
  EXPECT_THAT(allowed.output(), HasSubstr("0 skipped, 1 failed as expected"));
}

TEST(Run, AnExpectationOfAnotherMachineDoesNotCount) {
  const TemporaryFolder folder;
  const auto file =
      folder.Write("list.yaml", "fails:\n  - {pattern: Bad.Fails/*, machine: vega10, cause: x}\n");
  ProgramRun run({Filter("Bad.Fails*"), "--expectations=" + file.string()});
  EXPECT_EQ(1, run.exit_code());
}

TEST(Run, RepeatAndShuffleRunEveryTestEachTime) {
  ProgramRun run({Filter("Good.*"), "--gtest_repeat=3", "--gtest_shuffle"});
  EXPECT_EQ(0, run.exit_code()) << run.output();
  EXPECT_THAT(run.output(), HasSubstr("21 passed, 0 failed"));
  EXPECT_FALSE(std::filesystem::exists(run.results() / "boot2"));
}

TEST(Run, FailFastEndsTheRestUnrun) {
  ProgramRun run({Filter("Bad.Fails*:Bad.Hangs*"), "--gtest_fail_fast"});
  EXPECT_EQ(1, run.exit_code());
  EXPECT_EQ("", run.Verdict("Bad.Hangs/cpu"));
}

TEST(Run, TimeLimitComesFromTheCommandLineToo) {
  ProgramRun run({Filter("Bad.Hangs*"), "--test-timeout=2"});
  EXPECT_THAT(run.FailureOf("Bad.Hangs/cpu"), HasSubstr("time limit of 2 s"));
}

std::string TextOf(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The processes whose command line has `text` in it.
std::vector<std::string> ProcessesNaming(const std::string& text) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string command = TextOf(entry.path() / "cmdline");
    if (command.find(text) != std::string::npos) found.push_back(entry.path().filename());
  }
  return found;
}

/// Among them one in a session of its own, which only the executor can find.
TEST(Run, OneThatIsEndedLeavesNoProcessOfItsTest) {
  ProgramRun run({Filter("Bad.Hangs*"), "--test-timeout=60", "--run-timeout=1"});
  EXPECT_EQ(1, run.exit_code());
  EXPECT_THAT(ProcessesNaming(run.results().string()), IsEmpty());
}

TEST(Run, SourcePlacesAreRelativeToTheProject) {
  ProgramRun run({Filter("Good.Passes*")});
  EXPECT_STREQ("harness/test/fake/fake_suite.cpp",
               run.Test("Good.Passes/cpu").attribute("file").value());
}

TEST(Run, SummaryFileHoldsEveryRule) {
  ProgramRun run({Filter("Good.Passes*")});
  std::ifstream in(run.results() / "summary.txt");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(text, HasSubstr("PTR-1   passed"));
  EXPECT_THAT(text, HasSubstr("XNK-11  not covered"));
}

}  // namespace
}  // namespace kfdcts::harness
