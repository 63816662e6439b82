#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kfdreport/html_page.h"
#include "harness/kfdreport/html_range_map.h"
#include "harness/kfdreport/html_range_svg.h"

namespace kfdcts::report::html {
namespace {

/// What the whole page holds of tests' texts, so that it stays a page.
constexpr std::size_t kMostTextOfAll = std::size_t{4} << 20U;
/// Failures that are open from the start.
constexpr std::size_t kMostOpen = 3;

/// Texts as long as there is room for them.
class TextWriter {
 public:
  TextWriter(std::ostream& out, std::size_t most_each) : out_(out), most_each_(most_each) {}

  void Pre(std::string_view text) {
    const std::string shown = Fit(text);
    const Element pre(out_, "pre");
    // HTML drops a line break that follows the tag.
    Text(out_, shown.starts_with('\n') ? "\n" + shown : shown);
  }

  void Folded(const std::string& title, std::string_view text) {
    if (text.find_first_not_of(" \n\t\r") == std::string_view::npos) return;
    const Element details(out_, "details", {{"class", "more"}});
    Leaf(out_, "summary", {}, title);
    Pre(text);
  }

 private:
  std::string Fit(std::string_view text) {
    if (left_ == 0) return "[left out: the page holds enough text]";
    std::string shown = Shorten(text, std::min(most_each_, left_));
    left_ -= std::min(left_, shown.size());
    return shown;
  }

  std::ostream& out_;
  std::size_t most_each_;
  std::size_t left_ = kMostTextOfAll;
};

std::string_view Trimmed(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \n\t\r");
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
}

std::size_t LineCount(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) +
         (text.empty() || text.ends_with('\n') ? 0 : 1);
}

class FailureWriter {
 public:
  explicit FailureWriter(Page& page)
      : page_(page), out_(page.out), texts_(page.out, page.options.most_text) {}

  void Write(const Entry& entry, bool open) {
    const Case& one = *entry.one;
    const Element details(out_, "details",
                          {{"class", "box f"},
                           {"id", page_.AnchorOf(one)},
                           {"data-v", report::NameOf(one.verdict)},
                           {open ? "open" : "", "open"}});
    WriteHead(one);
    const Element body(out_, "div", {{"class", "body"}});
    WriteFacts(entry);
    WriteTexts(one);
  }

 private:
  void WriteHead(const Case& one) {
    const Element summary(out_, "summary");
    WriteBadge(out_, one.verdict);
    out_ << ' ';
    Leaf(out_, "code", {{"class", "name"}}, Cut(one.FullName(), kMostName));
    const std::string line = HeadLine(one);
    if (line.empty()) return;
    out_ << ' ';
    Leaf(out_, "span", {{"class", "line"}}, Cut(line, kMostHead));
  }

  static std::string HeadLine(const Case& one) {
    switch (one.verdict) {
      case Verdict::kWarn:
        return std::string(one.PropertyOf("warn"));
      case Verdict::kFlake:
        return std::string(one.PropertyOf("flake"));
      case Verdict::kUnexpectedPass:
        return std::string(one.PropertyOf("unexpected_pass"));
      case Verdict::kExpectedFail:
        return "";
      default:
        return one.message;
    }
  }

  void Fact(const char* name, std::string_view value) {
    if (value.empty()) return;
    const Element pair(out_, "div");
    Leaf(out_, "dt", {}, name);
    Leaf(out_, "dd", {}, value);
  }

  void WriteTexted(const char* name, const std::vector<std::string>& ids,
                   const std::map<std::string, std::string>& texts) {
    for (std::size_t i = 0; i < std::min(ids.size(), kMostRules); ++i) {
      const auto& id = ids[i];
      const auto found = texts.find(id);
      const Element pair(out_, "div");
      Leaf(out_, "dt", {}, name);
      const Element value(out_, "dd");
      Leaf(out_, "b", {}, id);
      if (found != texts.end()) Text(out_, " " + found->second);
    }
  }

  void WriteFacts(const Entry& entry) {
    const Case& one = *entry.one;
    const Element facts(out_, "dl", {{"class", "facts"}});
    if (page_.several()) Fact("Run", page_.TitleOf(*entry.run));
    Fact("Checks", one.PropertyOf("property"));
    WriteTexted("Rule", one.rules, page_.options.rule_texts);
    WriteTexted("Guards", one.bugs, page_.options.bug_texts);
    Fact("Expected, because", one.PropertyOf("expected_failure"));
    Fact("Expected to fail, because", one.PropertyOf("unexpected_pass"));
    Fact("Its runs", one.PropertyOf("flake"));
    Fact("The kernel said", one.PropertyOf("warn"));
    Fact("Test", PlaceOf(one));
    Fact("Time", DurationText(one.seconds));
    Fact("Recorded", RecordedBy(one));
  }

  static std::string PlaceOf(const Case& one) {
    std::string place(one.PropertyOf("file"));
    if (!place.empty() && !one.PropertyOf("line").empty()) {
      place.append(":").append(one.PropertyOf("line"));
    }
    return place;
  }

  /// "xnack on, boot amdgpu.noretry=1".
  static std::string RecordedBy(const Case& one) {
    std::string text;
    for (const auto& [name, value] : one.properties) {
      if (IsTold(name)) continue;
      if (!text.empty()) text += ", ";
      text.append(Cut(name, kMostHead)).append(" ").append(Cut(value, kMostHead));
      if (text.size() > kMostRecorded) break;
    }
    return text;
  }

  static bool IsTold(std::string_view name) {
    constexpr std::array<std::string_view, 8> kTold = {"property",
                                                       "expected_failure",
                                                       "unexpected_pass",
                                                       "flake",
                                                       "warn",
                                                       "file",
                                                       "missing_capability",
                                                       "line"};
    return std::find(kTold.begin(), kTold.end(), name) != kTold.end();
  }

  /// What failed as expected has its failures among its output.
  void WriteTexts(const Case& one) {
    const bool in_output = one.details.empty() && one.verdict == Verdict::kExpectedFail;
    const auto maps = ParseRangeMaps(in_output ? one.output : one.details);
    if (const auto text = Trimmed(maps.rest); !text.empty()) texts_.Pre(text);
    if (!maps.states.empty()) {
      WriteFigure(maps.states);
      texts_.Folded("Ranges as text", Trimmed(maps.text));
    }
    if (!in_output) texts_.Folded("Output", Trimmed(one.output));
    const auto log = Trimmed(one.kernel_log);
    texts_.Folded("Kernel log, " + Count(LineCount(log), "line", "lines"), log);
  }

  void WriteFigure(const std::vector<RangeState>& states) {
    const std::size_t pieces = PieceCount(states);
    if (pieces > pieces_left_ || pieces > kMostPieces) {
      Leaf(out_, "p", {{"class", "note"}}, "The ranges are too many to be drawn here.");
      return;
    }
    pieces_left_ -= pieces;
    WriteRangeFigure(out_, states);
  }

  static constexpr std::size_t kMostHead = 300;
  static constexpr std::size_t kMostName = 1000;
  static constexpr std::size_t kMostRecorded = 2000;
  static constexpr std::size_t kMostRules = 30;
  /// Of ranges and runs of pages, in one figure and in all.
  static constexpr std::size_t kMostPieces = 1000;
  static constexpr std::size_t kMostPiecesOfAll = 20'000;

  Page& page_;
  std::ostream& out_;
  TextWriter texts_;
  std::size_t pieces_left_ = kMostPiecesOfAll;
};

void WriteUntold(const Page& page) {
  if (page.untold() == 0) return;
  Leaf(page.out, "p", {{"class", "note"}},
       Number(page.untold()) + " more are not told here; the list of tests names them.");
}

void WriteUnexpected(Page& page, FailureWriter& writer, const std::vector<Entry>& entries) {
  if (entries.empty()) return;
  const Element section(page.out, "section", {{"aria-labelledby", "failures"}});
  WriteHeading(page.out, "failures", "Unexpected results");
  std::size_t opened = 0;
  for (const auto& entry : entries) {
    const bool open = IsBad(entry.one->verdict) && opened < kMostOpen;
    opened += open ? 1 : 0;
    writer.Write(entry, open);
  }
}

/// Many tests fail for one cause: it is told once.
void WriteExpected(Page& page, FailureWriter& writer, const std::vector<Entry>& entries) {
  if (entries.empty()) return;
  std::vector<std::string> causes;
  std::map<std::string, std::vector<Entry>> by_cause;
  for (const auto& entry : entries) {
    const std::string_view property = entry.one->PropertyOf("expected_failure");
    const std::string cause = property.empty() ? entry.one->message : std::string(property);
    if (!by_cause.contains(cause)) causes.push_back(cause);
    by_cause[cause].push_back(entry);
  }
  const Element section(page.out, "section", {{"aria-labelledby", "expected"}});
  WriteHeading(page.out, "expected", "Failed as expected, by cause");
  for (const auto& cause : causes) {
    const auto& of_cause = by_cause[cause];
    const Element details(page.out, "details", {{"class", "box g"}});
    {
      const Element summary(page.out, "summary");
      Leaf(page.out, "span", {{"class", "count"}}, Count(of_cause.size(), "test", "tests"));
      Leaf(page.out, "span", {{"class", "line"}}, cause);
    }
    const Element body(page.out, "div", {{"class", "body"}});
    for (const auto& entry : of_cause) writer.Write(entry, false);
  }
}

}  // namespace

void WriteFailures(Page& page) {
  std::vector<Entry> expected;
  std::vector<Entry> unexpected;
  for (const auto& entry : page.told()) {
    const bool as_expected = entry.one->verdict == Verdict::kExpectedFail;
    (as_expected ? expected : unexpected).push_back(entry);
  }
  FailureWriter writer(page);
  WriteUnexpected(page, writer, unexpected);
  WriteExpected(page, writer, expected);
  WriteUntold(page);
}

}  // namespace kfdcts::report::html
