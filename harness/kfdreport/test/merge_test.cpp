#include "harness/kfdreport/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/kfdreport/test/support.h"

namespace kfdcts::report {
namespace {

Run OneCase(const std::string& file, Verdict verdict, const std::string& machine = "m") {
  Run run{file, {{"machine", machine}}, {}};
  Case one;
  one.suite = "S";
  one.name = "a";
  one.verdict = verdict;
  one.message = file;
  run.cases.push_back(one);
  return run;
}

/// The verdict of a case that came as each of `verdicts`.
Case Merged(const std::vector<Verdict>& verdicts) {
  std::vector<report::Run> runs;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    runs.push_back(OneCase(std::to_string(i) + ".xml", verdicts[i]));
  }
  return Merge(std::move(runs)).at(0).cases.at(0);
}

TEST(Merge, SameVerdictsStay) {
  EXPECT_EQ(Merged({Verdict::kPass, Verdict::kPass}).verdict, Verdict::kPass);
  EXPECT_EQ(Merged({Verdict::kFail, Verdict::kFail}).verdict, Verdict::kFail);
}

TEST(Merge, DifferingVerdictsAreAFlakeThatNamesTheRuns) {
  const Case one = Merged({Verdict::kPass, Verdict::kFail, Verdict::kPass});
  EXPECT_EQ(one.verdict, Verdict::kFlake);
  EXPECT_EQ(one.PropertyOf("flake"), "pass (0.xml), fail (1.xml), pass (2.xml)");
  EXPECT_EQ(one.message, "1.xml");
  EXPECT_EQ(one.PropertyOf("repeats"), "3");
}

TEST(Merge, IterationsOfOneFileAreNamed) {
  report::Run run = OneCase("a.xml", Verdict::kPass);
  run.cases.push_back(OneCase("a.xml", Verdict::kFail).cases[0]);
  run.cases[1].properties.emplace_back("iteration", "2");
  const auto merged = Merge({run});
  EXPECT_EQ(merged[0].cases.at(0).PropertyOf("flake"), "pass (a.xml), fail (a.xml, iteration 2)");
  EXPECT_EQ(merged[0].cases.at(0).PropertyOf("iteration"), "");
}

TEST(Merge, RunsThatAllFailedAreTheWorst) {
  EXPECT_EQ(Merged({Verdict::kFail, Verdict::kCrash, Verdict::kTimeout}).verdict, Verdict::kCrash);
  EXPECT_EQ(Merged({Verdict::kFail, Verdict::kTimeout}).verdict, Verdict::kTimeout);
}

TEST(Merge, ASkipGivesWay) {
  EXPECT_EQ(Merged({Verdict::kSkip, Verdict::kPass}).verdict, Verdict::kPass);
  EXPECT_EQ(Merged({Verdict::kFail, Verdict::kSkip}).verdict, Verdict::kFail);
  EXPECT_EQ(Merged({Verdict::kSkip, Verdict::kSkip}).verdict, Verdict::kSkip);
}

TEST(Merge, AComplaintInSomePassesIsAComplaint) {
  EXPECT_EQ(Merged({Verdict::kPass, Verdict::kWarn}).verdict, Verdict::kWarn);
  EXPECT_EQ(Merged({Verdict::kWarn, Verdict::kFail}).verdict, Verdict::kFlake);
}

TEST(Merge, ExpectedFailuresThatPassAtTimesAreFlakes) {
  EXPECT_EQ(Merged({Verdict::kExpectedFail, Verdict::kUnexpectedPass}).verdict, Verdict::kFlake);
}

TEST(Merge, TimeIsTheMeanOfRunsThatRan) {
  auto slow = OneCase("a", Verdict::kPass);
  slow.cases[0].seconds = 3;
  auto fast = OneCase("b", Verdict::kPass);
  fast.cases[0].seconds = 1;
  auto skipped = OneCase("c", Verdict::kSkip);
  EXPECT_EQ(Merge({slow, fast, skipped})[0].cases[0].seconds, 2);
}

TEST(Merge, MachinesAreKeptApart) {
  const auto merged = Merge({OneCase("a", Verdict::kPass, "m1"), OneCase("b", Verdict::kFail, "m2"),
                             OneCase("c", Verdict::kPass, "m1")});
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(merged[0].file, "a, c");
  EXPECT_EQ(merged[1].cases[0].verdict, Verdict::kFail);
}

TEST(Merge, HostsAreToldApartByTheirGpusGuestsAreNot) {
  auto first = OneCase("a", Verdict::kPass, "host");
  auto second = OneCase("b", Verdict::kPass, "host");
  first.properties["gpu0"] = "gfx900, gpu id 1";
  second.properties["gpu0"] = "gfx90a, gpu id 2";
  EXPECT_EQ(Merge({first, second}).size(), 2U);
  first.properties["target"] = second.properties["target"] = "vm";
  EXPECT_EQ(Merge({first, second}).size(), 1U);
}

TEST(Merge, PropertiesThatDifferAreListed) {
  auto first = OneCase("a", Verdict::kPass);
  auto second = OneCase("b", Verdict::kPass);
  auto third = OneCase("c", Verdict::kPass);
  first.properties["seed"] = "11";
  second.properties["seed"] = "1";
  third.properties["seed"] = "11";
  first.properties["timestamp"] = "2026-02-01";
  second.properties["timestamp"] = "2026-01-01";
  const auto merged = Merge({first, second, third});
  EXPECT_EQ(merged[0].PropertyOf("seed"), "11; 1");
  EXPECT_EQ(merged[0].PropertyOf("timestamp"), "2026-01-01");
}

TEST(Merge, ManyRepeatsOfManyCases) {
  std::vector<report::Run> runs;
  for (int repeat = 0; repeat < 3; ++repeat) {
    report::Run run{"r" + std::to_string(repeat), {}, {}};
    for (int i = 0; i < 10'000; ++i) {
      run.cases.emplace_back();
      run.cases.back().name = std::to_string(i);
    }
    runs.push_back(std::move(run));
  }
  const auto merged = Merge(std::move(runs));
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged[0].cases.size(), 10'000U);
}

}  // namespace
}  // namespace kfdcts::report
