#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/kfdreport/html_page.h"
#include "harness/kfdreport/html_test_groups.h"

namespace kfdcts::report::html {
namespace {

constexpr std::size_t kMostVariants = 12;
constexpr std::size_t kMostName = 300;

/// A suite's rows of all runs.
struct SuiteList {
  std::string name;
  std::vector<TestGroup> rows;
  std::size_t cases = 0;
};

std::vector<SuiteList> ListsOf(const Page& page) {
  std::vector<SuiteList> lists;
  std::map<std::string, std::size_t> places;
  for (const auto& run : page.runs) {
    std::map<std::string, std::vector<const Case*>> by_suite;
    std::vector<std::string> order;
    for (const auto& one : run.cases) {
      auto& cases = by_suite[one.suite];
      if (cases.empty()) order.push_back(one.suite);
      cases.push_back(&one);
    }
    for (const auto& suite : order) {
      const auto [place, is_new] = places.emplace(suite, lists.size());
      if (is_new) lists.push_back({suite, {}, 0});
      auto& list = lists[place->second];
      const auto groups = GroupTests(run, by_suite[suite]);
      list.rows.insert(list.rows.end(), groups.begin(), groups.end());
      list.cases += by_suite[suite].size();
    }
  }
  return lists;
}

/// Of a suite with more than `most` rows the passing ones go first. Returns how many cases went.
std::size_t CutRows(SuiteList& list, std::size_t most) {
  if (list.rows.size() <= most) return 0;
  std::stable_partition(list.rows.begin(), list.rows.end(),
                        [](const TestGroup& row) { return row.first->verdict != Verdict::kPass; });
  std::size_t cut = 0;
  for (std::size_t i = most; i < list.rows.size(); ++i) cut += list.rows[i].cases;
  list.rows.resize(most);
  return cut;
}

/// How many rows each suite may have: all alike, and what small ones leave goes to the others.
std::size_t FairShare(const std::vector<SuiteList>& lists, std::size_t most) {
  std::vector<std::size_t> sizes;
  for (const auto& list : lists) sizes.push_back(list.rows.size());
  std::sort(sizes.begin(), sizes.end());
  std::size_t left = most;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t share = left / (sizes.size() - i);
    if (sizes[i] > share) return share;
    left -= sizes[i];
  }
  return most;
}

/// For the filter.
std::string RuleNames(const Case& one) {
  std::string text;
  for (const auto& rule : one.rules) text.append(text.empty() ? "" : " ").append(rule);
  return Cut(text, kMostName);
}

void WriteRow(const Page& page, const TestGroup& row) {
  auto& out = page.out;
  const std::string rules = RuleNames(*row.first);
  const Element item(out, "li",
                     {{"class", "f"},
                      {"data-v", report::NameOf(row.first->verdict)},
                      {rules.empty() ? "" : "data-r", rules}});
  WriteBadge(out, row.first->verdict);
  {
    const Element name(out, "span", {{"class", "what"}});
    const std::string anchor = page.AnchorOf(*row.first);
    if (anchor.empty()) {
      Leaf(out, "code", {}, Cut(row.name, kMostName));
    } else {
      const Element link(out, "a", {{"href", "#" + anchor}});
      Leaf(out, "code", {}, Cut(row.name, kMostName));
    }
    const std::string variants = Cut(VariantText(row, kMostVariants), kMostName);
    if (!variants.empty()) {
      out << ' ';
      Leaf(out, "span", {{"class", "variants"}}, variants);
    }
    if (page.several()) {
      out << ' ';
      Leaf(out, "span", {{"class", "variants"}}, "on " + page.TitleOf(*row.run));
    }
  }
  Leaf(out, "span", {{"class", "why"}}, Cut(row.first->PropertyOf("property"), kMostName));
  Leaf(out, "span", {{"class", "n"}}, DurationText(row.seconds));
}

void WriteList(const Page& page, SuiteList& list, std::size_t most) {
  const std::size_t cut = CutRows(list, most);
  auto& out = page.out;
  const Element details(out, "details", {{"class", "box g"}});
  {
    const Element summary(out, "summary");
    Leaf(out, "b", {}, list.name);
    Leaf(out, "span", {{"class", "line"}},
         Number(list.cases) + (list.cases == 1 ? " test" : " tests"));
  }
  {
    const Element rows(out, "ul", {{"class", "tests"}});
    for (const auto& row : list.rows) WriteRow(page, row);
  }
  if (cut == 0) return;
  Leaf(out, "p", {{"class", "note"}},
       Number(cut) + " more tests are left out here; passing ones first.");
}

}  // namespace

void WriteTests(Page& page) {
  auto lists = ListsOf(page);
  if (lists.empty()) return;
  const Element section(page.out, "section", {{"aria-labelledby", "tests"}});
  WriteHeading(page.out, "tests", "All tests, by suite");
  const std::size_t share = FairShare(lists, page.options.most_listed);
  for (auto& list : lists) WriteList(page, list, share);
}

}  // namespace kfdcts::report::html
