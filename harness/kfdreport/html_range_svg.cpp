#include "harness/kfdreport/html_range_svg.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <set>

#include "harness/kfdreport/html_element.h"

namespace kfdcts::report::html {
namespace {

/// A piece narrower than this part of the width cannot be seen.
constexpr double kLeastPart = 0.02;
/// A piece of at least this part has room for its label.
constexpr double kLabelPart = 0.06;
constexpr std::size_t kMostPieces = 200;
constexpr std::uint64_t kMostTicks = 64;

std::string Hex(std::uint64_t value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
  return text.data();
}

bool Within(const Area& area, const Range& range) {
  return range.start >= area.start && range.end() <= area.end;
}

/// A run of pages as addresses.
struct Piece {
  char where = '.';
  std::uint64_t pages = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

std::vector<Piece> PiecesOf(const Range& range) {
  std::vector<Piece> pieces;
  const std::uint64_t pages = range.pages();
  if (pages == 0) return pieces;
  const double bytes = static_cast<double>(range.bytes) / static_cast<double>(pages);
  std::uint64_t done = 0;
  const auto address = [&] {
    return done == pages
               ? range.end()
               : range.start +
                     static_cast<std::uint64_t>(std::llround(bytes * static_cast<double>(done)));
  };
  for (const auto& run : range.runs) {
    const std::uint64_t start = address();
    done += run.pages;
    pieces.push_back({run.where, run.pages, start, address()});
  }
  return pieces;
}

const char* PlaceText(char where) {
  if (where == 'm') return "in system memory";
  return where == 'v' ? "on a GPU" : "nowhere yet";
}

/// A letter for each set of attributes, in the order of their appearance.
class Letters {
 public:
  explicit Letters(const std::vector<RangeState>& states) {
    for (const auto& state : states) {
      for (const auto& range : state.ranges) {
        if (std::find(sets_.begin(), sets_.end(), range.attributes) == sets_.end()) {
          sets_.push_back(range.attributes);
        }
      }
    }
  }
  std::string Of(const std::string& attributes) const {
    const auto index =
        static_cast<std::size_t>(std::find(sets_.begin(), sets_.end(), attributes) - sets_.begin());
    return Name(index);
  }
  static std::string Name(std::size_t index) {
    constexpr std::size_t kAlphabet = 26;
    std::string name(1, static_cast<char>('A' + index % kAlphabet));
    if (index >= kAlphabet) name += std::to_string(index / kAlphabet + 1);
    return name;
  }
  const std::vector<std::string>& sets() const { return sets_; }

 private:
  std::vector<std::string> sets_;
};

std::string Describe(const RangeState& state, const Area& area, const Letters& letters) {
  std::string text = state.title + ": ";
  bool first = true;
  for (const auto& range : state.ranges) {
    if (!Within(area, range)) continue;
    if (!first) text += "; ";
    first = false;
    text += Hex(range.start) + ", " + SizeText(range.bytes) + ", attributes " +
            letters.Of(range.attributes);
    for (const auto& run : range.runs) {
      text += ", " + Count(run.pages, "page ", "pages ") + PlaceText(run.where);
    }
  }
  return text;
}

void Box(std::ostream& out, const char* kind, const Scale& scale, std::uint64_t start,
         std::uint64_t end, const char* y, const char* height, const std::string& tip) {
  const Element rect(out, "rect",
                     {{"class", kind},
                      {"x", scale.At(start)},
                      {"y", y},
                      {"width", scale.Width(start, end)},
                      {"height", height}});
  Leaf(out, "title", {}, tip);
}

void Label(std::ostream& out, const char* kind, const Scale& scale, std::uint64_t start,
           std::uint64_t end, const char* y, const std::string& text) {
  const std::string width = scale.Width(start, end);
  const double room = std::strtod(width.c_str(), nullptr) / 100;
  if (room < kLabelPart) return;
  const double middle = std::strtod(scale.At(start).c_str(), nullptr) / 100 + room / 2;
  Leaf(out, "text", {{"class", kind}, {"x", Percent(middle, 1)}, {"y", y}}, text);
}

void WriteRange(std::ostream& out, const Range& range, const Scale& scale, const Letters& letters) {
  const std::string letter = letters.Of(range.attributes);
  Box(out, "range", scale, range.start, range.end(), "0.5", "21",
      Hex(range.start) + " " + SizeText(range.bytes) + " " + letter + ": " + range.attributes);
  Label(out, "name", scale, range.start, range.end(), "15", letter);
  for (const auto& piece : PiecesOf(range)) {
    const std::string pages = Count(piece.pages, "page ", "pages ") + PlaceText(piece.where);
    const std::string tip = Hex(piece.start) + ": " + pages;
    if (piece.where == 'v') {
      Box(out, "gpu", scale, piece.start, piece.end, "27", "15", tip);
      Label(out, "on", scale, piece.start, piece.end, "38.5", std::to_string(piece.pages));
    } else if (piece.where == 'm') {
      Box(out, "sys", scale, piece.start, piece.end, "43", "15", tip);
      Label(out, "on", scale, piece.start, piece.end, "54.5", std::to_string(piece.pages));
    } else {
      Box(out, "none", scale, piece.start, piece.end, "42", "1", tip);
    }
  }
}

/// Page borders, where the pages are few.
void WriteTicks(std::ostream& out, const Range& range, const Scale& scale) {
  const std::uint64_t pages = range.pages();
  if (!scale.proportional() || pages > kMostTicks) return;
  for (std::uint64_t page = 1; page < pages; ++page) {
    const std::string x = scale.At(range.start + range.bytes / pages * page);
    Void(out, "line", {{"class", "page"}, {"x1", x}, {"x2", x}, {"y1", "27"}, {"y2", "58"}});
  }
}

void WriteStrip(std::ostream& out, const RangeState& state, const Area& area, const Scale& scale,
                const Letters& letters) {
  const Element strip(out, "div", {{"class", "strip"}});
  {
    // What the two lanes are is said beside them, where it cannot shrink.
    const Element lanes(out, "div", {{"class", "lanes"}, {"aria-hidden", "true"}});
    Leaf(out, "span", {}, "ranges");
    Leaf(out, "span", {}, "GPU");
    Leaf(out, "span", {}, "system");
  }
  const Element svg(out, "svg",
                    {{"class", "ranges"},
                     {"xmlns", "http://www.w3.org/2000/svg"},
                     {"width", "100%"},
                     {"height", "60"},
                     {"role", "img"},
                     {"aria-label", Describe(state, area, letters)}});
  for (const char* lane : {"27", "43"}) {
    Void(out, "rect", {{"class", "lane"}, {"y", lane}, {"width", "100%"}, {"height", "15"}});
  }
  for (const auto& range : state.ranges) {
    if (Within(area, range)) WriteRange(out, range, scale, letters);
  }
  for (const auto& range : state.ranges) {
    if (Within(area, range)) WriteTicks(out, range, scale);
  }
}

void WriteArea(std::ostream& out, const std::vector<RangeState>& states, const Area& area,
               const Letters& letters) {
  const Scale scale(area, states);
  const Element element(out, "div", {{"class", "area"}});
  for (const auto& state : states) {
    const bool any = std::any_of(state.ranges.begin(), state.ranges.end(),
                                 [&](const Range& range) { return Within(area, range); });
    Leaf(out, "p", {{"class", "state"}}, state.title + (any ? "" : ": nothing here"));
    if (any) WriteStrip(out, state, area, scale, letters);
  }
  const Element ends(out, "p", {{"class", "ends"}});
  Leaf(out, "code", {}, Hex(area.start));
  Leaf(out, "span", {},
       SizeText(area.end - area.start) + (scale.proportional() ? "" : ", not to scale"));
  Leaf(out, "code", {}, Hex(area.end));
}

std::vector<std::string> Split(std::string_view attributes) {
  std::vector<std::string> parts;
  while (!attributes.empty()) {
    const std::size_t end = std::min(attributes.find(", "), attributes.size());
    parts.emplace_back(attributes.substr(0, end));
    attributes.remove_prefix(std::min(end + 2, attributes.size()));
  }
  return parts;
}

/// What sets the later ones apart from the first is emphasised.
void WriteAttributeSets(std::ostream& out, const Letters& letters) {
  const Element list(out, "dl", {{"class", "sets"}});
  std::vector<std::string> first;
  for (std::size_t i = 0; i < letters.sets().size(); ++i) {
    const auto parts = Split(WithFlagNames(letters.sets()[i]));
    if (i == 0) first = parts;
    Leaf(out, "dt", {}, Letters::Name(i));
    const Element text(out, "dd");
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (part > 0) out << ", ";
      const bool same = part < first.size() && first[part] == parts[part];
      if (same) {
        Text(out, parts[part]);
      } else {
        Leaf(out, "strong", {}, parts[part]);
      }
    }
  }
}

/// A state that is the one before it is told by its title alone.
std::vector<RangeState> WithoutRepeats(const std::vector<RangeState>& states) {
  std::vector<RangeState> different;
  for (const auto& state : states) {
    if (!different.empty() && different.back().ranges == state.ranges) {
      different.back().title += "; the same: " + state.title;
    } else {
      different.push_back(state);
    }
  }
  return different;
}

}  // namespace

Scale::Scale(const Area& area, const std::vector<RangeState>& states) {
  std::set<std::uint64_t> edges = {area.start, area.end};
  for (const auto& state : states) {
    for (const auto& range : state.ranges) {
      if (!Within(area, range)) continue;
      edges.insert({range.start, range.end()});
      for (const auto& piece : PiecesOf(range)) edges.insert({piece.start, piece.end});
    }
  }
  const auto length = static_cast<double>(area.end - area.start);
  const auto walk = [&](auto weight) {
    double sum = 0;
    std::uint64_t before = area.start;
    for (const std::uint64_t edge : edges) {
      sum += weight(static_cast<double>(edge - before));
      positions_[edge] = sum;
      before = edge;
    }
  };
  walk([](double bytes) { return bytes; });
  if (edges.size() > kMostPieces) return;
  std::uint64_t before = area.start;
  for (const std::uint64_t edge : edges) {
    const auto bytes = static_cast<double>(edge - before);
    if (bytes > 0 && bytes / length < kLeastPart) proportional_ = false;
    before = edge;
  }
  constexpr double kKiB = 1024;
  if (!proportional_) walk([](double b) { return b > 0 ? 1 + std::log2(1 + b / kKiB) : 0.0; });
}

double Scale::Position(std::uint64_t address) const {
  const auto after = positions_.lower_bound(address);
  if (after == positions_.end()) return positions_.rbegin()->second;
  if (after->first == address || after == positions_.begin()) return after->second;
  const auto before = std::prev(after);
  const double part = static_cast<double>(address - before->first) /
                      static_cast<double>(after->first - before->first);
  return before->second + part * (after->second - before->second);
}

std::string Scale::At(std::uint64_t address) const {
  return Percent(Position(address), positions_.rbegin()->second);
}

std::string Scale::Width(std::uint64_t start, std::uint64_t end) const {
  return Percent(Position(end) - Position(start), positions_.rbegin()->second);
}

std::string SizeText(std::uint64_t bytes) {
  if (bytes % (1U << 20U) == 0) return std::to_string(bytes >> 20U) + " MiB";
  return std::to_string(bytes >> 10U) + " KiB";
}

std::string WithFlagNames(std::string_view attributes) {
  constexpr std::string_view kBefore = "flags 0x";
  constexpr std::array<const char*, 8> kNames = {
      "host access", "coherent",         "hive local",    "GPU read-only",
      "GPU exec",    "GPU reads mostly", "always mapped", "extended coherent"};
  std::string text(attributes);
  const std::size_t place = text.find(kBefore);
  if (place == std::string::npos) return text;
  unsigned flags = 0;
  const char* const digits = text.data() + place + kBefore.size();
  const auto [end, error] = std::from_chars(digits, text.data() + text.size(), flags, 16);
  if (error != std::errc() || flags == 0) return text;
  std::string names;
  for (std::size_t bit = 0; bit < kNames.size(); ++bit) {
    if ((flags >> bit & 1U) != 0) names += (names.empty() ? "" : " + ") + std::string(kNames[bit]);
  }
  if (names.empty()) return text;
  return text.insert(static_cast<std::size_t>(end - text.data()), " (" + names + ")");
}

void WriteRangeFigure(std::ostream& out, const std::vector<RangeState>& states) {
  const auto different = WithoutRepeats(states);
  const Letters letters(different);
  const Element figure(out, "figure", {{"class", "map"}});
  Leaf(out, "figcaption", {}, "SVM ranges and where their pages are");
  for (const auto& area : AreasOf(different)) WriteArea(out, different, area, letters);
  WriteAttributeSets(out, letters);
  const Element legend(out, "p", {{"class", "legend"}});
  const auto entry = [&](const char* kind, const char* text) {
    const Element span(out, "span");
    {
      const Element svg(out, "svg", {{"width", "14"}, {"height", "12"}, {"aria-hidden", "true"}});
      Void(out, "rect",
           {{"class", kind},
            {"x", "0"},
            {"y", *kind == 'n' ? "5" : "0"},
            {"width", "14"},
            {"height", *kind == 'n' ? "1" : "12"}});
    }
    Text(out, text);
  };
  entry("gpu", " upper lane: pages on a GPU (v)");
  entry("sys", " lower lane: in system memory (m)");
  entry("none", " thin line: no page yet (.)");
}

}  // namespace kfdcts::report::html
