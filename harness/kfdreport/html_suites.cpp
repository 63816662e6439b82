#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/kfdreport/html_page.h"

namespace kfdcts::report::html {
namespace {

struct Suite {
  std::string name;
  std::vector<Tally> runs;
};

/// In the order in which they appear.
std::vector<Suite> SuitesOf(const Page& page) {
  std::vector<Suite> suites;
  std::map<std::string, std::size_t> places;
  for (std::size_t run = 0; run < page.runs.size(); ++run) {
    for (const auto& one : page.runs[run].cases) {
      const auto [place, is_new] = places.emplace(one.suite, suites.size());
      if (is_new) suites.push_back({one.suite, std::vector<Tally>(page.runs.size())});
      suites[place->second].runs[run].Add(one);
    }
  }
  return suites;
}

void WriteCells(const Page& page, const Tally& tally) {
  const auto cell = [&](std::size_t count, bool zero_too) {
    Leaf(page.out, "td", {{"class", count == 0 ? "n zero" : "n"}},
         count == 0 && !zero_too ? "0" : Number(count));
  };
  cell(tally.All(), true);
  cell(tally.Of(Verdict::kPass), true);
  cell(tally.Bad(), false);
  cell(tally.Of(Verdict::kFlake), false);
  cell(tally.Of(Verdict::kWarn), false);
  cell(tally.Of(Verdict::kUnexpectedPass), false);
  cell(tally.Of(Verdict::kExpectedFail), false);
  cell(tally.Of(Verdict::kSkip), false);
  Leaf(page.out, "td", {{"class", "n"}}, DurationText(tally.seconds));
}

void WriteSuite(const Page& page, const Suite& suite) {
  for (std::size_t run = 0; run < suite.runs.size(); ++run) {
    if (suite.runs[run].All() == 0) continue;
    const Element row(page.out, "tr");
    Leaf(page.out, "th", {{"scope", "row"}}, suite.name);
    if (page.several()) Leaf(page.out, "td", {}, page.titles[run]);
    WriteCells(page, suite.runs[run]);
  }
}

void WriteHead(const Page& page) {
  const Element head(page.out, "thead");
  const Element row(page.out, "tr");
  Leaf(page.out, "th", {{"scope", "col"}}, "Suite");
  if (page.several()) Leaf(page.out, "th", {{"scope", "col"}}, "Run");
  for (const char* name : {"Tests", "Passed", "Failed", "Flaky", "Warned", "Passed unexpectedly",
                           "As expected", "Skipped", "Time"}) {
    Leaf(page.out, "th", {{"scope", "col"}, {"class", "n"}}, name);
  }
}

}  // namespace

void WriteSuites(Page& page) {
  const auto suites = SuitesOf(page);
  if (suites.empty()) return;
  const Element section(page.out, "section", {{"aria-labelledby", "suites"}});
  WriteHeading(page.out, "suites", "Suites");
  const Element scroll(page.out, "div",
                       {{"class", "scroll"},
                        {"tabindex", "0"},
                        {"role", "region"},
                        {"aria-label", "Table of suites"}});
  const Element table(page.out, "table");
  Leaf(page.out, "caption", {{"class", "quiet"}}, "Suites: tests by verdict, and their time");
  WriteHead(page);
  const Element body(page.out, "tbody");
  for (const auto& suite : suites) WriteSuite(page, suite);
}

}  // namespace kfdcts::report::html
