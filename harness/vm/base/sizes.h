#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kfdcts::vm {

/// "256M", "2G", "4096K" or a plain number of bytes; nothing for anything else, zero or more than
/// 2^62.
std::optional<std::uint64_t> ParseSize(std::string_view text);

/// The shortest exact form: 268435456 is "256M".
std::string FormatSize(std::uint64_t bytes);

}  // namespace kfdcts::vm
