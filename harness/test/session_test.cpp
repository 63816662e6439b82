#include "harness/run/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "harness/test/scripted_target.h"
#include "harness/test/temporary_folder.h"
#include "harness/vm/base/errors.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing_support::Ended;
using testing_support::kReady;
using testing_support::MessageOf;
using testing_support::ScriptedTarget;
using testing_support::Started;
using testing_support::TemporaryFolder;

const Target::End kPanic{.reason = "panicked", .last_words = "last line\n"};
const Target::End kRegular{.regular = true};

class SessionTest : public testing::Test {
 protected:
  Session Make(ScriptedTarget& target, int signal_fd = -1) {
    return Session(target, {folder_.path(),
                            {},
                            signal_fd,
                            [](const std::string&) { return std::chrono::seconds(1); },
                            [](const std::string&) {},
                            std::chrono::milliseconds(100)});
  }
  TemporaryFolder folder_;
};

TEST_F(SessionTest, AReportIsPutTogetherFromEvents) {
  ScriptedTarget target(
      {{{kReady,
         Started("A"),
         {.kind = Event::Kind::kFailure, .message = "wrong", .file = "a.cpp", .line = 3},
         {.kind = Event::Kind::kProperty, .key = "k", .value = "v"},
         {.kind = Event::Kind::kEnded, .test = "A", .milliseconds = 12}},
        kRegular}});
  Session session = Make(target);
  session.Begin({"A"});
  const TestRecord record = session.Run("A");
  session.Finish();
  ASSERT_EQ(1u, record.failures.size());
  EXPECT_EQ("a.cpp", record.failures[0].file);
  EXPECT_EQ(12, record.duration.count());
  EXPECT_EQ("v", record.properties.at(0).second);
  EXPECT_EQ("7.3.4", session.surroundings().kernel_release);
}

TEST_F(SessionTest, APanicGoesToTheTestThatRanAndTheRestToANewBoot) {
  ScriptedTarget target({{{kReady, Started("A"), Ended("A"), Started("B")}, kPanic},
                         {{kReady, Started("C"), Ended("C")}, kRegular}});
  Session session = Make(target);
  session.Begin({"A", "B", "C"});
  EXPECT_TRUE(session.Run("A").Passed());
  const TestRecord lost = session.Run("B");
  EXPECT_EQ(FailureKind::kGuestLost, lost.failure_kind);
  EXPECT_THAT(lost.failures.at(0).message, HasSubstr("lost in this test (after A): panicked"));
  EXPECT_THAT(lost.failures.at(0).message, HasSubstr("last line"));
  EXPECT_TRUE(session.Run("C").Passed());
  session.Finish();
  EXPECT_EQ(2u, target.launches());
}

TEST_F(SessionTest, APanicBetweenTestsIsToldByTheNext) {
  ScriptedTarget target({{{kReady, Started("A"), Ended("A")}, kPanic}});
  Session session = Make(target);
  session.Begin({"A", "B"});
  EXPECT_TRUE(session.Run("A").Passed());
  EXPECT_THAT(session.Run("B").failures.at(0).message,
              HasSubstr("lost before this test began (after A)"));
}

TEST_F(SessionTest, AFailureBeforeThePanicIsKept) {
  ScriptedTarget target(
      {{{kReady, Started("A"), {.kind = Event::Kind::kFailure, .message = "wrong"}}, kPanic}});
  Session session = Make(target);
  session.Begin({"A"});
  const TestRecord record = session.Run("A");
  ASSERT_EQ(2u, record.failures.size());
  EXPECT_EQ("wrong", record.failures[0].message);
}

TEST_F(SessionTest, ATargetThatNeverComesUpIsTriedOnce) {
  ScriptedTarget target({{{}, kPanic}});
  Session session = Make(target);
  session.Begin({"A", "B"});
  const TestRecord first = session.Run("A");
  EXPECT_EQ(FailureKind::kNotRun, first.failure_kind);
  EXPECT_THAT(first.failures.at(0).message, HasSubstr("last line"));
  EXPECT_THAT(session.Run("B").failures.at(0).message, testing::Not(HasSubstr("last line")));
  EXPECT_EQ(1u, target.launches());
}

TEST_F(SessionTest, BadInputIsTheCallersToTell) {
  ScriptedTarget target({ScriptedTarget::Script{.bad_input = true}});
  Session session = Make(target);
  EXPECT_EQ("no such kernel", MessageOf<vm::RunError>([&] { session.Begin({"A"}); }));
}

/// The kernel that a later boot is to take may be gone by then.
TEST_F(SessionTest, ABootThatThrowsCostsItsTestOnly) {
  ScriptedTarget target({{{kReady, Started("A")}, kPanic},
                         ScriptedTarget::Script{.bad_input = true},
                         {{kReady, Started("C"), Ended("C")}, kRegular}});
  Session session = Make(target);
  session.Begin({"A", "B", "C"});
  EXPECT_EQ(FailureKind::kGuestLost, session.Run("A").failure_kind);
  EXPECT_EQ("no such kernel", MessageOf<vm::RunError>([&] { session.Run("B"); }));
  EXPECT_TRUE(session.Run("C").Passed());
}

TEST_F(SessionTest, AStuckTestFailsAndTheRestGoesToANewBoot) {
  ScriptedTarget target(
      {{.events = {kReady,
                   Started("A"),
                   {.kind = Event::Kind::kStuck, .test = "A", .message = "in its exit"}},
        .waits = true},
       {{kReady, Started("B"), Ended("B")}, kRegular}});
  Session session = Make(target);
  session.Begin({"A", "B"});
  EXPECT_THAT(session.Run("A").failures.at(0).message,
              HasSubstr("cannot be killed: it hangs in the kernel, in its exit"));
  EXPECT_TRUE(session.Run("B").Passed());
}

TEST_F(SessionTest, WhatATestLeftStuckCostsABootAndNoTest) {
  ScriptedTarget target(
      {{.events = {kReady, Started("A"), Ended("A"), {.kind = Event::Kind::kStuck}}, .waits = true},
       {{kReady, Started("B"), Ended("B")}, kRegular}});
  Session session = Make(target);
  session.Begin({"A", "B"});
  EXPECT_TRUE(session.Run("A").Passed());
  EXPECT_TRUE(session.Run("B").Passed());
  EXPECT_EQ(2u, target.launches());
}

TEST_F(SessionTest, ASilentTargetIsLost) {
  ScriptedTarget target({{.events = {kReady, Started("A")}, .waits = true}});
  Session session = Make(target);
  session.Begin({"A"});
  const TestRecord record = session.Run("A");
  EXPECT_EQ(FailureKind::kGuestLost, record.failure_kind);
  EXPECT_THAT(record.failures.at(0).message, HasSubstr("no sign of life"));
}

TEST_F(SessionTest, ASignalEndsTheRun) {
  const int signal_fd = eventfd(1, EFD_CLOEXEC);
  ScriptedTarget target({ScriptedTarget::Script{.waits = true}});
  Session session = Make(target, signal_fd);
  session.Begin({"A"});
  EXPECT_TRUE(session.interrupted());
  EXPECT_TRUE(session.Run("A").Skipped());
  close(signal_fd);
}

TEST_F(SessionTest, AnotherOrderIsRefused) {
  ScriptedTarget target({{{kReady, Started("A"), Ended("A")}, kRegular}});
  Session session = Make(target);
  session.Begin({"A"});
  EXPECT_THROW(session.Run("B"), std::logic_error);
}

}  // namespace
}  // namespace kfdcts::harness
