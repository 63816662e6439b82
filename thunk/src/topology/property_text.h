#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kfdcts::thunk {

/// The number that the whole of `word` spells in decimal, 0 to 2^64-1; a negative one down to -2^63
/// as its two's complement, which is how the kernel's "%d" and "%lld" come. Nothing for all else:
/// letters, a sign alone, more than 64 bits.
std::optional<std::uint64_t> ParseNumber(std::string_view word);

/// The numbers of a list such as "1,0,16"; the list ends at the first word that is none.
std::vector<std::uint32_t> ParseNumberList(std::string_view list);

/// One property that a reader knows, by the member that takes it.
template <typename Object>
struct PropertyField {
  std::string_view key;
  std::uint64_t Object::*member;
};

/// Splits `text` into lines of a key and the rest. `visit(key, value)` gets the value without
/// blanks around it; a line of fewer than two words is passed over.
template <typename Visitor>
void ForEachProperty(std::string_view text, Visitor visit) {
  constexpr std::string_view kBlanks = " \t\r";
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    const std::size_t key_end = line.find_first_of(kBlanks);
    if (key_end == std::string_view::npos) continue;
    std::string_view value = line.substr(key_end);
    const std::size_t value_start = value.find_first_not_of(kBlanks);
    if (value_start == std::string_view::npos) continue;
    value = value.substr(value_start, value.find_last_not_of(kBlanks) + 1 - value_start);
    visit(line.substr(0, key_end), value);
  }
}

/// Fills the members of `object` from a file of `key value` lines, as sysfs has them. Unlike
/// libhsakmt's, no line can hide the ones after it: unknown keys and values that are no number are
/// passed over, and the file may be of any length. A key that comes twice has its last number.
template <typename Object>
void FillProperties(std::string_view text, std::span<const PropertyField<Object>> fields,
                    Object& object) {
  ForEachProperty(text, [&](std::string_view key, std::string_view value) {
    for (const PropertyField<Object>& field : fields) {
      if (field.key != key) continue;
      if (const auto number = ParseNumber(value)) object.*field.member = *number;
      return;
    }
  });
}

}  // namespace kfdcts::thunk
