#include "harness/test_support/child.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/capabilities/capability.h"

namespace kfdcts::harness {
namespace {

TEST(RunInChild, APassingBodyPasses) {
  const pid_t parent = getpid();
  const auto result = RunInChild([&] { EXPECT_NE(parent, getpid()); });
  EXPECT_TRUE(result.Passed()) << result.Describe();
}

// How its failures reach the caller's test is seen from outside, in run_test.cpp: what catches a
// failure in this process would catch the child's too.

TEST(RunInChild, AnExitIsNoPass) {
  const auto result = RunInChild([] { _exit(3); });
  EXPECT_FALSE(result.Passed());
  EXPECT_EQ("exit code 3", result.Describe());
}

TEST(RunInChild, ItsDeadlineEndsItAndItsChildren) {
  const auto result = RunInChild(
      [] {
        if (fork() == 0) pause();
        pause();
      },
      std::chrono::milliseconds(100));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ("time limit", result.Describe());
}

TEST(RunInChild, AMissingCapabilityComesToTheCaller) {
  try {
    RunInChild([] { throw CapabilityMissing("svm", "not built in"); });
    FAIL() << "no exception";
  } catch (const CapabilityMissing& missing) {
    EXPECT_EQ("svm", missing.capability());
    EXPECT_STREQ("not built in", missing.what());
  }
}

}  // namespace
}  // namespace kfdcts::harness
