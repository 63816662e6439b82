#include "harness/kfdreport/html_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace kfdcts::report::html {
namespace {

struct Decoded {
  char32_t code = 0;
  std::size_t length = 0;  ///< 0: no UTF-8.
};

Decoded Decode(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[i]));
  };
  const char32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t length = 0;
  if (first >= 0xC2 && first < 0xE0) length = 2;
  if (first >= 0xE0 && first < 0xF0) length = 3;
  if (first >= 0xF0 && first < 0xF5) length = 4;
  if (length == 0 || text.size() < length) return {};
  char32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kLeast[length] || surrogate || code > 0x10FFFF) return {};
  return {code, length};
}

/// What a reader cannot see, or what changes how its neighbours look.
bool IsHidden(char32_t code) {
  struct Interval {
    char32_t first, last;
  };
  constexpr std::array<Interval, 14> kHidden{{{0x00, 0x08},
                                              {0x0B, 0x1F},
                                              {0x7F, 0x9F},
                                              {0xAD, 0xAD},
                                              {0x61C, 0x61C},
                                              {0x180E, 0x180E},
                                              {0x200B, 0x200F},
                                              {0x2028, 0x202E},
                                              {0x2060, 0x206F},
                                              {0xFDD0, 0xFDEF},
                                              {0xFEFF, 0xFEFF},
                                              {0xFFF0, 0xFFFC},
                                              {0xFFFE, 0xFFFF},
                                              {0xE0000, 0xE0FFF}}};
  const bool noncharacter = (code & 0xFFFEU) == 0xFFFEU;
  return noncharacter || std::any_of(kHidden.begin(), kHidden.end(), [code](const Interval& some) {
           return code >= some.first && code <= some.last;
         });
}

std::string CodeText(char kind, char32_t code) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "\\%c{%x}", kind, static_cast<unsigned>(code));
  return text.data();
}

void AppendEscaped(std::string& out, std::string_view character) {
  switch (character[0]) {
    case '&':
      out += "&amp;";
      return;
    case '<':
      out += "&lt;";
      return;
    case '>':
      out += "&gt;";
      return;
    case '"':
      out += "&quot;";
      return;
    case '\'':
      out += "&#39;";
      return;
    default:
      out += character;
  }
}

/// The longest beginning of at most `most` bytes that ends between two characters.
std::size_t EndOfCharacter(std::string_view text, std::size_t most) {
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return most;
}

std::string Format(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

std::string Escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const Decoded next = Decode(text);
    if (next.length == 0) {
      out += CodeText('x', static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    const bool line_end = text.substr(0, 2) == "\r\n";
    if (IsHidden(next.code) && !line_end) {
      out += CodeText('u', next.code);
    } else if (!line_end) {
      AppendEscaped(out, text.substr(0, next.length));
    }
    text.remove_prefix(next.length);
  }
  return out;
}

std::string Shorten(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::size_t head = EndOfCharacter(text, most / 4);
  const std::size_t tail = EndOfCharacter(text, text.size() - (most - most / 4));
  return std::string(text.substr(0, head)) + "\n[… " + std::to_string(tail - head) +
         " bytes left out …]\n" + std::string(text.substr(tail));
}

std::string Cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  return std::string(text.substr(0, EndOfCharacter(text, most))) + "…";
}

std::string DurationText(double seconds) {
  if (!std::isfinite(seconds) || seconds <= 0) return "0 ms";
  if (seconds < 0.9995) return Format("%.0f ms", seconds * 1000);
  if (seconds < 59.95) return Format("%.1f s", seconds);
  if (seconds >= 1e9) return Format("%.2g s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  }
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

std::string Count(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

std::string Percent(double part, double whole) {
  if (!std::isfinite(part) || !std::isfinite(whole) || whole <= 0) return "0%";
  std::string text = Format("%.3f", 100.0 * std::clamp(part / whole, 0.0, 1.0));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + "%";
}

}  // namespace kfdcts::report::html
