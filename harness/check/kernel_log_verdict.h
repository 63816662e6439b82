#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/check/check_log.h"

namespace kfdcts::check {

/// One line of the kernel's log.
struct LogLine {
  int level = 6;         ///< 0 emergency … 7 debug.
  std::uint64_t us = 0;  ///< Since the boot.
  std::string text;
};

/// "<3>[   12.345678] text", as GuestResult::kernel_log holds it. False for anything else.
bool ParseLogLine(const std::string& raw, LogLine& line);

/// A line that no good run has: of level error or worse, or one that tells of a WARN, BUG, oops,
/// stall or time-out.
bool IsTrouble(const LogLine& line);

/// A line that is trouble and that nobody expected.
struct UnexpectedLine {
  LogLine line;
  std::string test;  ///< The check that ran then; empty where none did.
};

/// Judges a log. A line is forgiven where an `allowed` regular expression finds it, or one that a
/// check declared and the line came while that check ran, or up to two seconds later (the driver
/// ends some things in work queues).
std::vector<UnexpectedLine> JudgeLog(const std::vector<LogLine>& lines,
                                     const std::vector<CheckWindow>& checks,
                                     const std::vector<std::string>& allowed);

/// Regular expressions of a file, one a line; what begins with '#' and empty lines are comments.
std::vector<std::string> ReadAllowed(std::istream& in);

/// Lines of a virtual GPU's report that tell of packets it did not know or could not read.
std::vector<std::string> BadReportLines(std::istream& report);

}  // namespace kfdcts::check
