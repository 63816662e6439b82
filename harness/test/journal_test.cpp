#include "harness/run/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing_support::MessageOf;
using testing_support::TemporaryFolder;

class JournalTest : public testing::Test {
 protected:
  static TestRecord Record(const char* name) {
    TestRecord record;
    record.suite = "S";
    record.name = name;
    record.failures = {{"a.cpp", 3, "wrong \xff", true}};
    record.failure_kind = FailureKind::kTimeLimit;
    record.kernel_log = {"line"};
    record.properties = {{"k", "v"}};
    record.duration = std::chrono::milliseconds(12);
    return record;
  }

  Journal Begun() {
    return Journal(folder_.path(), {{"--isolate"}, "/", {{"GTEST_X", "1"}}, 7, "id", true}, "a");
  }
  std::string Content() const {
    std::ifstream in(folder_.path() / kJournalFile);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Append(const std::string& text) const {
    std::ofstream(folder_.path() / kJournalFile, std::ios::app) << text;
  }
  std::string Damage() const {
    return MessageOf<JournalError>([&] { Journal(folder_.path(), "b"); });
  }

  TemporaryFolder folder_;
};

TEST_F(JournalTest, ARunGoesOnWhereItWas) {
  {
    Journal journal = Begun();
    journal.Plan(1, {"S.A", "S.B", "S.C"});
    journal.Begin("S.A", 1);
    journal.End(Record("A"));
    journal.Begin("S.B", 1);
  }
  Journal journal(folder_.path(), "b");
  EXPECT_EQ(7u, journal.head().seed);
  EXPECT_EQ("1", journal.head().environment.at("GTEST_X"));
  const auto finished = journal.Finished("S.A", 1);
  ASSERT_TRUE(finished);
  EXPECT_EQ("a.cpp", finished->failures.at(0).file);
  EXPECT_EQ(FailureKind::kTimeLimit, finished->failure_kind);
  EXPECT_EQ(12, finished->duration.count());
  EXPECT_EQ("v", finished->properties.at(0).second);
  EXPECT_FALSE(journal.Finished("S.A", 2));
  EXPECT_THAT(journal.TookDown("S.B", 1)->failures.at(0).message,
              HasSubstr("took the machine down: it ran in boot a, and this is b"));
  EXPECT_FALSE(journal.TookDown("S.C", 1));
}

TEST_F(JournalTest, InTheSameBootTheRunWasKilled) {
  Begun().Begin("S.B", 1);
  Journal journal(folder_.path(), "a");
  EXPECT_THAT(journal.TookDown("S.B", 1)->failures.at(0).message, HasSubstr("the run was killed"));
}

TEST_F(JournalTest, AForgottenTestRuns) {
  {
    Journal journal = Begun();
    journal.Begin("S.B", 1);
    journal.Forget("S.B", 1);
  }
  EXPECT_FALSE(Journal(folder_.path(), "b").TookDown("S.B", 1));
}

TEST_F(JournalTest, TheLastRecordIsValid) {
  {
    Journal journal = Begun();
    journal.End(Record("A"));
    TestRecord again = Record("A");
    again.runs = {"fail", "pass"};
    journal.End(again);
  }
  EXPECT_EQ(2u, Journal(folder_.path(), "b").Finished("S.A", 1)->runs.size());
}

TEST_F(JournalTest, AnUnfinishedLastLineIsDropped) {
  Begun().End(Record("A"));
  Append("{\"begin\":\"S.B\",\"iter");
  {
    Journal journal(folder_.path(), "b");
    EXPECT_TRUE(journal.Finished("S.A", 1));
    EXPECT_FALSE(journal.TookDown("S.B", 1));
  }
  EXPECT_THAT(Content(), testing::EndsWith("{\"resumed\":\"b\"}\n"));
  EXPECT_EQ("", Damage());
}

TEST_F(JournalTest, OtherDamageIsToldWithItsLine) {
  Begun();
  Append("garbage\n{\"begin\":\"S.B\",\"iteration\":1}\n");
  EXPECT_THAT(Damage(), HasSubstr("journal.jsonl, line 2: the journal is damaged"));
}

TEST_F(JournalTest, WhatIsNoJournalIsRefused) {
  EXPECT_THAT(Damage(), HasSubstr("no journal of a run"));
  Append("");
  EXPECT_THAT(Damage(), HasSubstr("empty"));
  Append("{\"begin\":\"S.B\",\"iteration\":1}\n");
  EXPECT_THAT(Damage(), HasSubstr("line 1: the journal is damaged: no head"));
}

TEST_F(JournalTest, OtherTestsThanPlannedAreRefused) {
  Begun().Plan(1, {"S.A", "S.B"});
  Journal journal(folder_.path(), "b");
  journal.Plan(1, {"S.A", "S.B"});
  EXPECT_THAT(MessageOf<JournalError>([&] {
                journal.Plan(1, {"S.B", "S.A"});
              }),
              HasSubstr("chose other tests"));
  journal.Plan(2, {"S.B"});
}

TEST(TestListId, DiffersWithNamesAndOrder) {
  EXPECT_EQ(TestListId({"a", "b"}), TestListId({"a", "b"}));
  EXPECT_NE(TestListId({"a", "b"}), TestListId({"b", "a"}));
  EXPECT_NE(TestListId({"a", "b"}), TestListId({"ab"}));
}

}  // namespace
}  // namespace kfdcts::harness
