#include "harness/report/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/temporary_folder.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing_support::MessageOf;
using testing_support::TemporaryFolder;

struct GlobCase {
  const char* name;
  const char* glob;
  const char* text;
  bool matches;
};

class Glob : public testing::TestWithParam<GlobCase> {};

TEST_P(Glob, Matches) {
  EXPECT_EQ(GetParam().matches, GlobMatches(GetParam().glob, GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(Cases, Glob,
                         testing::Values(GlobCase{"equal", "abc", "abc", true},
                                         GlobCase{"prefix", "ab", "abc", false},
                                         GlobCase{"star_at_end", "ab*", "abc", true},
                                         GlobCase{"star_matches_nothing", "abc*", "abc", true},
                                         GlobCase{"star_in_middle", "a*c", "abbbc", true},
                                         GlobCase{"star_goes_back", "*ab", "aab", true},
                                         GlobCase{"two_stars", "a*b*c", "aXbYbZc", true},
                                         GlobCase{"question_mark", "a?c", "abc", true},
                                         GlobCase{"question_mark_needs_one", "a?", "a", false},
                                         GlobCase{"nothing", "", "", true},
                                         GlobCase{"nothing_for_text", "", "a", false},
                                         GlobCase{"star_for_nothing", "*", "", true},
                                         GlobCase{"no_special_dot", "a.c", "abc", false}),
                         [](const auto& test) { return test.param.name; });

constexpr const char* kList = R"(fails:
  - pattern: PointerInfo.Scratch/*
    thunk: "*libhsakmt1 5.2*"
    cause: BUG-7
  - pattern: "*"
    machine: vega10x2
    kernel: 6.1.*
    cause: no SVM
)";

TEST(Expectations, WhatCrashesIsTrueOrFalse) {
  const TemporaryFolder folder;
  const auto load = [&](const std::string& word) {
    Expectations list;
    list.Load(
        folder.Write("list.yaml", "fails:\n  - {pattern: A.B, cause: c, crashes: " + word + "}\n"));
    return list.Find("A.B", {})->crashes;
  };
  EXPECT_TRUE(load("true"));
  EXPECT_FALSE(load("false"));
  EXPECT_THAT(MessageOf<FixtureError>([&] { load("maybe"); }),
              HasSubstr("crashes: is neither true nor false"));
}

RunInfo RunOn(const char* machine, const char* kernel, const char* thunk) {
  RunInfo run;
  run.machine = machine;
  run.kernel_release = kernel;
  run.thunk_identity = thunk;
  return run;
}

TEST(Expectations, AllPatternsOfAnEntryMustMatch) {
  const TemporaryFolder folder;
  Expectations list;
  list.Load(folder.Write("list.yaml", kList));
  const auto debian = RunOn("vega10", "7.3.4", "libhsakmt.so.1.0.6, package libhsakmt1 5.2.3-2");
  ASSERT_NE(nullptr, list.Find("PointerInfo.Scratch/gpu0", debian));
  EXPECT_EQ("BUG-7", list.Find("PointerInfo.Scratch/gpu0", debian)->cause);
  EXPECT_EQ(nullptr, list.Find("PointerInfo.Other/gpu0", debian));
  EXPECT_EQ(nullptr, list.Find("PointerInfo.Scratch/gpu0", RunOn("vega10", "7.3.4", "other")));
  EXPECT_NE(nullptr, list.Find("Any.Test/gpu0", RunOn("vega10x2", "6.1.0-57-amd64", "other")));
  EXPECT_EQ(nullptr, list.Find("Any.Test/gpu0", RunOn("vega10x2", "6.10.0", "other")));
}

constexpr const char* kThreeLists = R"(fails:
  - {pattern: A.*, cause: always}
flakes:
  - {pattern: A.Flaky/*, cause: a race, rate: 1 of 20, kernel: 7.3.*, seen: [kernel 7.3.4]}
skips:
  - {pattern: A.Slow/*, machine: vega*, cause: takes a day}
)";

TEST(Expectations, AFlakeOutweighsAFailureAndSkipsAreApart) {
  const TemporaryFolder folder;
  Expectations list;
  list.Load(folder.Write("list.yaml", kThreeLists));
  const auto run = RunOn("vega10", "7.3.4", "any");
  ASSERT_NE(nullptr, list.Find("A.Flaky/gpu0", run));
  EXPECT_EQ(Expectation::Kind::kFlakes, list.Find("A.Flaky/gpu0", run)->kind);
  EXPECT_DOUBLE_EQ(0.05, list.Find("A.Flaky/gpu0", run)->rate);
  EXPECT_EQ(std::vector<std::string>{"kernel 7.3.4"}, list.Find("A.Flaky/gpu0", run)->seen);
  EXPECT_EQ(Expectation::Kind::kFails,
            list.Find("A.Flaky/gpu0", RunOn("vega10", "6.1.0", ""))->kind);
  ASSERT_NE(nullptr, list.FindSkip("A.Slow/gpu0", run));
  EXPECT_EQ("takes a day", list.FindSkip("A.Slow/gpu0", run)->cause);
  EXPECT_EQ(nullptr, list.FindSkip("A.Slow/gpu0", RunOn("host", "7.3.4", "any")));
  EXPECT_EQ(nullptr, list.FindSkip("A.Flaky/gpu0", run));
}

TEST(Expectations, ARecordLearnsWhatIsExpectedOfIt) {
  const TemporaryFolder folder;
  Expectations list;
  list.Load(folder.Write("list.yaml", kThreeLists));
  TestRecord flake;
  flake.suite = "A";
  flake.name = "Flaky/gpu0";
  flake.failures.push_back({"", 0, "failed", true});
  list.Expect(flake, RunOn("vega10", "7.3.4", ""));
  EXPECT_TRUE(flake.ExpectedFailure());
  flake.failures.clear();
  EXPECT_FALSE(flake.UnexpectedPass()) << "a flake may pass";
  TestRecord failing;
  failing.suite = "A";
  failing.name = "Other/gpu0";
  list.Expect(failing, RunOn("vega10", "7.3.4", ""));
  EXPECT_TRUE(failing.UnexpectedPass());
}

TEST(Expectations, RatesAreShares) {
  EXPECT_DOUBLE_EQ(0.05, ParseRate("1 of 20").value_or(0));
  EXPECT_DOUBLE_EQ(0.25, ParseRate("0.25").value_or(0));
  for (const char* odd : {"", "0", "1", "2", "-0.5", "nan", "1 of 1", "3 of 2", "0 of 3", "1 of 0",
                          "1.5 of 3", "1 of", "one of two", "0.5x", "1 of 20 runs"}) {
    EXPECT_FALSE(ParseRate(odd)) << odd;
  }
}

TEST(Expectations, ShippedListsAreWhole) {
  Expectations list;
  list.LoadFolder(vm::ShareFolder() / "fixtures" / "expectations");
  EXPECT_LT(50u, list.entries().size());
  const auto* race = list.Find("SvmVectors.Sequence/s0116/cpu", RunOn("", "7.3.4+deb13-amd64", ""));
  ASSERT_NE(nullptr, race);
  EXPECT_EQ(Expectation::Kind::kFlakes, race->kind);
  EXPECT_TRUE(race->hangs);
}

struct MalformedCase {
  const char* name;
  const char* content;
  const char* error;  ///< What follows the file's name.
};

class MalformedExpectations : public testing::TestWithParam<MalformedCase> {};

TEST_P(MalformedExpectations, AreRefusedWithFileLineAndKey) {
  const TemporaryFolder folder;
  const auto file = folder.Write("list.yaml", GetParam().content);
  Expectations list;
  EXPECT_THAT(MessageOf<FixtureError>([&] { list.Load(file); }),
              HasSubstr(file.string() + GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MalformedExpectations,
    testing::Values(
        MalformedCase{"unknown_key", "fails:\n  - pattern: a\n    couse: b\n    cause: c\n",
                      ":3: couse: unknown key"},
        MalformedCase{"no_cause", "fails:\n  - pattern: a\n", ":2: cause: missing"},
        MalformedCase{"empty_pattern", "fails:\n  - pattern:\n    cause: b\n",
                      ":2: pattern: a text was expected"},
        MalformedCase{"no_list", "fails: 3\n", ":1: fails: a list"},
        MalformedCase{"no_mapping", "- a\n", ":1: a mapping was expected"},
        MalformedCase{"other_root", "expected:\n  - a\n", ":1: expected: unknown key"},
        MalformedCase{"twice", "fails:\n  - pattern: a\n    pattern: b\n    cause: c\n",
                      ":3: pattern: given twice"},
        MalformedCase{"rate_of_a_failure", "fails:\n  - {pattern: a, cause: b, rate: 0.5}\n",
                      ":2: rate: unknown key"},
        MalformedCase{"crash_of_a_skip", "skips:\n  - {pattern: a, cause: b, crashes: true}\n",
                      ":2: crashes: unknown key"},
        MalformedCase{"odd_rate", "flakes:\n  - pattern: a\n    cause: b\n    rate: often\n",
                      ":4: rate: is neither \"1 of 20\" nor a number between 0 and 1"},
        MalformedCase{"seen_nowhere", "flakes:\n  - {pattern: a, cause: b, seen: []}\n",
                      ":2: seen: names no version"},
        MalformedCase{"seen_on_what", "fails:\n  - {pattern: a, cause: b, seen: [7.3.4-1]}\n",
                      ":2: seen: "},
        MalformedCase{"seen_elsewhere",
                      "fails:\n  - pattern: a\n    kernel: 6.1.*\n    cause: b\n"
                      "    seen: [kernel 7.3.4]\n",
                      ":5: seen: \"kernel 7.3.4\" is not among kernel: 6.1.*"},
        MalformedCase{"no_yaml", "fails: [\n", ":2:"}),
    [](const auto& test) { return test.param.name; });

TEST(Expectations, MissingFileIsNamed) {
  Expectations list;
  EXPECT_EQ("/no/such.yaml: cannot be read",
            MessageOf<FixtureError>([&] { list.Load("/no/such.yaml"); }));
}

TEST(Expectations, FolderIsReadInOrderOfNamesAndNeedNotExist) {
  const TemporaryFolder folder;
  folder.Write("b.yaml", "fails:\n  - {pattern: x, cause: second}\n");
  folder.Write("a.yaml", "fails:\n  - {pattern: x, cause: first}\n");
  folder.Write("notes.txt", "no yaml");
  Expectations list;
  list.LoadFolder(folder.path());
  list.LoadFolder(folder.path() / "missing");
  EXPECT_EQ(2u, list.entries().size());
  EXPECT_EQ("first", list.Find("x", {})->cause);
}

}  // namespace
}  // namespace kfdcts::harness
