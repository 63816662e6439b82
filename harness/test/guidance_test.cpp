#include "harness/report/guidance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/program_run.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing_support::ProgramRun;
using testing_support::TemporaryFolder;

KnownBug Bug(std::string what) { return {"BUG-1", std::move(what), "no lock", "one call"}; }

TEST(Fix, IsWhatStandsBeforeTheSymptom) {
  const KnownBug commit = Bug("ROCT 3076bd7b \"Fix look-up\" + cc23ffb8: wrong object found");
  EXPECT_EQ("ROCT 3076bd7b \"Fix look-up\" + cc23ffb8", FixOf(commit));
  EXPECT_EQ("wrong object found", SymptomOf(commit));
  EXPECT_EQ("PR 807, PR 3846", FixOf(Bug("PR 807, PR 3846: leaks")));
  EXPECT_EQ("kernel patch \"Fix it\"", FixOf(Bug("kernel patch \"Fix it\": NULL deref")));
}

TEST(Fix, IsNoneWhereTheTextNamesNone) {
  for (const char* what : {"Linux 6.1: null dereference", "SET_ATTR never returns", "a: b"}) {
    EXPECT_EQ("", FixOf(Bug(what))) << what;
    EXPECT_EQ(what, SymptomOf(Bug(what)));
  }
}

TEST(Guidance, SaysWhatWasExpectedByWhichRuleAndWhichFixMayBeMissing) {
  const RuleBook book = RuleBook::Load(vm::ShareFolder() / "fixtures" / "spec");
  TestRecord record;
  record.property = "the registered object is found";
  record.rules = {"PTR-4"};
  record.guards = {"BUG-4", "BUG-51"};
  const std::string text = Guidance(record, book);
  EXPECT_THAT(text, HasSubstr("Expected: the registered object is found\n"));
  EXPECT_THAT(text, HasSubstr("By rule PTR-4: " + book.FindRule("PTR-4")->text));
  EXPECT_THAT(text, HasSubstr("It guards BUG-4: wrong object found"));
  EXPECT_THAT(text, HasSubstr("the fix that may be missing: ROCT 3076bd7b"));
  EXPECT_THAT(text, HasSubstr("BUG-51: "));
  EXPECT_THAT(text, HasSubstr("no fix of it is known here"));
  EXPECT_EQ("", Guidance({}, book));
}

TEST(Guidance, StandsInOutputAndReport) {
  ProgramRun run({"--gtest_filter=Bad.Fails*"});
  EXPECT_THAT(run.output(), HasSubstr("Expected: One is two.\nBy rule PTR-4: "));
  EXPECT_THAT(run.FailureOf("Bad.Fails/cpu"), HasSubstr("By rule PTR-4: "));
  EXPECT_THAT(run.FailureOf("Bad.Fails/cpu"), HasSubstr("the fix that may be missing: ROCT"));
}

}  // namespace
}  // namespace kfdcts::harness
