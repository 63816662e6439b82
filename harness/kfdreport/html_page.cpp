#include "harness/kfdreport/html_page.h"

#include <algorithm>
#include <set>

namespace kfdcts::report::html {
namespace {

std::size_t RankOf(Verdict verdict) {
  return static_cast<std::size_t>(std::find(kVerdicts.begin(), kVerdicts.end(), verdict) -
                                  kVerdicts.begin());
}

bool IsTold(const Case& one) {
  return one.verdict != Verdict::kPass && one.verdict != Verdict::kSkip;
}

}  // namespace

Page::Page(std::ostream& to, const std::vector<Run>& all_runs, const HtmlOptions& how)
    : out(to), runs(all_runs), options(how) {
  std::set<std::string> known;
  for (const auto& run : runs) {
    std::string title = run.Title();
    if (!known.insert(title).second) title.append(" (").append(run.file).append(")");
    titles.push_back(title);
    for (const auto& one : run.cases) {
      if (IsTold(one)) told_.push_back({&run, &one});
    }
  }
  std::stable_sort(told_.begin(), told_.end(), [](const Entry& a, const Entry& b) {
    return RankOf(a.one->verdict) < RankOf(b.one->verdict);
  });
  if (told_.size() > options.most_told) {
    untold_ = told_.size() - options.most_told;
    told_.resize(options.most_told);
  }
  for (std::size_t i = 0; i < told_.size(); ++i) anchors_[told_[i].one] = i + 1;
}

const std::string& Page::TitleOf(const Run& run) const {
  return titles[static_cast<std::size_t>(&run - runs.data())];
}

std::string Page::AnchorOf(const Case& one) const {
  const auto found = anchors_.find(&one);
  return found == anchors_.end() ? "" : "failure-" + std::to_string(found->second);
}

void WriteBadge(std::ostream& out, Verdict verdict) {
  const std::string name(report::NameOf(verdict));
  Leaf(out, "span", {{"class", "badge v-" + name}}, name);
}

std::string Number(std::size_t value) {
  constexpr std::size_t kGroup = 3;
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % kGroup == 0) text += ',';
    text += digits[i];
  }
  return text;
}

void WriteHeading(std::ostream& out, const char* id, const char* text) {
  Leaf(out, "h2", {{"id", id}}, text);
}

}  // namespace kfdcts::report::html
