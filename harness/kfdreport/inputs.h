#pragma once

#include <string>
#include <vector>

#include "harness/kfdreport/capped_text.h"
#include "harness/kfdreport/report.h"

namespace kfdcts::report {

/// The files behind what the user named: a folder stands for its *.xml (not those of folders in
/// it), sorted by name. Throws ReadError for a folder without any.
std::vector<std::string> ExpandInputs(const std::vector<std::string>& named);

/// `list` at its commas; a name that exists with its commas is one name.
std::vector<std::string> SplitList(const std::string& list);

/// What all of them hold, merged. Throws ReadError.
std::vector<Run> LoadRuns(const std::vector<std::string>& named, TextBudget& budget);

}  // namespace kfdcts::report
