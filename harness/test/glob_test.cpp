#include "harness/run/glob.h"

#include <gtest/gtest.h>

namespace kfdcts::harness {
namespace {

TEST(Glob, StarsAndQuestionMarks) {
  EXPECT_TRUE(MatchesGlob("A.*/gpu?", "A.B/c/gpu1"));
  EXPECT_TRUE(MatchesGlob("*", ""));
  EXPECT_FALSE(MatchesGlob("A.B", "A.BC"));
  EXPECT_FALSE(MatchesGlob("A.B?", "A.B"));
}

TEST(Filter, ChoosesAsGtestDoes) {
  EXPECT_TRUE(MatchesFilter("*", "A.B/cpu"));
  EXPECT_TRUE(MatchesFilter("X.*:A.*", "A.B/cpu"));
  EXPECT_FALSE(MatchesFilter("X.*:Y.*", "A.B/cpu"));
  EXPECT_FALSE(MatchesFilter("A.*-*.B/*:*.C/*", "A.B/cpu"));
  EXPECT_FALSE(MatchesFilter("A.*-*.B/*:*.C/*", "A.C/cpu"));
  EXPECT_TRUE(MatchesFilter("A.*-*.B/*:*.C/*", "A.D/cpu"));
  EXPECT_TRUE(MatchesFilter("-X.*", "A.B/cpu"));
}

}  // namespace
}  // namespace kfdcts::harness
