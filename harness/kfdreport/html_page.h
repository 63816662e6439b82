#pragma once

#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/kfdreport/html.h"
#include "harness/kfdreport/html_element.h"
#include "harness/kfdreport/html_tally.h"
#include "harness/kfdreport/report.h"

namespace kfdcts::report::html {

/// A case of a run.
struct Entry {
  const Run* run = nullptr;
  const Case* one = nullptr;
};

/// What the sections of a page share. Refers to the runs, the options and the stream.
class Page {
 public:
  Page(std::ostream& to, const std::vector<Run>& all_runs, const HtmlOptions& how);

  std::ostream& out;
  const std::vector<Run>& runs;
  const HtmlOptions& options;
  /// Of each run, told apart from the others'.
  std::vector<std::string> titles;

  const std::string& TitleOf(const Run& run) const;
  bool several() const { return runs.size() > 1; }

  /// Everything that did not simply pass or get skipped, the worst first; at most most_told.
  const std::vector<Entry>& told() const { return told_; }
  /// How many more there were.
  std::size_t untold() const { return untold_; }
  /// "failure-12", where `one` is told; else empty.
  std::string AnchorOf(const Case& one) const;

 private:
  std::vector<Entry> told_;
  std::size_t untold_ = 0;
  std::map<const Case*, std::size_t> anchors_;
};

/// "fail" in a coloured field: the word says what the colour says.
void WriteBadge(std::ostream& out, Verdict verdict);

/// "12,345".
std::string Number(std::size_t value);

/// A heading of the second level, and what a link needs to get there.
void WriteHeading(std::ostream& out, const char* id, const char* text);

// The sections, in the page's order. Each writes nothing where it has nothing to say.
void WriteSummary(Page& page);
void WriteFailures(Page& page);
void WriteRules(Page& page);
void WriteSuites(Page& page);
void WriteSkips(Page& page);
void WriteDurations(Page& page);
void WriteTests(Page& page);

}  // namespace kfdcts::report::html
