#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/kfdreport/html_page.h"
#include "harness/kfdreport/html_test_groups.h"

namespace kfdcts::report::html {
namespace {

constexpr std::size_t kMostReasons = 200;
constexpr std::size_t kMostNamed = 40;
constexpr std::size_t kMostVariants = 6;
constexpr std::size_t kMostReason = 300;

struct Reason {
  std::string text;
  std::map<const Run*, std::vector<const Case*>> cases;
  std::size_t count = 0;
};

/// The most frequent first.
std::vector<Reason> ReasonsOf(const Page& page) {
  std::map<std::string, Reason> by_text;
  for (const auto& run : page.runs) {
    for (const auto& one : run.cases) {
      if (one.verdict != Verdict::kSkip) continue;
      const std::string text = one.message.empty() ? "no reason given" : one.message;
      auto& reason = by_text[text];
      reason.text = text;
      reason.cases[&run].push_back(&one);
      ++reason.count;
    }
  }
  std::vector<Reason> reasons;
  for (auto& [text, reason] : by_text) reasons.push_back(std::move(reason));
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const Reason& a, const Reason& b) { return a.count > b.count; });
  return reasons;
}

void WriteReason(const Page& page, const Reason& reason) {
  auto& out = page.out;
  const Element details(out, "details", {{"class", "box f"}, {"data-v", "skip"}});
  {
    const Element summary(out, "summary");
    Leaf(out, "span", {{"class", "count"}}, Count(reason.count, "test", "tests"));
    Leaf(out, "span", {{"class", "line"}}, Cut(reason.text, kMostReason));
  }
  const Element list(out, "ul", {{"class", "names"}});
  std::size_t named = 0;
  std::size_t told = 0;
  for (const auto& run : page.runs) {
    const auto cases = reason.cases.find(&run);
    if (cases == reason.cases.end()) continue;
    for (const auto& group : GroupTests(run, cases->second)) {
      if (named++ == kMostNamed) break;
      told += group.cases;
      const Element item(out, "li");
      Leaf(out, "code", {}, Cut(group.first->suite + "." + group.name, kMostReason));
      out << ' ';
      Leaf(out, "span", {{"class", "variants"}},
           Cut(VariantText(group, kMostVariants), kMostReason));
    }
    if (named > kMostNamed) break;
  }
  if (told < reason.count) Leaf(out, "li", {}, Number(reason.count - told) + " more");
}

}  // namespace

void WriteSkips(Page& page) {
  const auto reasons = ReasonsOf(page);
  if (reasons.empty()) return;
  const Element section(page.out, "section", {{"aria-labelledby", "skips"}});
  WriteHeading(page.out, "skips", "Skipped, by reason");
  const std::size_t shown = std::min(kMostReasons, reasons.size());
  for (std::size_t i = 0; i < shown; ++i) WriteReason(page, reasons[i]);
  if (shown < reasons.size()) {
    Leaf(page.out, "p", {{"class", "note"}},
         Number(reasons.size() - shown) + " more reasons, each of fewer tests.");
  }
}

}  // namespace kfdcts::report::html
