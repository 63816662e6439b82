#include "harness/report/rule_book.h"

#include <algorithm>

#include "harness/report/strict_yaml.h"

namespace kfdcts::harness {
namespace {

template <typename Entry>
const Entry* Find(const std::vector<Entry>& entries, std::string_view id) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [id](const Entry& entry) { return entry.id == id; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

RuleBook RuleBook::Load(const std::filesystem::path& folder) {
  RuleBook book;
  const auto rules = StrictMapping::Load(folder / "rules.yaml", {"suites"});
  for (const auto& suite : rules.Elements("suites", {"family", "suite", "title", "rules"})) {
    for (const auto& rule : suite.Elements("rules", {"id", "text", "sources"})) {
      if (book.FindRule(rule.Text("id")) != nullptr) throw rule.Error("id", "stands twice");
      book.rules_.push_back({rule.Text("id"), suite.Text("family"), suite.Text("suite"),
                             rule.Text("text"), rule.Texts("sources")});
    }
  }
  const auto bugs = StrictMapping::Load(folder / "known-bugs.yaml", {"areas"});
  for (const auto& area : bugs.Elements("areas", {"area", "bugs"})) {
    for (const auto& bug : area.Elements("bugs", {"id", "what", "cause", "trigger", "kfdtest"})) {
      if (book.FindBug(bug.Text("id")) != nullptr) throw bug.Error("id", "stands twice");
      book.bugs_.push_back(
          {bug.Text("id"), bug.Text("what"), bug.Text("cause"), bug.Text("trigger")});
    }
  }
  return book;
}

const Rule* RuleBook::FindRule(std::string_view id) const { return Find(rules_, id); }

const KnownBug* RuleBook::FindBug(std::string_view id) const { return Find(bugs_, id); }

std::string Shorten(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  auto cut = text.rfind(' ', width - 1);
  if (cut == std::string_view::npos) cut = width - 1;
  // Not in the middle of a UTF-8 sequence.
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
  return std::string(text.substr(0, cut)) + "…";
}

}  // namespace kfdcts::harness
