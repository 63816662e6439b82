#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kfdreport/html_range_map.h"

namespace kfdcts::report::html {

/// Where addresses of an area are drawn, as parts of its width. In proportion to bytes, unless that
/// would make a piece too small to be seen: then pieces grow with the logarithm of their bytes.
class Scale {
 public:
  Scale(const Area& area, const std::vector<RangeState>& states);

  /// "37.5%", of an address in the area.
  std::string At(std::uint64_t address) const;
  std::string Width(std::uint64_t start, std::uint64_t end) const;
  bool proportional() const { return proportional_; }

 private:
  double Position(std::uint64_t address) const;

  bool proportional_ = true;
  /// Each place where a range or run begins or ends, and its distance from the area's start.
  std::map<std::uint64_t, double> positions_;
};

/// "40 KiB".
std::string SizeText(std::uint64_t bytes);

/// "0x3 (host access, coherent)" in place of "0x3" after "flags ": names of HSA_SVM_FLAGS.
std::string WithFlagNames(std::string_view attributes);

/// The states as drawings, one under the other, with legend and text alternatives.
void WriteRangeFigure(std::ostream& out, const std::vector<RangeState>& states);

}  // namespace kfdcts::report::html
