#include "harness/report/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/temporary_folder.h"

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

constexpr const char* kList = R"(expected_failures:
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
    list.Load(folder.Write(
        "list.yaml", "expected_failures:\n  - {pattern: A.B, cause: c, crashes: " + word + "}\n"));
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
        MalformedCase{"unknown_key",
                      "expected_failures:\n  - pattern: a\n    couse: b\n    cause: c\n",
                      ":3: couse: unknown key"},
        MalformedCase{"no_cause", "expected_failures:\n  - pattern: a\n", ":2: cause: missing"},
        MalformedCase{"empty_pattern", "expected_failures:\n  - pattern:\n    cause: b\n",
                      ":2: pattern: a text was expected"},
        MalformedCase{"no_list", "expected_failures: 3\n", ":1: expected_failures: a list"},
        MalformedCase{"no_mapping", "- a\n", ":1: a mapping was expected"},
        MalformedCase{"other_root", "expected:\n  - a\n", ":1: expected: unknown key"},
        MalformedCase{"twice", "expected_failures:\n  - pattern: a\n    pattern: b\n    cause: c\n",
                      ":3: pattern: given twice"},
        MalformedCase{"no_yaml", "expected_failures: [\n", ":2:"}),
    [](const auto& test) { return test.param.name; });

TEST(Expectations, MissingFileIsNamed) {
  Expectations list;
  EXPECT_EQ("/no/such.yaml: cannot be read",
            MessageOf<FixtureError>([&] { list.Load("/no/such.yaml"); }));
}

TEST(Expectations, FolderIsReadInOrderOfNamesAndNeedNotExist) {
  const TemporaryFolder folder;
  folder.Write("b.yaml", "expected_failures:\n  - {pattern: x, cause: second}\n");
  folder.Write("a.yaml", "expected_failures:\n  - {pattern: x, cause: first}\n");
  folder.Write("notes.txt", "no yaml");
  Expectations list;
  list.LoadFolder(folder.path());
  list.LoadFolder(folder.path() / "missing");
  EXPECT_EQ(2u, list.size());
  EXPECT_EQ("first", list.Find("x", {})->cause);
}

}  // namespace
}  // namespace kfdcts::harness
