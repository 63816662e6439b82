#include "harness/svm_vectors/tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing::Not;

VectorSequence Sequence(const std::string& id) {
  VectorSequence sequence;
  sequence.id = id;
  sequence.operations.resize(3);
  return sequence;
}

TestRecord Failed(FailureKind kind, int failures = 1, const std::string& cause = "") {
  TestRecord record;
  record.failure_kind = kind;
  for (int i = 0; i < failures; ++i) {
    record.failures.push_back({"", 0, "went wrong " + std::to_string(i), false});
  }
  record.expected_cause = cause;
  return record;
}

TEST(VectorTally, PassesAndWhatCouldNotRunAreClean) {
  VectorTally tally;
  TestRecord skipped;
  skipped.skipped = true;
  skipped.missing_capability = "hive";
  skipped.skip_reason = "none";
  tally.Add(Sequence("a"), {});
  tally.Add(Sequence("b"), skipped);
  tally.Add(Sequence("c"), skipped);
  tally.LeaveOut(Sequence("d"), "oops61: why");
  EXPECT_TRUE(tally.Clean());
  EXPECT_THAT(tally.Text(), HasSubstr("4 sequences, 1 ran with 3 operations, 3 could not run\n"
                                      "0 differences, 0 hangs, 0 crashes\n"));
  EXPECT_THAT(tally.Text(), HasSubstr("  2 × hive: none\n  1 × oops61: why\n"));
}

TEST(VectorTally, TenDifferencesAreShownAndAllAreCounted) {
  VectorTally tally;
  tally.Add(Sequence("a"), Failed(FailureKind::kAssertion, 12));
  EXPECT_FALSE(tally.Clean());
  EXPECT_THAT(tally.Text(), HasSubstr("went wrong 9\n  and 2 more\n"));
  EXPECT_THAT(tally.Text(), Not(HasSubstr("went wrong 10")));
  EXPECT_THAT(tally.Text(), HasSubstr("12 differences, 0 hangs, 0 crashes"));
}

TEST(VectorTally, HangsAndCrashesNameTheirSequence) {
  VectorTally tally;
  tally.Add(Sequence("a"), Failed(FailureKind::kTimeLimit));
  tally.Add(Sequence("b"), Failed(FailureKind::kGuestLost, 2));
  EXPECT_FALSE(tally.Clean());
  EXPECT_THAT(tally.Text(), HasSubstr("Hangs\n  a: went wrong 0\n"));
  EXPECT_THAT(tally.Text(), HasSubstr("Crashes\n  b: went wrong 0\n    went wrong 1\n"));
  EXPECT_THAT(tally.Text(), HasSubstr("0 differences, 1 hang, 1 crash\n"));
}

TEST(VectorTally, WhatIsExpectedIsClean) {
  VectorTally tally;
  tally.Add(Sequence("a"), Failed(FailureKind::kTimeLimit, 1, "a known bug"));
  EXPECT_TRUE(tally.Clean());
  EXPECT_THAT(tally.Text(), HasSubstr("1 hang (1 as expected)"));
  EXPECT_THAT(tally.Text(), HasSubstr("expected: a known bug"));
}

TEST(VectorTally, WhatDidNotStartIsNotClean) {
  VectorTally tally;
  tally.Add(Sequence("a"), Failed(FailureKind::kNotRun));
  EXPECT_FALSE(tally.Clean());
  EXPECT_THAT(tally.Text(), HasSubstr("1 sequence, 0 ran with 0 operations, 0 could not run"));
}

}  // namespace
}  // namespace kfdcts::harness
