#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "harness/kfdreport/html.h"
#include "harness/kfdreport/html_assets.h"
#include "harness/kfdreport/html_page.h"

namespace kfdcts::report {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Case MakeCase(const std::string& name, Verdict verdict, std::vector<std::string> rules = {}) {
  Case one;
  one.suite = "Suite";
  one.name = name;
  one.verdict = verdict;
  one.rules = std::move(rules);
  one.seconds = 0.5;
  return one;
}

Run MakeRun(const std::string& machine, std::vector<Case> cases) {
  return {machine + ".xml", {{"machine", machine}, {"kernel_release", "7.3"}}, std::move(cases)};
}

/// A page, read back as XML.
class Read {
 public:
  explicit Read(const std::vector<Run>& runs, const HtmlOptions& options = {}) {
    std::ostringstream out;
    WriteHtml(out, runs, options);
    source_ = out.str();
    const auto result =
        document_.load_string(source_.c_str(), pugi::parse_full | pugi::parse_ws_pcdata);
    EXPECT_TRUE(result) << result.description() << " at " << result.offset;
  }

  const std::string& source() const { return source_; }
  std::size_t Count(const char* path) const { return document_.select_nodes(path).size(); }
  /// The text of each node, with all that is in it.
  std::vector<std::string> Texts(const char* path) const {
    std::vector<std::string> texts;
    for (const auto& node : document_.select_nodes(path)) texts.push_back(TextOf(node.node()));
    return texts;
  }
  std::vector<std::string> Ids() const {
    std::vector<std::string> ids;
    for (const auto& node : document_.select_nodes("//*[@id]")) {
      ids.emplace_back(node.node().attribute("id").value());
    }
    return ids;
  }
  pugi::xml_node Node(const char* path) const { return document_.select_node(path).node(); }

 private:
  static std::string TextOf(const pugi::xml_node& node) {
    std::string text = node.value();
    for (const auto& child : node.children()) text += TextOf(child);
    return text;
  }

  std::string source_;
  pugi::xml_document document_;
};

TEST(HtmlPage, CountsByVerdict) {
  const Read page({MakeRun("m", {MakeCase("A", Verdict::kPass), MakeCase("B", Verdict::kPass),
                                 MakeCase("C", Verdict::kFail), MakeCase("D", Verdict::kSkip),
                                 MakeCase("E", Verdict::kTimeout)})});
  EXPECT_THAT(page.Texts("//p[@class='status bad']"), ElementsAre("2 of 5 tests failed."));
  EXPECT_THAT(page.Texts("//ul[@class='counts']/li"),
              ElementsAre("2 passed", "1 skipped", "1 failed", "1 timed out"));
  EXPECT_THAT(page.Texts("//section[@aria-labelledby='suites']//tbody/tr/*"),
              ElementsAre("Suite", "5", "2", "2", "0", "0", "0", "0", "1", "2.5 s"));
}

TEST(HtmlPage, NothingAtAll) {
  const Read page({});
  EXPECT_THAT(page.Texts("//p[@class='status']"), ElementsAre("No test ran."));
  EXPECT_EQ(page.Count("//main/section"), 1U);
}

TEST(HtmlPage, RulesByRun) {
  HtmlOptions options;
  options.rule_texts = {{"PTR-2", "what it says"}, {"PTR-10", "ten"}, {"USR-1", "never run"}};
  const Read page({MakeRun("a", {MakeCase("A", Verdict::kPass, {"PTR-2", "PTR-10"}),
                                 MakeCase("B", Verdict::kFail, {"PTR-10"}),
                                 MakeCase("C", Verdict::kExpectedFail, {"PTR-3"})}),
                   MakeRun("b", {MakeCase("A", Verdict::kFlake, {"PTR-2"}),
                                 MakeCase("C", Verdict::kSkip, {"PTR-3"})})},
                  options);
  EXPECT_THAT(page.Texts("//table[@class='matrix many']//thead/tr/th"),
              ElementsAre("Rule", "a, kernel 7.3", "b, kernel 7.3"));
  EXPECT_THAT(page.Texts("//table[@class='matrix many']/tbody/tr"),
              ElementsAre("PTR-2 what it says✓ held 1 test~ flaky 1 of 1 test",
                          "PTR-3≈ as expected 1 of 1 test– skipped 1 test",
                          "PTR-10 ten✗ broken 1 of 2 tests– not run"));
  EXPECT_THAT(page.Texts("//section[@aria-labelledby='rules']/p"),
              ElementsAre("No test of these rules ran: USR (1)."));
}

TEST(HtmlPage, ABrokenRuleLeadsToItsTest) {
  const Read page({MakeRun("m", {MakeCase("A", Verdict::kFail, {"PTR-1"})})});
  const std::string target = page.Node("//td/a").attribute("href").value();
  EXPECT_EQ(target, "#failure-1");
  EXPECT_THAT(page.Texts("//details[@id='failure-1']/summary/code"), ElementsAre("Suite.A"));
}

TEST(HtmlPage, AFailureTellsEverything) {
  Case one = MakeCase("A/gpu0", Verdict::kFail, {"PTR-1"});
  one.bugs = {"BUG-1"};
  one.message = "came 2";
  one.details = "expected 1\ncame 2";
  one.output = "printed";
  one.kernel_log = "first\nsecond\n";
  one.properties = {{"property", "one is one"}, {"file", "a.cpp"}, {"line", "7"}, {"xnack", "on"}};
  HtmlOptions options;
  options.rule_texts = {{"PTR-1", "rule"}};
  options.bug_texts = {{"BUG-1", "bug"}};
  const Read page({MakeRun("m", {one})}, options);
  EXPECT_THAT(page.Texts("//details[@id='failure-1']/summary"),
              ElementsAre("fail Suite.A/gpu0 came 2"));
  EXPECT_THAT(
      page.Texts("//dl[@class='facts']//dd"),
      ElementsAre("one is one", "PTR-1 rule", "BUG-1 bug", "a.cpp:7", "500 ms", "xnack on"));
  EXPECT_THAT(page.Texts("//details[@id='failure-1']//pre"),
              ElementsAre("expected 1\ncame 2", "printed", "first\nsecond"));
  EXPECT_THAT(page.Texts("//details[@class='more']/summary"),
              ElementsAre("Output", "Kernel log, 2 lines"));
}

TEST(HtmlPage, ExpectedFailuresAreGroupedByCause) {
  Case a = MakeCase("A", Verdict::kExpectedFail);
  a.properties = {{"expected_failure", "one cause"}};
  a.output = "Title:\n  0x1000 4 KiB  x  [m]\n";
  Case b = a;
  b.name = "B";
  const Read page({MakeRun("m", {a, b})});
  EXPECT_THAT(page.Texts("//section[@aria-labelledby='expected']/details/summary"),
              ElementsAre("2 testsone cause"));
  EXPECT_EQ(page.Count("//section[@aria-labelledby='expected']//svg[@class='ranges']"), 2U);
  EXPECT_EQ(page.Count("//section[@aria-labelledby='failures']"), 0U);
}

TEST(HtmlPage, NothingOfAReportBecomesMarkup) {
  const std::string evil = "\"><script>alert(1)</script><img src=x onerror='x'>\u202E\x01\xff";
  Case one = MakeCase(evil, Verdict::kFail, {evil});
  one.suite = evil;
  one.bugs = {evil};
  one.message = one.details = one.output = one.kernel_log = evil;
  one.properties = {{"property", evil}, {evil, evil}};
  Case skipped = MakeCase("S", Verdict::kSkip);
  skipped.message = evil;
  Case expected = one;
  expected.verdict = Verdict::kExpectedFail;
  expected.properties = {{"expected_failure", evil}};
  auto run = MakeRun(evil, {one, skipped, expected});
  run.file = evil;
  run.properties[evil] = evil;
  HtmlOptions options;
  options.title = evil;
  options.rule_texts[evil] = evil;
  const Read page({run, run}, options);
  EXPECT_EQ(page.Count("//script"), 1U);
  EXPECT_EQ(page.Count("//img"), 0U);
  EXPECT_EQ(page.Count("//@onerror"), 0U);
  EXPECT_THAT(page.source(), Not(HasSubstr("\u202E")));
  EXPECT_THAT(page.source(), HasSubstr("\\u{202e}\\u{1}\\x{ff}"));
}

TEST(HtmlPage, OnlyItsOwnStyleAndScriptAreAllowed) {
  const Read page({MakeRun("m", {MakeCase("A", Verdict::kPass)})});
  const std::string policy =
      page.Node("//meta[@http-equiv='Content-Security-Policy']").attribute("content").value();
  EXPECT_THAT(policy, HasSubstr("default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(page.Texts("//style"), ElementsAre(std::string(html::kHtmlStyle)));
  EXPECT_THAT(page.Texts("//script"), ElementsAre(std::string(html::kHtmlScript)));
  EXPECT_EQ(page.Count("//*[@style]"), 0U);
  EXPECT_EQ(page.Count("//*[@src]") + page.Count("//link"), 0U);
}

TEST(HtmlPage, IdsAreUniqueAndLinksLeadToThem) {
  Case one = MakeCase("A/gpu0", Verdict::kFail, {"PTR-1"});
  const Read page({MakeRun("m", {one, MakeCase("A/gpu1", Verdict::kPass, {"PTR_1", "PTR.1"})})});
  std::vector<std::string> ids = page.Ids();
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  EXPECT_THAT(ids, Contains("rule-PTR-1"));
  EXPECT_EQ(page.Count("//h1"), 1U);
  EXPECT_EQ(page.Count("//table[not(caption)]"), 0U);
  for (const auto& link : {"summary", "failures", "rules", "suites", "durations", "tests"}) {
    const std::string path = std::string("//h2[@id='") + link + "']";
    EXPECT_EQ(page.Count(path.c_str()), 1U) << link;
    EXPECT_EQ(page.Count((std::string("//nav//a[@href='#") + link + "']").c_str()), 1U) << link;
  }
}

TEST(HtmlPage, TestsOfAVariantShareARow) {
  const Read page(
      {MakeRun("m", {MakeCase("A/gpu0", Verdict::kPass), MakeCase("A/gpu1", Verdict::kPass),
                     MakeCase("A/gpu2", Verdict::kSkip), MakeCase("B", Verdict::kPass)})});
  EXPECT_THAT(page.Texts("//ul[@class='tests']/li"),
              ElementsAre("passA gpu0 gpu11.0 s", "skipA gpu2500 ms", "passB500 ms"));
}

TEST(HtmlPage, PassingTestsAreLeftOutFirst) {
  std::vector<Case> cases;
  for (int i = 0; i < 1000; ++i) cases.push_back(MakeCase("P" + std::to_string(i), Verdict::kPass));
  cases.push_back(MakeCase("F", Verdict::kFail));
  HtmlOptions options;
  options.most_listed = 10;
  const Read page({MakeRun("m", cases)}, options);
  EXPECT_EQ(page.Count("//ul[@class='tests']/li"), 10U);
  EXPECT_EQ(page.Count("//ul[@class='tests']/li[@data-v='fail']"), 1U);
  EXPECT_THAT(page.Texts("//section[@aria-labelledby='tests']//p"),
              ElementsAre("991 more tests are left out here; passing ones first."));
}

TEST(HtmlPage, TheWorstAreToldAndTheRestCounted) {
  HtmlOptions options;
  options.most_told = 1;
  const Read page({MakeRun("m", {MakeCase("W", Verdict::kWarn), MakeCase("C", Verdict::kCrash)})},
                  options);
  EXPECT_THAT(page.Texts("//details[@class='box f']/summary/code"), ElementsAre("Suite.C"));
  EXPECT_THAT(page.source(), HasSubstr("1 more are not told here"));
}

TEST(HtmlPage, ManyLongTextsStayAPage) {
  std::vector<Case> cases;
  for (int i = 0; i < 600; ++i) {
    cases.push_back(MakeCase("F" + std::to_string(i), Verdict::kFail));
    cases.back().details = cases.back().output = std::string(40'000, 'x');
  }
  const Read page({MakeRun("m", cases)});
  EXPECT_LT(page.source().size(), std::size_t{6} << 20U);
  EXPECT_THAT(page.source(), HasSubstr("bytes left out"));
  EXPECT_THAT(page.source(), HasSubstr("the page holds enough text"));
}

}  // namespace
}  // namespace kfdcts::report
