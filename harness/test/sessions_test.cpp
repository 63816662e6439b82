#include "harness/run/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/scripted_target.h"
#include "harness/test/temporary_folder.h"
#include "harness/vm/base/errors.h"

namespace kfdcts::harness {
namespace {

using testing::ElementsAre;
using testing_support::Ended;
using testing_support::kReady;
using testing_support::MessageOf;
using testing_support::ScriptedTarget;
using testing_support::Started;
using testing_support::TemporaryFolder;

const Target::End kRegular{.regular = true};

class SessionsTest : public testing::Test {
 protected:
  Sessions Make(ScriptedTarget& target, ScriptedTarget* off, bool room = true) {
    Sessions::Options options;
    options.session = {folder_.path(),
                       {},
                       -1,
                       [](const std::string&) { return std::chrono::seconds(1); },
                       [this](const std::string& line) { notices_.push_back(line); },
                       std::chrono::milliseconds(100)};
    options.off_target = off;
    options.off_name = "noretry";
    options.off_tests = {"Off", "Off2"};
    options.room_for_both = [room] { return room; };
    return {target, options};
  }
  TemporaryFolder folder_;
  std::vector<std::string> notices_;
};

ScriptedTarget::Script Passes(std::initializer_list<const char*> tests) {
  ScriptedTarget::Script script{.events = {kReady}, .end = kRegular};
  for (const char* test : tests) {
    script.events.push_back(Started(test));
    script.events.push_back(Ended(test));
  }
  return script;
}

TEST_F(SessionsTest, EachTestRunsInItsBoot) {
  ScriptedTarget target({Passes({"A", "B"})});
  ScriptedTarget off({Passes({"Off"})});
  Sessions sessions = Make(target, &off);
  sessions.Begin({"A", "Off", "B"});
  EXPECT_TRUE(sessions.Run("A").Passed());
  EXPECT_FALSE(sessions.in_off());
  EXPECT_EQ(0u, off.launches());
  EXPECT_TRUE(sessions.Run("Off").Passed());
  EXPECT_TRUE(sessions.in_off());
  EXPECT_TRUE(sessions.Run("B").Passed());
  EXPECT_FALSE(sessions.in_off());
  sessions.Finish();
  EXPECT_EQ(1u, target.launches());
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "boot1"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / kOffFolder / "boot1"));
  EXPECT_THAT(notices_, ElementsAre("tests without retry: a boot of their own, noretry"));
}

TEST_F(SessionsTest, AGuestIsToldOfNoTestThatComesAfterOneOfTheOther) {
  ScriptedTarget target({Passes({"A", "B"})});
  ScriptedTarget off({Passes({"Off"})});
  Sessions sessions = Make(target, &off);
  sessions.Begin({"A", "Off", "B"});
  sessions.Run("A");
  EXPECT_THAT(target.PlannedTests(), ElementsAre("A"));
  sessions.Run("Off");
  EXPECT_THAT(off.PlannedTests(), ElementsAre("Off"));
}

TEST_F(SessionsTest, OnlyTestsWithoutRetryBootOnce) {
  ScriptedTarget target({});
  ScriptedTarget off({Passes({"Off", "Off2"})});
  Sessions sessions = Make(target, &off);
  sessions.Begin({"Off", "Off2"});
  EXPECT_TRUE(sessions.Run("Off").Passed());
  EXPECT_TRUE(sessions.Run("Off2").Passed());
  EXPECT_EQ("7.3.4", sessions.surroundings().kernel_release);
  EXPECT_EQ(0u, target.launches());
  EXPECT_TRUE(sessions.used_off());
}

TEST_F(SessionsTest, WithoutASecondTargetAllRunInTheFirst) {
  ScriptedTarget target({Passes({"A", "Off"})});
  Sessions sessions = Make(target, nullptr);
  sessions.Begin({"A", "Off"});
  EXPECT_TRUE(sessions.Run("A").Passed());
  EXPECT_TRUE(sessions.Run("Off").Passed());
  EXPECT_FALSE(sessions.used_off());
}

TEST_F(SessionsTest, WhereMemoryIsShortTheyTakeTurns) {
  ScriptedTarget target({Passes({"A"}), Passes({"B"})});
  ScriptedTarget off({Passes({"Off"})});
  Sessions sessions = Make(target, &off, false);
  sessions.Begin({"A", "Off", "B"});
  for (const char* test : {"A", "Off", "B"}) EXPECT_TRUE(sessions.Run(test).Passed()) << test;
  EXPECT_EQ(2u, target.launches());
}

TEST_F(SessionsTest, ABootThatFailsFailsItsOwnTestsOnly) {
  ScriptedTarget target({Passes({"A", "B"})});
  ScriptedTarget off({{{}, {.reason = "panicked"}}});
  Sessions sessions = Make(target, &off);
  sessions.Begin({"A", "Off", "B", "Off2"});
  EXPECT_TRUE(sessions.Run("A").Passed());
  EXPECT_EQ(FailureKind::kNotRun, sessions.Run("Off").failure_kind);
  EXPECT_TRUE(sessions.Run("B").Passed());
  EXPECT_EQ(FailureKind::kNotRun, sessions.Run("Off2").failure_kind);
  EXPECT_EQ(1u, off.launches());
}

TEST_F(SessionsTest, BadInputOfTheSecondIsToldEachTime) {
  const ScriptedTarget::Script bad{.bad_input = true};
  ScriptedTarget target({Passes({"A"})});
  ScriptedTarget off({bad, bad});
  Sessions sessions = Make(target, &off);
  sessions.Begin({"A", "Off", "Off2"});
  EXPECT_TRUE(sessions.Run("A").Passed());
  EXPECT_EQ("no such kernel", MessageOf<vm::RunError>([&] { sessions.Run("Off"); }));
  EXPECT_EQ("no such kernel", MessageOf<vm::RunError>([&] { sessions.Run("Off2"); }));
}

TEST_F(SessionsTest, WhatTheDevicesOfBothMetIsKept) {
  ScriptedTarget::Script first = Passes({"A"});
  first.end.device_complaints = {"gpu0: one"};
  ScriptedTarget::Script second = Passes({"Off"});
  second.end.device_complaints = {"gpu0: two"};
  ScriptedTarget target({first});
  ScriptedTarget off({second});
  Sessions sessions = Make(target, &off);
  sessions.Begin({"A", "Off"});
  sessions.Run("A");
  sessions.Run("Off");
  sessions.Finish();
  EXPECT_THAT(sessions.device_complaints(), ElementsAre("gpu0: one", "xnack-off, gpu0: two"));
}

TEST_F(SessionsTest, RepeatedRunsKeepTheirBoots) {
  ScriptedTarget target({Passes({"A", "A"})});
  ScriptedTarget off({Passes({"Off", "Off"})});
  Sessions sessions = Make(target, &off);
  for (int i = 0; i < 2; ++i) {
    sessions.Begin({"A", "Off"});
    EXPECT_TRUE(sessions.Run("A").Passed());
    EXPECT_TRUE(sessions.Run("Off").Passed());
  }
  EXPECT_EQ(1u, target.launches());
  EXPECT_EQ(1u, off.launches());
}

TEST_F(SessionsTest, AnotherOrderIsRefused) {
  ScriptedTarget target({Passes({"A"})});
  ScriptedTarget off({});
  Sessions sessions = Make(target, &off);
  sessions.Begin({"A", "Off"});
  EXPECT_THROW(sessions.Run("Off"), std::logic_error);
}

}  // namespace
}  // namespace kfdcts::harness
