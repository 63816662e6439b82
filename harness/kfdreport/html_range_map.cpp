#include "harness/kfdreport/html_range_map.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>

namespace kfdcts::report::html {
namespace {

constexpr std::size_t kMostStates = 8;
constexpr std::size_t kMostRanges = 256;
constexpr std::size_t kMostRuns = 4096;
constexpr std::string_view kTimes = "×";

/// Reads from the front of a line.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool Skip(std::string_view what) {
    if (!text_.starts_with(what)) return false;
    text_.remove_prefix(what.size());
    return true;
  }

  std::optional<std::uint64_t> Number(int base) {
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data(), text_.data() + text_.size(), value, base);
    if (error != std::errc()) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

/// "128 KiB", in bytes; nothing for none at all.
std::optional<std::uint64_t> ParseSize(Cursor& cursor) {
  const auto number = cursor.Number(10);
  if (!number || !cursor.Skip(" ")) return std::nullopt;
  const unsigned shift = cursor.Skip("KiB") ? 10 : cursor.Skip("MiB") ? 20 : 0;
  const auto most = std::numeric_limits<std::uint64_t>::max() >> shift;
  if (shift == 0 || *number == 0 || *number > most) return std::nullopt;
  return *number << shift;
}

/// "  0x7f07a7296000 128 KiB  preferred undefined, …  [.×10m×16......]".
std::optional<Range> ParseRange(std::string_view line) {
  Cursor cursor(line);
  if (!cursor.Skip("  0x")) return std::nullopt;
  const auto start = cursor.Number(16);
  if (!start || !cursor.Skip(" ")) return std::nullopt;
  const auto bytes = ParseSize(cursor);
  if (!bytes || *bytes > std::numeric_limits<std::uint64_t>::max() - *start) return std::nullopt;
  if (!cursor.Skip("  ") || !cursor.rest().ends_with(']')) return std::nullopt;
  const std::size_t bracket = cursor.rest().rfind("  [");
  if (bracket == std::string_view::npos) return std::nullopt;
  const auto letters = cursor.rest().substr(bracket + 3);
  return Range{*start, *bytes, std::string(cursor.rest().substr(0, bracket)),
               ParsePages(letters.substr(0, letters.size() - 1))};
}

/// "suites/support/svm_test.cpp:77", which stands above each failure's text.
bool IsPlace(std::string_view line) {
  const std::size_t colon = line.rfind(':');
  return colon != std::string_view::npos && colon > 0 && colon + 1 < line.size() &&
         line.find(' ') == std::string_view::npos &&
         line.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
}

class Parser {
 public:
  void Line(std::string_view line) {
    if (auto range = ParseRange(line); range && Take(*range)) {
      maps_.text += std::string(line) + "\n";
      return;
    }
    Flush();
    if (line.ends_with(':') && line.size() > 1 && !line.starts_with(' ')) {
      title_ = std::string(line);
    } else {
      maps_.rest += std::string(line) + "\n";
    }
  }

  RangeMaps Finish() {
    Flush();
    return std::move(maps_);
  }

 private:
  bool Take(Range& range) {
    if (title_) {
      if (maps_.states.size() == kMostStates) return false;
      TakePlace();
      maps_.text += *title_ + "\n";
      maps_.states.push_back({title_->substr(0, title_->size() - 1), {}});
      title_.reset();
      open_ = true;
    }
    if (!open_ || maps_.states.back().ranges.size() == kMostRanges) return false;
    maps_.states.back().ranges.push_back(std::move(range));
    return true;
  }

  /// The place of a failure that is nothing but maps goes with them.
  void TakePlace() {
    auto& rest = maps_.rest;
    if (rest.empty() || !maps_.states.empty()) return;
    const std::size_t before =
        rest.size() == 1 ? std::string::npos : rest.rfind('\n', rest.size() - 2);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    const std::string line = rest.substr(start, rest.size() - 1 - start);
    if (!IsPlace(line)) return;
    maps_.text += line + "\n";
    rest.resize(start);
  }

  /// A title that no range followed is text.
  void Flush() {
    if (title_) maps_.rest += *title_ + "\n";
    title_.reset();
    open_ = false;
  }

  RangeMaps maps_;
  std::optional<std::string> title_;
  bool open_ = false;
};

}  // namespace

std::uint64_t Range::pages() const {
  return std::accumulate(runs.begin(), runs.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const PageRun& run) { return sum + run.pages; });
}

std::size_t PieceCount(const std::vector<RangeState>& states) {
  std::size_t count = 0;
  for (const auto& state : states) {
    for (const auto& range : state.ranges) count += 1 + range.runs.size();
  }
  return count;
}

std::vector<PageRun> ParsePages(std::string_view letters) {
  constexpr std::uint64_t kMostPages = std::uint64_t{1} << 40U;
  std::vector<PageRun> runs;
  Cursor cursor(letters);
  while (!cursor.rest().empty()) {
    const char where = cursor.rest().front();
    if (where != 'm' && where != 'v' && where != '.') return {};
    cursor.Skip(cursor.rest().substr(0, 1));
    std::uint64_t pages = 1;
    if (cursor.Skip(kTimes)) pages = cursor.Number(10).value_or(0);
    if (pages == 0 || pages > kMostPages) return {};
    if (!runs.empty() && runs.back().where == where) {
      runs.back().pages += pages;
    } else {
      runs.push_back({where, pages});
    }
    if (runs.size() > kMostRuns || runs.back().pages > kMostPages) return {};
  }
  return runs;
}

RangeMaps ParseRangeMaps(std::string_view text) {
  Parser parser;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    parser.Line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.Finish();
}

std::vector<Area> AreasOf(const std::vector<RangeState>& states) {
  std::vector<Area> all;
  for (const auto& state : states) {
    for (const auto& range : state.ranges) all.push_back({range.start, range.end()});
  }
  std::sort(all.begin(), all.end(), [](const Area& a, const Area& b) { return a.start < b.start; });
  std::vector<Area> areas;
  for (const auto& one : all) {
    if (areas.empty() || one.start > areas.back().end) {
      areas.push_back(one);
    } else {
      areas.back().end = std::max(areas.back().end, one.end);
    }
  }
  return areas;
}

}  // namespace kfdcts::report::html
