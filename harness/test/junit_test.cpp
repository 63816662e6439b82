#include "harness/report/junit.h"

#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <sstream>

#include "harness/test/records.h"
#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing_support::Failed;
using testing_support::Passed;
using testing_support::Skipped;
using testing_support::SomeRun;

class JUnit : public testing::Test {
 protected:
  /// Writes and parses back; the only suite.
  pugi::xml_node Suite(const std::vector<TestRecord>& records) {
    std::ostringstream text;
    WriteJUnit(text, SomeRun(), records);
    const auto parsed = document_.load_string(text.str().c_str());
    EXPECT_TRUE(parsed) << parsed.description() << '\n' << text.str();
    return document_.child("testsuites").child("testsuite");
  }

  static std::string Property(pugi::xml_node owner, const char* name) {
    return owner.child("properties")
        .find_child_by_attribute("property", "name", name)
        .attribute("value")
        .value();
  }

  pugi::xml_document document_;
};

TEST_F(JUnit, CountsTellPassedFailedAndSkippedApart) {
  TestRecord expected = Failed("D/gpu0");
  expected.expected_cause = "BUG-7";
  const auto suite = Suite({Passed("A/gpu0"), Failed("B/gpu0"), Skipped("C/gpu0"), expected});
  EXPECT_EQ(4, suite.attribute("tests").as_int());
  EXPECT_EQ(1, suite.attribute("failures").as_int());
  EXPECT_EQ(2, suite.attribute("skipped").as_int());
  EXPECT_STREQ("6.000", suite.attribute("time").value());
  EXPECT_EQ(4, suite.parent().attribute("tests").as_int());
}

TEST_F(JUnit, FailureHasMessageTypeAndPlace) {
  TestRecord record = Failed("B/gpu0");
  record.failure_kind = FailureKind::kTimeLimit;
  const auto failure = Suite({record}).child("testcase").child("failure");
  EXPECT_STREQ("Expected: 1", failure.attribute("message").value());
  EXPECT_STREQ("time-limit", failure.attribute("type").value());
  EXPECT_STREQ("suites/pointer_info/x.cpp:12\nExpected: 1\nActual: 2", failure.text().get());
}

TEST_F(JUnit, EveryFailedCheckIsThere) {
  TestRecord record = Failed("B/gpu0");
  record.failures.push_back({"", 0, "second", false});
  const auto testcase = Suite({record}).child("testcase");
  const auto failures = testcase.children("failure");
  EXPECT_EQ(2, std::distance(failures.begin(), failures.end()));
}

TEST_F(JUnit, WhatTheKernelSaidIsBesideTheVerdict) {
  TestRecord record = Passed("A/gpu0");
  record.warning = "WARNING: CPU: 0";
  record.kernel_log = {"<4>[ 1.0] WARNING: CPU: 0", "<4>[ 1.1] next"};
  const auto testcase = Suite({record}).child("testcase");
  EXPECT_EQ("WARNING: CPU: 0", Property(testcase, "warn"));
  EXPECT_FALSE(testcase.child("failure"));
  EXPECT_STREQ("<4>[ 1.0] WARNING: CPU: 0\n<4>[ 1.1] next\n",
               testcase.child("system-err").text().get());
  EXPECT_FALSE(Suite({Passed("A/gpu0")}).child("testcase").child("system-err"));
}

TEST_F(JUnit, SkipHasReasonAndCapability) {
  const auto testcase = Suite({Skipped("C/gpu0")}).child("testcase");
  EXPECT_STREQ("no XNACK", testcase.child("skipped").attribute("message").value());
  EXPECT_EQ("xnack-switchable", Property(testcase, "missing_capability"));
}

TEST_F(JUnit, ExpectedFailureIsNoFailureAndTellsItsCause) {
  TestRecord record = Failed("D/gpu0");
  record.expected_cause = "BUG-7 in 5.2.3";
  const auto testcase = Suite({record}).child("testcase");
  EXPECT_FALSE(testcase.child("failure"));
  EXPECT_STREQ("expected-failure", testcase.child("skipped").attribute("type").value());
  EXPECT_EQ("BUG-7 in 5.2.3", Property(testcase, "expected_failure"));
  EXPECT_NE(std::string::npos,
            std::string(testcase.child("system-out").text().get()).find("Actual: 2"));
}

TEST_F(JUnit, UnexpectedPassIsMarked) {
  TestRecord record = Passed("A/gpu0");
  record.expected_cause = "BUG-7";
  EXPECT_EQ("BUG-7", Property(Suite({record}).child("testcase"), "unexpected_pass"));
}

TEST_F(JUnit, TestNamesItsRulesAndBugs) {
  TestRecord record = Passed("A/gpu0", {"PTR-4", "PTR-9"});
  record.guards = {"BUG-3"};
  record.properties = {{"size", "4096"}};
  const auto testcase = Suite({record}).child("testcase");
  const auto rules = testcase.child("properties").select_nodes("property[@name='rule']");
  ASSERT_EQ(2u, rules.size());
  EXPECT_STREQ("PTR-9", rules[1].node().attribute("value").value());
  EXPECT_EQ("BUG-3", Property(testcase, "bug"));
  EXPECT_EQ("4096", Property(testcase, "size"));
}

TEST_F(JUnit, SuiteTellsWhereItRan) {
  const auto suite = Suite({Passed("A/gpu0")});
  EXPECT_EQ("vega10x2", Property(suite, "machine"));
  EXPECT_EQ("7.3.4", Property(suite, "kernel_release"));
  EXPECT_EQ("/lib/libhsakmt.so.1", Property(suite, "thunk_file"));
  EXPECT_EQ("libhsakmt.so.1.0.6", Property(suite, "thunk"));
  EXPECT_EQ("virtual vega10", Property(suite, "gpu0"));
  EXPECT_EQ("42", Property(suite, "seed"));
}

TEST_F(JUnit, WhatXmlCannotHoldIsReplaced) {
  TestRecord record = Failed("B/gpu0");
  record.failures[0].message =
      "a\x01<b> & \"c\" \xFF\xC0\x80 \xE2\x86\x92 " + std::string(1, '\0') + "d";
  const auto failure = Suite({record}).child("testcase").child("failure");
  EXPECT_STREQ("a?<b> & \"c\" ??? \xE2\x86\x92 ?d", failure.attribute("message").value());
}

TEST(XmlText, CutsNoValidSequence) {
  EXPECT_EQ("\xF0\x9F\x98\x80\t\n", XmlText("\xF0\x9F\x98\x80\t\n"));
  EXPECT_EQ("???", XmlText("\xED\xA0\x80"));  // a surrogate
  EXPECT_EQ("??", XmlText("\xE2\x86"));       // truncated
}

TEST(ReplaceFile, NamesAFileThatCannotBeWritten) {
  const auto message = testing_support::MessageOf<std::system_error>(
      [] { ReplaceFile("/no/such/folder/junit.xml", "x"); });
  EXPECT_NE(std::string::npos, message.find("/no/such/folder/junit.xml"));
}

}  // namespace
}  // namespace kfdcts::harness
