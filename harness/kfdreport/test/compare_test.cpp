#include "harness/kfdreport/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kfdcts::report {
namespace {

Run RunOf(std::vector<Case> cases, std::map<std::string, std::string> properties = {}) {
  return {"f", std::move(properties), std::move(cases)};
}

Case CaseOf(const std::string& name, Verdict verdict, double seconds = 0) {
  Case one;
  one.suite = "S";
  one.name = name;
  one.verdict = verdict;
  one.seconds = seconds;
  return one;
}

/// Whether going from one verdict to the other fails the comparison.
bool Regresses(Verdict from, Verdict to, bool strict = false) {
  const std::vector<report::Run> base = {RunOf({CaseOf("a", from)})};
  const std::vector<report::Run> patch = {RunOf({CaseOf("a", to)})};
  const CompareOptions options{.strict = strict};
  return IsRegression(Compare(base, patch, options), options);
}

TEST(Compare, NewFailuresAreRegressions) {
  for (const Verdict bad : {Verdict::kFail, Verdict::kCrash, Verdict::kTimeout}) {
    for (const Verdict good : {Verdict::kPass, Verdict::kSkip, Verdict::kExpectedFail,
                               Verdict::kUnexpectedPass, Verdict::kWarn}) {
      EXPECT_TRUE(Regresses(good, bad)) << NameOf(good) << " " << NameOf(bad);
      EXPECT_FALSE(Regresses(bad, good)) << NameOf(bad) << " " << NameOf(good);
    }
    EXPECT_FALSE(Regresses(bad, bad));
  }
}

TEST(Compare, BecomingWorseIsARegression) {
  EXPECT_TRUE(Regresses(Verdict::kFail, Verdict::kTimeout));
  EXPECT_TRUE(Regresses(Verdict::kFail, Verdict::kCrash));
  EXPECT_TRUE(Regresses(Verdict::kTimeout, Verdict::kCrash));
  EXPECT_FALSE(Regresses(Verdict::kCrash, Verdict::kFail));
}

TEST(Compare, ANewComplaintOfTheKernelIsARegression) {
  EXPECT_TRUE(Regresses(Verdict::kPass, Verdict::kWarn));
  EXPECT_FALSE(Regresses(Verdict::kWarn, Verdict::kPass));
}

TEST(Compare, FlakesAreNoRegression) {
  EXPECT_FALSE(Regresses(Verdict::kPass, Verdict::kFlake));
  EXPECT_FALSE(Regresses(Verdict::kFlake, Verdict::kFail));
}

TEST(Compare, SkipsAreRegressionsWhereAskedFor) {
  EXPECT_FALSE(Regresses(Verdict::kPass, Verdict::kSkip));
  EXPECT_TRUE(Regresses(Verdict::kPass, Verdict::kSkip, true));
  EXPECT_FALSE(Regresses(Verdict::kSkip, Verdict::kPass, true));
}

TEST(Compare, TestsThatComeAndGo) {
  const std::vector<report::Run> base = {
      RunOf({CaseOf("a", Verdict::kPass), CaseOf("b", Verdict::kPass)})};
  const std::vector<report::Run> patch = {
      RunOf({CaseOf("a", Verdict::kPass), CaseOf("c", Verdict::kFail)})};
  const auto pairs = Compare(base, patch, {});
  ASSERT_EQ(pairs.at(0).differences.size(), 2U);
  EXPECT_EQ(pairs[0].differences[0].change, Change::kRegression);
  EXPECT_EQ(pairs[0].differences[1].change, Change::kGone);
  EXPECT_TRUE(IsRegression(pairs, {}));
  const auto back = Compare(patch, base, {});
  EXPECT_FALSE(IsRegression(back, {}));
  EXPECT_TRUE(IsRegression(back, {.strict = true}));
}

TEST(Compare, SlowerNeedsBothThresholds) {
  const auto slower = [](double before, double after) {
    const std::vector<report::Run> base = {RunOf({CaseOf("a", Verdict::kPass, before)})};
    const std::vector<report::Run> patch = {RunOf({CaseOf("a", Verdict::kPass, after)})};
    const auto pairs = Compare(base, patch, {.slower_factor = 2, .slower_seconds = 1});
    EXPECT_FALSE(IsRegression(pairs, {}));
    return !pairs[0].differences.empty();
  };
  EXPECT_TRUE(slower(1, 3));
  EXPECT_FALSE(slower(0.1, 0.9));
  EXPECT_FALSE(slower(10, 15));
  EXPECT_FALSE(slower(3, 1));
  EXPECT_TRUE(slower(0, 1.5));
}

using Properties = std::map<std::string, std::string>;

TEST(Compare, PairsTheSameConfigurationFirst) {
  const Properties one = {{"machine", "m1"}, {"kernel_release", "6.1"}, {"thunk", "t1"}};
  const Properties two = {{"machine", "m1"}, {"kernel_release", "6.1"}, {"thunk", "t2"}};
  const Properties three = {{"machine", "m1"}, {"kernel_release", "7.3"}, {"thunk", "t3"}};
  const std::vector<report::Run> base = {RunOf({}, one), RunOf({}, three)};
  const std::vector<report::Run> patch = {RunOf({}, three), RunOf({}, two)};
  const auto pairs = Compare(base, patch, {});
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].base, &base[1]);
  EXPECT_EQ(pairs[0].patch, &patch[0]);
  EXPECT_EQ(pairs[1].base, &base[0]);
  EXPECT_EQ(pairs[1].patch, &patch[1]);
}

TEST(Compare, WhatCouldBeTwoIsPairedWithNeither) {
  const std::vector<report::Run> base = {RunOf({}, {{"machine", "m1"}, {"thunk", "t1"}})};
  const std::vector<report::Run> patch = {RunOf({}, {{"machine", "m1"}, {"thunk", "t2"}}),
                                          RunOf({}, {{"machine", "m1"}, {"thunk", "t3"}})};
  const auto pairs = Compare(base, patch, {});
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].patch, nullptr);
  EXPECT_EQ(pairs[1].base, nullptr);
}

TEST(Compare, AFailureOfAConfigurationWithoutPartnerIsARegression) {
  const std::vector<report::Run> base = {RunOf({}, {{"machine", "m1"}})};
  const std::vector<report::Run> patch = {
      RunOf({}, {{"machine", "m1"}}), RunOf({CaseOf("a", Verdict::kFail)}, {{"machine", "m2"}})};
  EXPECT_TRUE(IsRegression(Compare(base, patch, {}), {}));
  EXPECT_FALSE(IsRegression(Compare(patch, base, {}), {}));
}

}  // namespace
}  // namespace kfdcts::report
