#include "harness/vm/run/console.h"

#include <algorithm>
#include <array>

namespace kfdcts::vm {
namespace {

constexpr std::string_view kStage = "kfdvm: stage ";
constexpr std::string_view kFailure = "kfdvm: fail ";
constexpr std::string_view kPanic = "Kernel panic - not syncing";

/// Each begins the report of an oops on x86 (arch/x86/kernel/{dumpstack,traps}.c,
/// arch/x86/mm/fault.c).
constexpr std::array<std::string_view, 7> kOopses{
    "BUG: unable to handle",    "BUG: kernel NULL pointer dereference",
    "kernel BUG at ",           "general protection fault",
    "Unable to handle kernel ", "Oops: ",
    "stack guard page was hit"};

/// The console is a terminal: lines end in "\r\n", and the firmware draws on it.
std::string Printable(std::string line) {
  std::erase_if(line, [](unsigned char c) { return c != '\t' && (c < 0x20 || c == 0x7f); });
  return line;
}

bool Holds(const std::string& line, std::string_view part) {
  return line.find(part) != std::string::npos;
}

/// Userland's faults are logged in words that look much the same: "traps: NAME[PID] general
/// protection fault".
bool IsOops(const std::string& line) {
  return !Holds(line, "traps: ") &&
         std::ranges::any_of(kOopses, [&](std::string_view mark) { return Holds(line, mark); });
}

}  // namespace

void Console::Feed(std::string_view bytes) {
  pending_.append(bytes);
  std::size_t start = 0;
  for (auto end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n', start)) {
    Line(Printable(pending_.substr(start, end - start)));
    start = end + 1;
  }
  pending_.erase(0, start);
}

void Console::Line(std::string line) {
  if (line.empty()) {
    return;
  }
  if (line.starts_with(kStage)) {
    on_stage_(line.substr(kStage.size()));
  } else if (line.starts_with(kFailure)) {
    failure_ = line.substr(kFailure.size());
  }
  if (oops_.empty() && IsOops(line)) {
    oops_ = line;
  }
  if (!panicked_ && Holds(line, kPanic)) {
    panicked_ = true;
    panic_ = line;
  }
  tail_.push_back(std::move(line));
  if (tail_.size() > kTailLines) {
    tail_.pop_front();
  }
}

std::vector<std::string> Console::Tail() const {
  std::vector<std::string> lines(tail_.begin(), tail_.end());
  if (!pending_.empty()) {
    lines.push_back(Printable(pending_));
  }
  return lines;
}

}  // namespace kfdcts::vm
