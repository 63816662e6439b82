#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "harness/kfdreport/junit_reader.h"
#include "harness/kfdreport/report.h"

namespace kfdcts::report {

inline std::vector<Run> Read(const std::string& xml, const std::string& name = "t.xml") {
  std::istringstream in(xml);
  TextBudget budget;
  return ReadJUnit(in, name, budget);
}

/// The one case of a suite S that `testcase` is in.
inline Case ReadCase(const std::string& testcase) {
  const auto runs =
      Read("<testsuites><testsuite name='S'>" + testcase + "</testsuite></testsuites>");
  return runs.at(0).cases.at(0);
}

/// What ReadError says of `xml`; empty where it is taken.
inline std::string ErrorOf(const std::string& xml) {
  try {
    Read(xml);
    return "";
  } catch (const ReadError& error) {
    return error.what();
  }
}

}  // namespace kfdcts::report
