#include "harness/test_support/child.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "harness/capabilities/capability.h"

namespace kfdcts::harness {
namespace {

TEST(RunInChild, APassingBodyPasses) {
  const pid_t parent = getpid();
  const auto result = RunInChild([&] { EXPECT_NE(parent, getpid()); });
  EXPECT_TRUE(result.Passed()) << result.Describe();
}

TEST(RunInChild, FailedChecksFailTheCallersTest) {
  ChildResult result;
  EXPECT_NONFATAL_FAILURE(result = RunInChild([] { EXPECT_EQ(1, 2) << "in the child"; }),
                          "in the child");
  EXPECT_EQ(1, result.failures);
  EXPECT_EQ("1 failed checks", result.Describe());
}

TEST(RunInChild, AFatalFailureStopsTheBody) {
  static ChildResult result;
  EXPECT_FATAL_FAILURE(result = RunInChild([] {
                         ASSERT_TRUE(false) << "stop";
                         ADD_FAILURE() << "went on";
                       }),
                       "stop");
  EXPECT_EQ(1, result.failures);
}

TEST(RunInChild, WhatFailedBeforeACrashIsNotLost) {
  ChildResult result;
  EXPECT_NONFATAL_FAILURE(result = RunInChild([] {
                            ADD_FAILURE() << "before";
                            raise(SIGKILL);
                          }),
                          "before");
  EXPECT_EQ(SIGKILL, result.signal);
  EXPECT_FALSE(result.Passed());
}

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

TEST(RunInChild, AnExceptionIsAFailure) {
  EXPECT_NONFATAL_FAILURE(RunInChild([] { throw std::runtime_error("thrown"); }), "thrown");
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
