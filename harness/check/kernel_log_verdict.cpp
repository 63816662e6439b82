#include "harness/check/kernel_log_verdict.h"

#include <algorithm>
#include <array>
#include <istream>
#include <regex>
#include <string_view>

namespace kfdcts::check {
namespace {

constexpr int kError = 3;
constexpr std::uint64_t kSettleUs = 2'000'000;
/// The log's clock and CLOCK_MONOTONIC are not the same to the microsecond.
constexpr std::uint64_t kClockSlackUs = 200'000;

bool Finds(const std::string& expression, const std::string& text) {
  return std::regex_search(text, std::regex(expression));
}

bool FindsAny(const std::vector<std::string>& expressions, const std::string& text) {
  return std::any_of(expressions.begin(), expressions.end(),
                     [&](const std::string& expression) { return Finds(expression, text); });
}

bool Forgives(const CheckWindow& check, const LogLine& line) {
  const bool begun = line.us + kClockSlackUs >= check.start_us;
  const bool over = check.end_us != UINT64_MAX && line.us > check.end_us + kSettleUs;
  return begun && !over && FindsAny(check.expected, line.text);
}

std::string TestAt(const std::vector<CheckWindow>& checks, std::uint64_t us) {
  for (const CheckWindow& check : checks) {
    if (check.start_us <= us && us <= check.end_us) return check.test;
  }
  return "";
}

}  // namespace

bool ParseLogLine(const std::string& raw, LogLine& line) {
  static const std::regex form(R"(<(\d)>\[ *(\d+)\.(\d{6})\] (.*))");
  std::smatch match;
  if (!std::regex_match(raw, match, form)) return false;
  line.level = std::stoi(match[1]);
  line.us = std::stoull(match[2]) * 1'000'000 + std::stoull(match[3]);
  line.text = match[4];
  return true;
}

bool IsTrouble(const LogLine& line) {
  static const std::regex trouble(
      R"(WARNING:|BUG:|Oops|Call Trace:|general protection|\*ERROR\*|Kernel panic|)"
      R"(blocked for more than|rcu.*stall|soft lockup|KASAN|UBSAN|possible circular locking|)"
      R"((amdgpu|kfd).*([Tt]imed? ?-?out|GPU reset begin))");
  return line.level <= kError || std::regex_search(line.text, trouble);
}

std::vector<UnexpectedLine> JudgeLog(const std::vector<LogLine>& lines,
                                     const std::vector<CheckWindow>& checks,
                                     const std::vector<std::string>& allowed) {
  std::vector<UnexpectedLine> unexpected;
  for (const LogLine& line : lines) {
    if (!IsTrouble(line) || FindsAny(allowed, line.text)) continue;
    if (std::any_of(checks.begin(), checks.end(),
                    [&](const CheckWindow& check) { return Forgives(check, line); })) {
      continue;
    }
    unexpected.push_back({line, TestAt(checks, line.us)});
  }
  return unexpected;
}

std::vector<std::string> ReadAllowed(std::istream& in) {
  std::vector<std::string> allowed;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.front() != '#') allowed.push_back(line);
  }
  return allowed;
}

std::vector<std::string> BadReportLines(std::istream& report) {
  constexpr std::array<std::string_view, 3> kBad = {
      "unknown packet:", "malformed packet:", "malformed ring:"};
  std::vector<std::string> bad;
  for (std::string line; std::getline(report, line);) {
    if (std::any_of(kBad.begin(), kBad.end(),
                    [&](std::string_view start) { return line.starts_with(start); })) {
      bad.push_back(line);
    }
  }
  return bad;
}

}  // namespace kfdcts::check
