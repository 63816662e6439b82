#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "harness/kfdreport/report.h"

namespace kfdcts::report {

/// What a page says besides the runs, and how much of them.
struct HtmlOptions {
  std::string title = "kfdcts report";
  /// By rule ("PTR-1"): what it says. Rules without a text are named alone.
  std::map<std::string, std::string> rule_texts;
  /// By bug ("BUG-13"): what it is.
  std::map<std::string, std::string> bug_texts;
  /// Failures, flakes and warnings that are told in full; the rest is named in the list of tests.
  std::size_t most_told = 500;
  /// Rows of the list of tests, all runs together. Passing tests are left out first.
  std::size_t most_listed = 5000;
  std::size_t most_slow = 25;  ///< Tests under "Durations".
  /// Of one failure's text, one output, one kernel log: its first and last so many bytes.
  std::size_t most_text = 12 * 1024;
};

/// Writes `runs` as one HTML file (in XML's syntax: a tag for each end) that needs no other file
/// and no network, and reads without its script. Whatever is in `runs` is written as text, never as
/// markup; control characters and those that reverse a line are shown as their code. The same runs
/// give the same bytes.
void WriteHtml(std::ostream& out, const std::vector<Run>& runs, const HtmlOptions& options = {});

}  // namespace kfdcts::report
