#include "thunk/src/topology/property_text.h"

#include <charconv>
#include <limits>

namespace kfdcts::thunk {

std::optional<std::uint64_t> ParseNumber(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  std::uint64_t number = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  if (!negative) return number;
  constexpr std::uint64_t kLowest = std::uint64_t{1} << 63;
  if (number > kLowest) return std::nullopt;
  return std::uint64_t{0} - number;
}

std::vector<std::uint32_t> ParseNumberList(std::string_view list) {
  std::vector<std::uint32_t> numbers;
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    const auto number = ParseNumber(word);
    if (!number || *number > std::numeric_limits<std::uint32_t>::max()) break;
    numbers.push_back(static_cast<std::uint32_t>(*number));
    list.remove_prefix(word.size() == list.size() ? word.size() : word.size() + 1);
  }
  return numbers;
}

}  // namespace kfdcts::thunk
