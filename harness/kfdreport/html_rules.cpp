#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/kfdreport/html_page.h"

namespace kfdcts::report::html {
namespace {

/// How a state looks and what the filter calls it.
struct StateLook {
  const char* sign;
  Verdict verdict;
};

StateLook LookOf(RuleState state) {
  switch (state) {
    case RuleState::kHeld:
      return {"✓", Verdict::kPass};
    case RuleState::kBroken:
      return {"✗", Verdict::kFail};
    case RuleState::kFlaky:
      return {"~", Verdict::kFlake};
    case RuleState::kAsExpected:
      return {"≈", Verdict::kExpectedFail};
    case RuleState::kSkipped:
    case RuleState::kNotRun:
      return {"–", Verdict::kSkip};
  }
  return {"–", Verdict::kSkip};
}

/// How many of a rule's tests are behind its state.
std::string Behind(RuleState state, const Tally& tally) {
  const auto of = [&](std::size_t part) {
    return Number(part) + " of " + Count(tally.All(), "test", "tests");
  };
  switch (state) {
    case RuleState::kBroken:
      return of(tally.Bad());
    case RuleState::kFlaky:
      return of(tally.Of(Verdict::kFlake));
    case RuleState::kAsExpected:
      return of(tally.Of(Verdict::kExpectedFail));
    case RuleState::kHeld:
    case RuleState::kSkipped:
      return Count(tally.All(), "test", "tests");
    case RuleState::kNotRun:
      return "";
  }
  return "";
}

using Rules = std::vector<std::string>;

class MatrixWriter {
 public:
  explicit MatrixWriter(Page& page) : page_(page), out_(page.out) {
    for (const auto& run : page.runs) tallies_.push_back(RulesOf(run));
    for (const auto& entry : page.told()) {
      for (const auto& rule : entry.one->rules) {
        anchors_.emplace(std::pair(entry.run, rule), page.AnchorOf(*entry.one));
      }
    }
  }

  /// All rules that a run checked or that have a text, by family.
  std::map<std::string, Rules> Families() const {
    std::set<std::string, RuleOrder> rules;
    for (const auto& tallies : tallies_) {
      for (const auto& [rule, tally] : tallies) rules.insert(rule);
    }
    for (const auto& [rule, text] : page_.options.rule_texts) rules.insert(rule);
    std::map<std::string, Rules> families;
    std::size_t left = page_.options.most_listed;
    for (const auto& rule : rules) {
      if (left-- == 0) break;
      families[FamilyOf(rule)].push_back(rule);
    }
    return families;
  }

  bool AnyRun(const Rules& rules) const {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const std::string& rule) { return Worst(rule) != RuleState::kNotRun; });
  }

  void WriteFamily(const std::string& family, const Rules& rules) const {
    std::map<RuleState, std::size_t> states;
    for (const auto& rule : rules) ++states[Worst(rule)];
    std::string counts;
    for (const auto& [state, count] : states) {
      counts += (counts.empty() ? "" : ", ") + Number(count) + " " + std::string(NameOf(state));
    }
    const bool open = states.contains(RuleState::kBroken) || states.contains(RuleState::kFlaky);
    const Element details(out_, "details", {{"class", "box g"}, {open ? "open" : "", "open"}});
    {
      const Element summary(out_, "summary");
      Leaf(out_, "b", {}, family);
      Leaf(out_, "span", {{"class", "line"}}, counts);
    }
    WriteTable(family, rules);
  }

 private:
  RuleState StateIn(std::size_t run, const std::string& rule) const {
    const auto found = tallies_[run].find(rule);
    return found == tallies_[run].end() ? RuleState::kNotRun : StateOf(found->second);
  }

  /// Broken before flaky before as expected before held before not run.
  RuleState Worst(const std::string& rule) const {
    constexpr RuleState kOrder[] = {RuleState::kBroken, RuleState::kFlaky, RuleState::kAsExpected,
                                    RuleState::kHeld, RuleState::kSkipped};
    for (const RuleState state : kOrder) {
      for (std::size_t run = 0; run < tallies_.size(); ++run) {
        if (StateIn(run, rule) == state) return state;
      }
    }
    return RuleState::kNotRun;
  }

  void WriteTable(const std::string& family, const Rules& rules) const {
    const std::string caption = "Rules " + family + " by machine, kernel and thunk";
    const Element scroll(
        out_, "div",
        {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", caption}});
    const Element table(out_, "table", {{"class", page_.several() ? "matrix many" : "matrix"}});
    Leaf(out_, "caption", {{"class", "quiet"}}, caption);
    {
      const Element head(out_, "thead");
      const Element row(out_, "tr");
      Leaf(out_, "th", {{"scope", "col"}}, "Rule");
      for (const auto& title : page_.titles) {
        Leaf(out_, "th", {{"scope", "col"}}, page_.several() ? title : "State");
      }
    }
    const Element body(out_, "tbody");
    for (const auto& rule : rules) WriteRow(rule);
  }

  void WriteRow(const std::string& rule) const {
    const Element row(out_, "tr",
                      {{"class", "f"}, {"data-v", report::NameOf(LookOf(Worst(rule)).verdict)}});
    {
      const std::string id = IdOf(rule);
      const Element head(out_, "th", {{"scope", "row"}, {id.empty() ? "" : "id", id}});
      Leaf(out_, "b", {}, rule);
      const auto text = page_.options.rule_texts.find(rule);
      if (text != page_.options.rule_texts.end()) {
        out_ << ' ';
        Leaf(out_, "span", {{"class", "text"}}, text->second);
      }
    }
    for (std::size_t run = 0; run < tallies_.size(); ++run) WriteCell(run, rule);
  }

  /// "rule-PTR-1"; nothing for what is no rule's usual name, so that two never have the same.
  static std::string IdOf(const std::string& rule) {
    const bool usual =
        std::all_of(rule.begin(), rule.end(), [](char c) { return IsAsciiAlnum(c) || c == '-'; });
    return usual ? "rule-" + rule : "";
  }

  void WriteCell(std::size_t run, const std::string& rule) const {
    const RuleState state = StateIn(run, rule);
    const StateLook look = LookOf(state);
    const Element cell(out_, "td");
    const std::string text = std::string(look.sign) + " " + std::string(NameOf(state));
    const std::string kind = "state s-" + std::string(report::NameOf(look.verdict));
    const auto anchor = anchors_.find({&page_.runs[run], rule});
    const bool linked = anchor != anchors_.end() && look.verdict != Verdict::kPass &&
                        look.verdict != Verdict::kSkip && !anchor->second.empty();
    if (linked) {
      Leaf(out_, "a", {{"class", kind}, {"href", "#" + anchor->second}}, text);
    } else {
      Leaf(out_, "span", {{"class", kind}}, text);
    }
    if (state == RuleState::kNotRun) return;
    out_ << ' ';
    Leaf(out_, "small", {}, Behind(state, tallies_[run].at(rule)));
  }

  Page& page_;
  std::ostream& out_;
  std::vector<RuleTallies> tallies_;
  std::map<std::pair<const Run*, std::string>, std::string> anchors_;
};

}  // namespace

void WriteRules(Page& page) {
  const MatrixWriter writer(page);
  const auto families = writer.Families();
  if (families.empty()) return;
  const Element section(page.out, "section", {{"aria-labelledby", "rules"}});
  WriteHeading(page.out, "rules", "Rules");
  std::string silent;
  for (const auto& [family, rules] : families) {
    if (writer.AnyRun(rules)) {
      writer.WriteFamily(family, rules);
    } else {
      silent += (silent.empty() ? "" : ", ") + family + " (" + Number(rules.size()) + ")";
    }
  }
  if (!silent.empty()) {
    Leaf(page.out, "p", {{"class", "note"}}, "No test of these rules ran: " + silent + ".");
  }
}

}  // namespace kfdcts::report::html
