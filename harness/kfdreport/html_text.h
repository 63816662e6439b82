#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kfdcts::report::html {

/// `text` so that it can stand between tags and in an attribute's double quotes, in HTML and in
/// XML. What would not show, or would make the page show something else than it says, is written as
/// its code: "\u{202e}" for control characters, line-reversing, invisible and forbidden ones,
/// "\x{ff}" for bytes that are not UTF-8. Line breaks and tabs stay.
std::string Escape(std::string_view text);

/// `text`, or where it is longer than `most` bytes its first quarter and its last three, with a
/// line between them that says how much is missing. Cuts between characters.
std::string Shorten(std::string_view text, std::size_t most);

/// The first `most` bytes at most of `text`, and "…" where that is not all.
std::string Cut(std::string_view text, std::size_t most);

/// "46 ms", "1.3 s", "13 min 19 s"; "0 ms" for what is no time.
std::string DurationText(double seconds);

/// "1 test", "2 tests".
std::string Count(std::size_t count, std::string_view one, std::string_view many);

/// "12.5%": `part` of `whole` with three places at most; "0%" where there is no whole.
std::string Percent(double part, double whole);

/// Whether `c` is one of a to z, A to Z, 0 to 9.
constexpr bool IsAsciiAlnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace kfdcts::report::html
