#include "harness/cli/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/program_run.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::ProgramRun;
using testing_support::TemporaryFolder;

std::string OutputOf(std::vector<std::string> flags) {
  const ProgramRun run(std::move(flags));
  EXPECT_EQ(0, run.exit_code()) << run.errors();
  EXPECT_FALSE(std::filesystem::exists(run.results()));
  return run.output();
}

TEST(Explain, ARuleHasItsTextItsTestsAndTheBugsBehindIt) {
  const std::string text = OutputOf({"explain", "ptr-4"});
  EXPECT_THAT(text, HasSubstr("PTR-4  (PointerInfo)\n  "));
  EXPECT_THAT(text, HasSubstr("  Bad.Fails  harness/test/fake/fake_suite.cpp:"));
  EXPECT_THAT(text, HasSubstr("      One is two.\n"));
  EXPECT_THAT(text, HasSubstr("BUG-4  wrong object found"));
  EXPECT_THAT(text, HasSubstr("      fix: ROCT 3076bd7b"));
  EXPECT_THAT(text, Not(HasSubstr("Good.Passes")));
}

TEST(Explain, ABugHasItsTestsTheirRulesAndItsExpectations) {
  const std::string text = OutputOf({"explain", "BUG-51"});
  EXPECT_THAT(text, HasSubstr("fix: none is known here"));
  EXPECT_THAT(text, HasSubstr("  Flaky.FailsAtFirst  "));
  EXPECT_THAT(text, HasSubstr("Rules that they assert\n  PTR-8  "));
  EXPECT_THAT(text, HasSubstr("      flakes: SvmVectors.Sequence/s0116/*, kernel 7.3.*  ("));
  EXPECT_THAT(text, HasSubstr("kernels.yaml:"));
}

TEST(Explain, ExpectationsOfItsTestsAreTold) {
  const TemporaryFolder folder;
  const auto list = folder.Write("list.yaml",
                                 "fails:\n  - {pattern: Bad.Fails/*, cause: one is one}\n"
                                 "  - {pattern: Good.*, cause: another matter}\n"
                                 "  - {pattern: Good.*, cause: BUG-44 is not it}\n");
  const std::string text = OutputOf({"explain", "BUG-4", "--expectations=" + list.string()});
  EXPECT_THAT(text, HasSubstr("one is one"));
  EXPECT_THAT(text, Not(HasSubstr("another matter")));
  EXPECT_THAT(text, Not(HasSubstr("BUG-44")));
}

TEST(Explain, AnUnknownIdIsRefusedWithThoseThatAreNear) {
  const ProgramRun run({"explain", "PRT-4"});
  EXPECT_EQ(2, run.exit_code());
  EXPECT_THAT(run.errors(), HasSubstr("PRT-4 is no rule and no known bug; near it: "));
  EXPECT_THAT(run.errors(), HasSubstr("PTR-4"));
}

}  // namespace
}  // namespace kfdcts::harness
