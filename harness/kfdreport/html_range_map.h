#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kfdcts::report::html {

/// Pages one after the other that are in the same place: 'm' in system memory, 'v' on a GPU, '.'
/// nowhere yet.
struct PageRun {
  char where = '.';
  std::uint64_t pages = 0;

  friend bool operator==(const PageRun&, const PageRun&) = default;
};

/// Memory whose SVM attributes are the same throughout.
struct Range {
  std::uint64_t start = 0;  ///< An address.
  std::uint64_t bytes = 0;
  std::string attributes;
  std::vector<PageRun> runs;  ///< All its pages; empty where the test could not say.

  std::uint64_t end() const { return start + bytes; }
  std::uint64_t pages() const;

  friend bool operator==(const Range&, const Range&) = default;
};

/// All ranges at one moment of a test.
struct RangeState {
  std::string title;  ///< "SVM at the first failure".
  std::vector<Range> ranges;
};

/// The range maps in a test's text, and the text without them.
struct RangeMaps {
  std::vector<RangeState> states;
  std::string rest;
  std::string text;  ///< The lines that are not in `rest`.
};

/// Takes the maps that harness::SvmMap writes out of `text`: a title that ends with a colon, and a
/// line for each range. Lines that are not exactly of that form stay text. At most 8 maps, 256
/// ranges each, are taken.
RangeMaps ParseRangeMaps(std::string_view text);

/// How many ranges and runs of pages they have.
std::size_t PieceCount(const std::vector<RangeState>& states);

/// "vv.": of runs, the longer ones as "m×512".
std::vector<PageRun> ParsePages(std::string_view letters);

/// Memory without a hole that any of the states speaks of.
struct Area {
  std::uint64_t start = 0;
  std::uint64_t end = 0;

  friend bool operator==(const Area&, const Area&) = default;
};

/// By address.
std::vector<Area> AreasOf(const std::vector<RangeState>& states);

}  // namespace kfdcts::report::html
