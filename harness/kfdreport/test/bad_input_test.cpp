#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/kfdreport/test/support.h"

namespace kfdcts::report {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(BadInput, Empty) { EXPECT_THAT(ErrorOf(""), StartsWith("t.xml:1:1: no element found")); }

TEST(BadInput, Truncated) {
  const std::string error = ErrorOf("<testsuites>\n<testsuite name='S'>\n<testcase name='a'");
  EXPECT_THAT(error, StartsWith("t.xml:3:"));
  EXPECT_THAT(error, HasSubstr("(byte "));
}

TEST(BadInput, TruncatedAnywhereIsAnError) {
  const std::string whole =
      "<?xml version='1.0'?><testsuites><testsuite name='S'><testcase name='a'><failure "
      "message='m'>t&amp;</failure><system-out><![CDATA[x]]></system-out></testcase></testsuite>"
      "</testsuites>";
  ASSERT_EQ(ErrorOf(whole), "");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THAT(ErrorOf(whole.substr(0, length)), StartsWith("t.xml:1:")) << length;
  }
}

TEST(BadInput, MismatchedTags) {
  EXPECT_THAT(ErrorOf("<testsuites>\n</testsuite>"),
              testing::AllOf(StartsWith("t.xml:2:"), HasSubstr("mismatched tag")));
}

TEST(BadInput, AnotherFormat) {
  EXPECT_THAT(ErrorOf("<html><body/></html>"), HasSubstr("<html>, where a JUnit file has"));
  EXPECT_THAT(ErrorOf("{\"tests\": []}"), HasSubstr("not well-formed"));
}

TEST(BadInput, InvalidUtf8) {
  EXPECT_THAT(ErrorOf("<testsuite name='S'>\n<testcase name='\xE9'/></testsuite>"),
              testing::AllOf(StartsWith("t.xml:2:"), HasSubstr("not well-formed")));
}

TEST(BadInput, DeclaredOtherwiseThanWritten) {
  EXPECT_THAT(ErrorOf("<?xml version='1.0' encoding='UTF-16'?><testsuites/>"),
              HasSubstr("encoding specified in XML declaration is incorrect"));
  EXPECT_THAT(ErrorOf("<?xml version='1.0' encoding='KOI-7'?><testsuites/>"),
              HasSubstr("unknown encoding"));
}

TEST(BadInput, EntitiesOfItsOwn) {
  const std::string bomb =
      "<!DOCTYPE t [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
      "<testsuites name='&b;'/>";
  EXPECT_THAT(ErrorOf(bomb), HasSubstr("declares the entity a"));
  EXPECT_THAT(ErrorOf("<!DOCTYPE t [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><testsuites/>"),
              HasSubstr("declares the entity x"));
  EXPECT_THAT(ErrorOf("<!DOCTYPE t [<!ENTITY % x 'y'>]><testsuites/>"),
              HasSubstr("declares the entity x"));
}

TEST(BadInput, Depth) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<testsuite name='S'>";
  EXPECT_THAT(ErrorOf(deep), HasSubstr("more than 64 deep"));
}

TEST(BadInput, ATagWithoutEnd) {
  EXPECT_THAT(ErrorOf("<testsuite name='" + std::string(6U << 20U, 'x')),
              HasSubstr("a tag or comment of more than 4 MiB"));
}

TEST(BadInput, LongName) {
  EXPECT_THAT(ErrorOf("<testsuite name='S'><testcase name='" + std::string(20'000, 'x') +
                      "'/></testsuite>"),
              HasSubstr("name of more than 16 KiB"));
}

TEST(BadInput, WithoutAName) {
  EXPECT_THAT(ErrorOf("<testsuite name='S'>\n\n<testcase/></testsuite>"),
              StartsWith("t.xml:3:1: a <testcase> without a name"));
}

TEST(BadInput, NoNumberOfSeconds) {
  for (const auto* time : {"soon", "1e999", "-1", "nan", "1.5s"}) {
    EXPECT_THAT(ErrorOf(std::string("<testsuite name='S'><testcase name='a' time='") + time +
                        "'/></testsuite>"),
                HasSubstr("is no number of seconds"));
  }
}

TEST(BadInput, AFileThatIsNotThere) {
  TextBudget budget;
  try {
    ReadJUnitFile("/nowhere/junit.xml", budget);
    FAIL();
  } catch (const ReadError& error) {
    EXPECT_STREQ(error.what(), "/nowhere/junit.xml: No such file or directory");
  }
}

}  // namespace
}  // namespace kfdcts::report
