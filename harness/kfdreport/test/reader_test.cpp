#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/kfdreport/test/support.h"

namespace kfdcts::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

struct VerdictCase {
  const char* name;
  const char* xml;
  Verdict verdict;
  const char* message;
};

class ReadVerdict : public testing::TestWithParam<VerdictCase> {};

TEST_P(ReadVerdict, AsTheFileTellsIt) {
  const Case one = ReadCase(GetParam().xml);
  EXPECT_EQ(NameOf(one.verdict), NameOf(GetParam().verdict));
  EXPECT_EQ(one.message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ReadVerdict,
    testing::Values(
        VerdictCase{"pass", "<testcase name='a'/>", Verdict::kPass, ""},
        VerdictCase{"failure",
                    "<testcase name='a'><failure message='m' type='assertion'/></testcase>",
                    Verdict::kFail, "m"},
        VerdictCase{"error", "<testcase name='a'><error>first\nsecond</error></testcase>",
                    Verdict::kFail, "first"},
        VerdictCase{"crash", "<testcase name='a'><failure type='crash' message='m'/></testcase>",
                    Verdict::kCrash, "m"},
        VerdictCase{"guest",
                    "<testcase name='a'><failure type='guest-lost' message='m'/></testcase>",
                    Verdict::kCrash, "m"},
        VerdictCase{"deqp_crash", "<testcase name='a'><failure type='Crash'/></testcase>",
                    Verdict::kCrash, ""},
        VerdictCase{"limit",
                    "<testcase name='a'><failure type='time-limit' message='m'/></testcase>",
                    Verdict::kTimeout, "m"},
        VerdictCase{"deqp_timeout", "<testcase name='a'><failure type='Timeout'/></testcase>",
                    Verdict::kTimeout, ""},
        VerdictCase{"not_run",
                    "<testcase name='a'><failure type='not-run' message='m'/></testcase>",
                    Verdict::kFail, "m"},
        VerdictCase{"worst_of_two",
                    "<testcase name='a'><failure type='crash' message='m'/><failure message='n'/>"
                    "</testcase>",
                    Verdict::kCrash, "m"},
        VerdictCase{"skip", "<testcase name='a'><skipped message='why'/></testcase>",
                    Verdict::kSkip, "why"},
        VerdictCase{"skip_text", "<testcase name='a'><skipped>why</skipped></testcase>",
                    Verdict::kSkip, "why"},
        VerdictCase{"expected",
                    "<testcase name='a'><skipped type='expected-failure' message='BUG-1'/>"
                    "</testcase>",
                    Verdict::kExpectedFail, "BUG-1"},
        VerdictCase{"unexpected",
                    "<testcase name='a'><properties><property name='unexpected_pass' value='c'/>"
                    "</properties></testcase>",
                    Verdict::kUnexpectedPass, ""},
        VerdictCase{"warn",
                    "<testcase name='a'><properties><property name='warn' value='WARNING: x'/>"
                    "</properties></testcase>",
                    Verdict::kWarn, "WARNING: x"},
        VerdictCase{"flake",
                    "<testcase name='a'><properties><property name='flake' value='fail, pass'/>"
                    "</properties></testcase>",
                    Verdict::kFlake, "fail, pass"},
        VerdictCase{"listed_flake",
                    "<testcase name='a'><properties><property name='expected_flake' value='c'/>"
                    "</properties><skipped type='expected-failure' message='c'/></testcase>",
                    Verdict::kFlake, "c"},
        VerdictCase{"listed_skip",
                    "<testcase name='a'><skipped type='expected-skip' message='c'/></testcase>",
                    Verdict::kSkip, "c"},
        VerdictCase{"disabled", "<testcase name='a' status='notrun' result='suppressed'/>",
                    Verdict::kSkip, "notrun"},
        VerdictCase{"skip_of_old_gtest", "<testcase name='a' status='run' result='skipped'/>",
                    Verdict::kSkip, "skipped"},
        VerdictCase{"ctest", "<testcase name='a' status='fail'/>", Verdict::kFail, ""},
        VerdictCase{"place_above",
                    "<testcase name='a'><failure message='a.cc:7&#10;Value of: x'/></testcase>",
                    Verdict::kFail, "Value of: x"},
        VerdictCase{"colon",
                    "<testcase name='a'><failure message='Expected:'>a.cc:7\nExpected:\n  1\n  2\n"
                    "</failure></testcase>",
                    Verdict::kFail, "Expected: 1 2"}),
    [](const auto& tested) { return tested.param.name; });

TEST(ReadCase, PropertiesAttributesAndTexts) {
  const Case one = ReadCase(
      "<testcase name='N/gpu0' classname='Suite' time='1,234.5' file='a.cpp' line='3' status='run'>"
      "<properties><property name='rule' value='PTR-1'/><property name='rule' value='PTR-2'/>"
      "<property name='bug' value='BUG-3'/><property name='boot' value='2'/></properties>"
      "<failure>one</failure><failure message='two'/>"
      "<system-out>out&amp;<![CDATA[<x>]]></system-out><system-err>log</system-err></testcase>");
  EXPECT_EQ(one.FullName(), "Suite.N/gpu0");
  EXPECT_EQ(one.seconds, 1234.5);
  EXPECT_THAT(one.rules, ElementsAre("PTR-1", "PTR-2"));
  EXPECT_THAT(one.bugs, ElementsAre("BUG-3"));
  EXPECT_THAT(one.properties,
              ElementsAre(Pair("file", "a.cpp"), Pair("line", "3"), Pair("boot", "2")));
  EXPECT_EQ(one.details, "one\ntwo");
  EXPECT_EQ(one.output, "out&<x>");
  EXPECT_EQ(one.kernel_log, "log");
}

TEST(ReadCase, PropertyLinesAreTakenFromTheHeadOfTheOutputOnly) {
  const Case one = ReadCase(
      "<testcase name='a'><system-out>[[PROPERTY|rule=PTR-1]]\n[[PROPERTY|note=a\\nb\\\\c]]]\n"
      "text\n[[PROPERTY|rule=PTR-2]]\n</system-out></testcase>");
  EXPECT_THAT(one.rules, ElementsAre("PTR-1"));
  EXPECT_THAT(one.properties, ElementsAre(Pair("note", "a\nb\\c]")));
  EXPECT_EQ(one.output, "text\n[[PROPERTY|rule=PTR-2]]\n");
}

TEST(ReadRun, SuiteNameWhereThereIsNoClassname) {
  EXPECT_EQ(ReadCase("<testcase name='a'/>").FullName(), "S.a");
}

TEST(ReadRun, ConfigurationsOfOneFileAreRunsOfTheirOwn) {
  const auto runs = Read(
      "<testsuites>"
      "<testsuite name='S'><properties><property name='machine' value='m1'/></properties>"
      "<testcase name='a'/></testsuite>"
      "<testsuite name='S'><testcase name='a'/><properties><property name='machine' value='m2'/>"
      "</properties></testsuite>"
      "<testsuite name='T' timestamp='2026-01-02' hostname=''><properties>"
      "<property name='machine' value='m1'/></properties><testcase name='b'/></testsuite>"
      "</testsuites>");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].PropertyOf("machine"), "m1");
  EXPECT_EQ(runs[0].cases.size(), 2U);
  EXPECT_EQ(runs[0].PropertyOf("timestamp"), "2026-01-02");
  EXPECT_EQ(runs[1].PropertyOf("machine"), "m2");
}

TEST(ReadRun, InnerSuitesInheritProperties) {
  const auto runs = Read(
      "<testsuite name='outer'><properties><property name='machine' value='m1'/></properties>"
      "<testsuite name='inner'><testcase name='a'/></testsuite><testcase name='b'/></testsuite>");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].cases.at(0).FullName(), "inner.a");
  EXPECT_EQ(runs[0].cases.at(1).FullName(), "outer.b");
}

TEST(ReadRun, NoCasesAreARunWithoutCases) {
  const auto runs = Read("<testsuites/>");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_THAT(runs[0].cases, IsEmpty());
}

TEST(ReadEncoding, Latin1) {
  const auto runs = Read(
      "<?xml version='1.0' encoding='ISO-8859-1'?><testsuite name='S'>"
      "<testcase name='\xE9'/></testsuite>");
  EXPECT_EQ(runs.at(0).cases.at(0).name, "é");
}

TEST(ReadEncoding, Utf16) {
  const std::string ascii =
      "<?xml version='1.0' encoding='UTF-16'?><testsuite name='S'><testcase name='a'/></testsuite>";
  std::string wide = "\xFF\xFE";
  for (const char letter : ascii) wide.append({letter, '\0'});
  EXPECT_EQ(Read(wide).at(0).cases.at(0).FullName(), "S.a");
}

TEST(ReadCaps, AHugeOutputKeepsItsEndsAndSaysWhatIsMissing) {
  const std::string line = "0123456789 line of output é\n";
  std::string output = "first line\n";
  while (output.size() < 3'000'000) output += line;
  output += "last line\n";
  const Case one =
      ReadCase("<testcase name='a'><system-out>" + output + "</system-out></testcase>");
  EXPECT_LE(one.output.size(), TextBudget::kText + 100);
  EXPECT_THAT(one.output, testing::StartsWith("first line\n"));
  EXPECT_THAT(one.output, testing::EndsWith("last line\n"));
  EXPECT_THAT(one.output, HasSubstr("bytes left out …]\n"));
}

TEST(ReadCaps, TextsGetShorterWhenTheyAreMany) {
  TextBudget budget;
  EXPECT_EQ(budget.Cap(), TextBudget::kText);
  budget.Use(TextBudget::kTotal / 2);
  EXPECT_EQ(budget.Cap(), TextBudget::kShort);
  budget.Use(TextBudget::kTotal / 2);
  EXPECT_EQ(budget.Cap(), 0U);
  CappedText none(budget.Cap());
  none.Add("gone");
  EXPECT_EQ(none.Take(), "[… 4 bytes left out …]\n");
}

TEST(ReadCaps, CutsBetweenCharacters) {
  CappedText text(16);  // 2 for the head, 14 for the tail
  text.Add("aéééééééééééé");
  EXPECT_EQ(text.Take(), "a\n[… 10 bytes left out …]\nééééééé");
  text.Add("aééééééééééééz");
  EXPECT_EQ(text.Take(), "a\n[… 12 bytes left out …]\nééééééz");
}

}  // namespace
}  // namespace kfdcts::report
