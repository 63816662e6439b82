#include "harness/vm/kernel_log.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace kfdcts::vm {
namespace {

/// Takes a decimal number and the ',' or ';' behind it off the front.
std::uint64_t TakeNumber(std::string_view& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  if (!text.empty()) {
    text.remove_prefix(1);
  }
  return value;
}

/// The kernel writes what is not printable as "\xHH".
std::string Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text.substr(i, 2) == "\\x" && i + 4 <= text.size() &&
        std::from_chars(text.data() + i + 2, text.data() + i + 4, value, 16).ptr ==
            text.data() + i + 4) {
      plain.push_back(static_cast<char>(value));
      i += 3;
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

}  // namespace

std::string KernelLine::Raw() const {
  char head[48];
  std::snprintf(head, sizeof head, "<%d>[%5lu.%06lu] ", level, microseconds / 1000000,
                microseconds % 1000000);
  return head + text;
}

void KernelLogParser::Feed(std::string_view bytes) {
  pending_.append(bytes);
  std::size_t start = 0;
  for (auto end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n', start)) {
    Record(std::string_view(pending_).substr(start, end - start));
    start = end + 1;
  }
  pending_.erase(0, start);
}

// "LEVEL,SEQUENCE,MICROSECONDS,FLAGS[,...];TEXT", Documentation/ABI/testing/dev-kmsg; LEVEL holds
// the facility above its lowest three bits. Lines that begin with a blank are properties of the
// record before.
void KernelLogParser::Record(std::string_view record) {
  const auto text = record.find(';');
  if (record.empty() || record.front() == ' ' || text == std::string_view::npos) {
    return;
  }
  std::string_view head = record.substr(0, text);
  KernelLine line;
  line.level = static_cast<int>(TakeNumber(head) & 7);
  TakeNumber(head);
  line.microseconds = TakeNumber(head);
  const std::string lines = Unescape(record.substr(text + 1));
  for (std::size_t start = 0; start <= lines.size();) {
    const auto end = std::min(lines.find('\n', start), lines.size());
    line.text = lines.substr(start, end - start);
    sink_(line);
    start = end + 1;
  }
}

}  // namespace kfdcts::vm
