#pragma once

#include <vector>

#include "harness/kfdreport/report.h"

namespace kfdcts::report {

/// Unites the runs of one configuration (ConfigurationOf), in the order in which configurations
/// first came: shards side by side, and a case that came more than once as one:
/// - a skip gives way to any other verdict;
/// - runs that all failed are the worst of them: crash, timeout, fail;
/// - a kernel's complaint in some of several passes is kWarn;
/// - other verdicts that differ are kFlake, with the property "flake": "fail (a.xml), pass
/// (b.xml)". Its time is the mean. The text is of the worst run.
std::vector<Run> Merge(std::vector<Run> runs);

}  // namespace kfdcts::report
