#include "harness/run/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/program_run.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::ProgramRun;

/// Seven cases of one test, then one test without any.
TestRegistry Eight() {
  TestRegistry registry;
  TestDefinition many;
  many.suite = "Suite";
  many.name = "Many";
  many.file = "a.cpp";
  many.spec.scope = Scope::kCpu;
  many.cases = {"a", "b", "c", "d", "e", "f", "g"};
  registry.Add(many);
  TestDefinition one;
  one.suite = "Suite";
  one.name = "One";
  one.file = "b.cpp";
  one.spec.scope = Scope::kCpu;
  one.spec.labels = "hang soak";
  registry.Add(one);
  return registry;
}

/// The letters of Many's cases that are left, and "1" for One.
std::string Left(const Selection& selection) {
  static const TestRegistry registry = Eight();
  std::string letters;
  for (const auto& test : Select(registry.Instantiate(0), selection)) {
    letters += test.definition->cases.empty() ? "1" : test.definition->cases[test.case_index];
  }
  return letters;
}

Selection Cases(int cases, std::string filter = "*") {
  return {.filter = std::move(filter), .cases = cases};
}

TEST(Selection, LeavesAllUnlessTold) { EXPECT_EQ("abcdefg1", Left({})); }

TEST(Selection, CasesAreTheFirstTheLastAndEvenlyBetween) {
  EXPECT_EQ("a1", Left(Cases(1)));
  EXPECT_EQ("ag1", Left(Cases(2)));
  EXPECT_EQ("adg1", Left(Cases(3)));
  EXPECT_EQ("aceg1", Left(Cases(4)));
  EXPECT_EQ("abcdefg1", Left(Cases(7)));
  EXPECT_EQ("abcdefg1", Left(Cases(100)));
}

TEST(Selection, EveryNumberOfCasesIsKept) {
  for (int cases = 1; cases <= 7; ++cases) {
    EXPECT_EQ(static_cast<std::size_t>(cases) + 1, Left(Cases(cases)).size()) << cases;
  }
}

TEST(Selection, CasesAreCountedAfterTheFilter) {
  EXPECT_EQ("c", Left(Cases(1, "Suite.Many/c/*:Suite.Many/e/*")));
  EXPECT_EQ("b1", Left(Cases(1, "*-Suite.Many/a/*")));
}

TEST(Selection, NamesThatAreThereAreLeft) {
  Selection selection;
  selection.names = {"Suite.Many/b/cpu", "Suite.One/cpu", "Suite.Gone/cpu"};
  EXPECT_EQ("b1", Left(selection));
  selection.names->clear();
  EXPECT_EQ("", Left(selection));
}

TEST(Selection, LabelsAreWantedOrLeftOut) {
  Selection selection;
  selection.labels = {"soak", "hang"};
  EXPECT_EQ("1", Left(selection));
  selection.exclude_labels = {"hang"};
  EXPECT_EQ("", Left(selection));
  selection.labels.clear();
  EXPECT_EQ("abcdefg", Left(selection));
}

TEST(Selection, FlagLimitsListAndRun) {
  const ProgramRun list({"--cases=1", "--gtest_list_tests", "--gtest_filter=Good.*"});
  EXPECT_EQ(0, list.exit_code()) << list.errors();
  EXPECT_THAT(list.output(), HasSubstr("Cases/one/cpu"));
  EXPECT_THAT(list.output(), Not(HasSubstr("Cases/two/cpu")));
  ProgramRun run({"--cases=1", "--gtest_filter=Good.Cases/two*:Good.Passes*"});
  EXPECT_EQ("passed", run.Verdict("Good.Cases/two/cpu"));
  EXPECT_THAT(run.output(), HasSubstr("2 passed, 0 failed"));
}

}  // namespace
}  // namespace kfdcts::harness
