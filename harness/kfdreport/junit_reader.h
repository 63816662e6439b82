#pragma once

#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/kfdreport/capped_text.h"
#include "harness/kfdreport/report.h"

namespace kfdcts::report {

/// An input that cannot be read or is no JUnit file. what() is "file:line:column: reason
/// (byte N)", or "file: reason" where there is no position.
class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a JUnit file as kfdcts, GoogleTest, pytest, CTest, surefire and `kfdreport junit` write
/// it: testsuites or testsuite, nested or not; UTF-8, UTF-16, ISO-8859-1 or US-ASCII as declared.
/// A run for each configuration (ConfigurationOf) that its test suites' properties name; one with
/// no cases where it holds none. Texts are kept as `budget` allows. Nothing of the file is taken
/// on trust: entity declarations, elements more than 64 deep, tags beyond 4 MiB and names beyond
/// 16 KiB are errors.
/// `name` is what errors and Run::file call the file. Throws ReadError.
std::vector<Run> ReadJUnit(std::istream& in, const std::string& name, TextBudget& budget);

/// The same, from a file.
std::vector<Run> ReadJUnitFile(const std::string& file, TextBudget& budget);

}  // namespace kfdcts::report
