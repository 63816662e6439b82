#pragma once

#include <ostream>
#include <vector>

#include "harness/kfdreport/report.h"

namespace kfdcts::report {

/// Merged runs as one JUnit file, valid against the schema of Jenkins' xUnit plugin (junit-10.xsd):
/// a <testsuite> for each suite of each run, with the run's properties. That schema has no
/// properties of a test case: they stand as lines at the head of its system-out (PropertyLine),
/// and ReadJUnit takes them from there. A flake is a <flakyFailure>, which is no failure.
/// The texts of `runs` must be what ReadJUnit gave: UTF-8 that XML can hold.
void WriteJUnit(std::ostream& out, const std::vector<Run>& runs);

}  // namespace kfdcts::report
