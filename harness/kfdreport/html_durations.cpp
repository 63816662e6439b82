#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "harness/kfdreport/html_page.h"

namespace kfdcts::report::html {
namespace {

std::vector<Entry> Slowest(const Page& page) {
  std::vector<Entry> all;
  for (const auto& run : page.runs) {
    for (const auto& one : run.cases) {
      if (std::isfinite(one.seconds) && one.seconds > 0) all.push_back({&run, &one});
    }
  }
  const auto slower = [](const Entry& a, const Entry& b) {
    return a.one->seconds > b.one->seconds;
  };
  std::stable_sort(all.begin(), all.end(), slower);
  if (all.size() > page.options.most_slow) all.resize(page.options.most_slow);
  return all;
}

void WriteRow(const Page& page, const Entry& entry, double longest) {
  auto& out = page.out;
  const Element row(out, "tr");
  {
    const Element head(out, "th", {{"scope", "row"}});
    Leaf(out, "code", {}, Cut(entry.one->FullName(), 300));
    if (page.several()) {
      out << ' ';
      Leaf(out, "span", {{"class", "variants"}}, "on " + page.TitleOf(*entry.run));
    }
  }
  Leaf(out, "td", {{"class", "n"}}, DurationText(entry.one->seconds));
  const Element cell(out, "td", {{"class", "bars"}});
  const Element svg(out, "svg", {{"width", "100%"}, {"height", "10"}, {"aria-hidden", "true"}});
  Void(out, "rect",
       {{"class", "time"}, {"width", Percent(entry.one->seconds, longest)}, {"height", "10"}});
}

}  // namespace

void WriteDurations(Page& page) {
  const auto slowest = Slowest(page);
  if (slowest.empty()) return;
  const Element section(page.out, "section", {{"aria-labelledby", "durations"}});
  WriteHeading(page.out, "durations", "Durations");
  const Element table(page.out, "table", {{"class", "durations"}});
  Leaf(page.out, "caption", {{"class", "quiet"}},
       "The slowest tests; a bar's length is the test's time");
  {
    const Element head(page.out, "thead");
    const Element row(page.out, "tr");
    Leaf(page.out, "th", {{"scope", "col"}}, "Test");
    Leaf(page.out, "th", {{"scope", "col"}, {"class", "n"}}, "Time");
    Leaf(page.out, "th", {{"scope", "col"}, {"class", "bars"}}, "Compared");
  }
  const Element body(page.out, "tbody");
  for (const auto& entry : slowest) WriteRow(page, entry, slowest.front().one->seconds);
}

}  // namespace kfdcts::report::html
