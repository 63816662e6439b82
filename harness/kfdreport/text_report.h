#pragma once

#include <ostream>
#include <vector>

#include "harness/kfdreport/report.h"

namespace kfdcts::report {

/// Merged runs for people: of each its counts, what failed, flakes, unexpected passes, the
/// kernel's complaints, skips by reason and the `slowest` slowest tests.
void WriteText(std::ostream& out, const std::vector<Run>& runs, std::size_t slowest);

/// Its title and the files that it came from.
std::string HeadingOf(const Run& run);

/// "2884 tests: 2735 passed, 1 failed, …": the kinds that occur.
std::string CountsOf(const Run& run);

}  // namespace kfdcts::report
