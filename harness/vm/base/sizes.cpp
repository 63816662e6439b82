#include "harness/vm/base/sizes.h"

#include <charconv>

namespace kfdcts::vm {

std::optional<std::uint64_t> ParseSize(std::string_view text) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;
  int shift = 0;
  if (!text.empty()) {
    switch (text.back()) {
      case 'K':
        shift = 10;
        break;
      case 'M':
        shift = 20;
        break;
      case 'G':
        shift = 30;
        break;
      default:
        break;
    }
  }
  if (shift != 0) {
    text.remove_suffix(1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 ||
      value > kLargest >> shift) {
    return std::nullopt;
  }
  return value << shift;
}

std::string FormatSize(std::uint64_t bytes) {
  for (const auto& [shift, unit] : {std::pair{30, "G"}, {20, "M"}, {10, "K"}}) {
    if (bytes != 0 && bytes % (std::uint64_t{1} << shift) == 0) {
      return std::to_string(bytes >> shift) + unit;
    }
  }
  return std::to_string(bytes);
}

}  // namespace kfdcts::vm
