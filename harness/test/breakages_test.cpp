// The pieces of `kfdcts breakages`: choice of tests, verdicts, report.
#include <gmock/gmock.h>

#include <set>

#include "harness/breakages/choice.h"
#include "harness/breakages/report.h"
#include "harness/breakages/thunk_kind.h"
#include "harness/breakages/verdict.h"
#include "harness/test/records.h"
#include "harness/test/temporary_folder.h"
#include "harness/thunk/thunk.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::Failed;
using testing_support::MessageOf;
using testing_support::Passed;
using testing_support::Skipped;
using testing_support::TemporaryFolder;
using Kind = BreakageVerdict::Kind;

const Breakage kOne{"One", {"PTR-1"}, "it is broken"};
const Breakage kBoth{"Both", {"PTR-1", "USR-1"}, "both are broken"};

TEST(BreakageVerdict, CaughtByATestOfItsRule) {
  const auto verdict = Judge(kOne, {Failed("A", {"PTR-2"}), Failed("B", {"PTR-2", "PTR-1"})});
  EXPECT_EQ(verdict.kind, Kind::kCaught);
  EXPECT_THAT(verdict.red, ElementsAre("PointerInfo.B", "PointerInfo.A"));
  EXPECT_THAT(verdict.rules_left, IsEmpty());
}

TEST(BreakageVerdict, RedTestsOfOtherRulesAreNotEnough) {
  const auto verdict = Judge(kOne, {Failed("A", {"PTR-11"}), Passed("B", {"PTR-1"})});
  EXPECT_EQ(verdict.kind, Kind::kWrongRule);
  EXPECT_THAT(verdict.red, ElementsAre("PointerInfo.A"));
  EXPECT_THAT(verdict.rules_left, ElementsAre("PTR-1"));
}

TEST(BreakageVerdict, EachOfItsRulesWantsARedTest) {
  const auto half = Judge(kBoth, {Failed("A", {"PTR-1"}), Passed("B", {"USR-1"})});
  EXPECT_EQ(half.kind, Kind::kWrongRule);
  EXPECT_THAT(half.rules_left, ElementsAre("USR-1"));
  EXPECT_EQ(Judge(kBoth, {Failed("A", {"PTR-1"}), Failed("B", {"USR-1"})}).kind, Kind::kCaught);
}

TEST(BreakageVerdict, GreenAndSkippedTestsMissIt) {
  EXPECT_EQ(Judge(kOne, {Passed("A", {"PTR-1"}), Skipped("B")}).kind, Kind::kMissed);
  EXPECT_EQ(Judge(kOne, {}).kind, Kind::kMissed);
}

TEST(BreakageVerdict, ATestThatWasNotRunIsNotRed) {
  TestRecord record = Failed("A", {"PTR-1"});
  record.failure_kind = FailureKind::kNotRun;
  EXPECT_EQ(Judge(kOne, {record}).kind, Kind::kMissed);
  record.failure_kind = FailureKind::kTimeLimit;
  EXPECT_EQ(Judge(kOne, {record}).kind, Kind::kCaught);
}

class BreakageChoice : public testing::Test {
 protected:
  BreakageChoice() {
    Add("PointerInfo", "Fresh", "PTR-1", Scope::kCpu, Process::kFresh);
    Add("PointerInfo", "Each", "PTR-1 PTR-2", Scope::kEachGpu);
    Add("PointerInfo", "Pair", "PTR-1", Scope::kEachGpuPair);
    Add("UserData", "Set", "USR-1", Scope::kFirstGpu);
    Add("Prefetch", "Split", "PTR-1", Scope::kCpu);
  }

  void Add(const char* suite, const char* name, const char* rules, Scope scope,
           Process process = Process::kShared) {
    TestDefinition definition;
    definition.suite = suite;
    definition.name = name;
    definition.file = suite;
    definition.spec.rules = rules;
    definition.spec.scope = scope;
    definition.spec.process = process;
    registry_.Add(definition);
  }

  static std::vector<std::string> Names(const std::vector<TestInstance>& tests) {
    std::vector<std::string> names;
    for (const auto& test : tests) names.push_back(test.name);
    return names;
  }

  TestRegistry registry_;
  BreakageKind kind_ = ThunkBreakages();
};

TEST_F(BreakageChoice, FilterAndSuitesNarrowAndFreshProcessesComeLast) {
  const auto tests = TestsFor(kind_, "-*/gpu1:*_gpu2", registry_.Instantiate(3));
  EXPECT_THAT(Names(tests),
              ElementsAre("Each/gpu0", "Each/gpu2", "Pair/gpu0_gpu1", "Set/gpu0", "Fresh/cpu"));
}

TEST_F(BreakageChoice, TestsOfOtherRulesAreLeftOut) {
  Add("PointerInfo", "Elsewhere", "PRE-1", Scope::kCpu);
  EXPECT_THAT(Names(TestsFor(kind_, "*", registry_.Instantiate(1))),
              Not(Contains("Elsewhere/cpu")));
}

TEST_F(BreakageChoice, TestsOfItsRulesOnTheFirstGpusAreAskedFirst) {
  const auto tests = TestsFor(kind_, "*", registry_.Instantiate(3));
  const Choice choice = Choose(kOne, tests);
  EXPECT_THAT(Names(choice.first), ElementsAre("Each/gpu0", "Pair/gpu0_gpu1", "Fresh/cpu"));
  EXPECT_THAT(Names(choice.others), ElementsAre("Each/gpu1", "Each/gpu2", "Pair/gpu0_gpu2",
                                                "Pair/gpu1_gpu2", "Set/gpu0"));
}

TEST_F(BreakageChoice, NamesAreGlobs) {
  EXPECT_EQ(Named(kind_, "").size(), kind_.breakages.size());
  EXPECT_EQ(Named(kind_, "SizeRounded").size(), 1U);
  EXPECT_THAT(Named(kind_, "SizeRound"), IsEmpty());
}

TEST(BreakageReport, SaysWhoWasRedAndWhatWasNot) {
  const auto verdict = Judge(kBoth, {Failed("A", {"PTR-1"})});
  const std::string text = Describe(kBoth, verdict, std::chrono::milliseconds(2150));
  EXPECT_THAT(text, HasSubstr("WRONG RULE 1 red, 2.1 s: both are broken\n"));
  EXPECT_THAT(text, HasSubstr("\n    no red test of USR-1\n    PointerInfo.A\n"));
}

TEST(BreakageReport, ShareIsRoundedDown) {
  EXPECT_EQ("caught 80 of 81 (98 %)\n", Describe({81, 80}));
  EXPECT_FALSE(Tally({81, 80}).AllCaught());
  EXPECT_TRUE(Tally({81, 81}).AllCaught());
  EXPECT_FALSE(Tally({0, 0}).AllCaught());
}

TEST(BreakageReport, WhatFailsAsExpectedIsToldApart) {
  TestRecord known = Failed("B");
  known.expected_cause = "BUG-47";
  EXPECT_THAT(DescribeWhole({Passed("A"), known}),
              HasSubstr("\n    left out, fails as expected: PointerInfo.B\n"));
}

TEST(BreakageReport, WhatFailsWholeIsNamed) {
  const auto text = DescribeWhole({Passed("A"), Failed("B"), Skipped("C")});
  EXPECT_THAT(text, HasSubstr("with nothing broken: 1 passed, 1 failed, 1 skipped\n"));
  EXPECT_THAT(text, HasSubstr("PointerInfo.B\n        Expected: 1"));
}

TEST(ThunkBreakages, EveryRuleOfPointersAndUserDataHasOne) {
  const auto book = RuleBook::Load(vm::ShareFolder() / "fixtures" / "spec");
  const BreakageKind kind = ThunkBreakages();
  CheckRules(kind, book);
  std::set<std::string> broken;
  for (const auto& one : kind.breakages) broken.insert(one.rules.begin(), one.rules.end());
  for (const auto& rule : book.rules()) {
    if (rule.family != "PTR" && rule.family != "USR") continue;
    EXPECT_TRUE(broken.contains(rule.id)) << rule.id;
  }
}

TEST(ThunkBreakages, UnknownRulesAreRefused) {
  const auto book = RuleBook::Load(vm::ShareFolder() / "fixtures" / "spec");
  BreakageKind kind = ThunkBreakages();
  kind.breakages.front().rules = {"PTR-999"};
  EXPECT_THAT(MessageOf<FixtureError>([&] { CheckRules(kind, book); }), HasSubstr("PTR-999"));
  kind.breakages.front().rules = {};
  EXPECT_THAT(MessageOf<FixtureError>([&] { CheckRules(kind, book); }), HasSubstr("no rule"));
}

TEST(ThunkBreakages, LibraryMustKnowThemAll) {
  const TemporaryFolder folder;
  const auto error = [&](const char* content) {
    const auto file = folder.Write("lib.so", std::string(content, 40));
    return MessageOf<ThunkError>([&] { CheckBreakable(file, {kOne}); });
  };
  EXPECT_THAT(error("nothing in here that is of any interest"), HasSubstr("not built with faults"));
  EXPECT_THAT(error("KFDCTS_THUNK_FAULT\0OneAndAHalf\0and more."), HasSubstr("does not know"));
  EXPECT_EQ(error("KFDCTS_THUNK_FAULT\0One\0and more than that."), "");
}

}  // namespace
}  // namespace kfdcts::harness
