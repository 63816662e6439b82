#include "harness/run/progress.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace kfdcts::harness {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// A line that changes faster cannot be read, and costs a remote terminal time.
constexpr milliseconds kShortest{100};

std::string Clock(milliseconds time) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(time).count();
  std::array<char, 48> text{};
  if (seconds < 3600) {
    std::snprintf(text.data(), text.size(), "%lld:%02lld", static_cast<long long>(seconds / 60),
                  static_cast<long long>(seconds % 60));
  } else {
    std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld",
                  static_cast<long long>(seconds / 3600), static_cast<long long>(seconds / 60 % 60),
                  static_cast<long long>(seconds % 60));
  }
  return text.data();
}

/// The bytes as they are: a terminal takes them at once or never.
void Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string ProgressText(const Progress& progress, milliseconds elapsed, bool colours) {
  std::string text = std::to_string(progress.done) + " of " + std::to_string(progress.total);
  std::string failed = std::to_string(progress.failed) + " failed";
  if (colours && progress.failed > 0) failed = "\x1b[31m" + failed + "\x1b[0m";
  text += ", " + failed + ", " + std::to_string(progress.skipped) + " skipped";
  if (progress.done > 0 && progress.done <= progress.total) {
    const auto left = static_cast<double>(elapsed.count()) / static_cast<double>(progress.done) *
                      static_cast<double>(progress.total - progress.done);
    text += ", about " + Clock(milliseconds(static_cast<long long>(left))) + " left";
  }
  return text;
}

bool ColoursRefused() {
  const char* refused = getenv("NO_COLOR");
  return refused != nullptr && *refused != '\0';
}

StatusLine::StatusLine() {
  const char* terminal = getenv("TERM");
  on_ = isatty(STDERR_FILENO) == 1 && (terminal == nullptr || std::string_view(terminal) != "dumb");
  colours_ = on_ && !ColoursRefused();
}

StatusLine& StatusLine::Get() {
  static StatusLine line;
  return line;
}

void StatusLine::Show(const std::string& text) {
  if (!on_) return;
  const std::lock_guard lock(mutex_);
  const auto now = steady_clock::now();
  if (now - last_ < kShortest) return;
  last_ = now;
  Write("\r\x1b[K" + text);
  shown_ = true;
}

void StatusLine::Clear() {
  const std::lock_guard lock(mutex_);
  if (!shown_) return;
  Write("\r\x1b[K");
  shown_ = false;
}

}  // namespace kfdcts::harness
