#pragma once

#include <pugixml.hpp>
#include <string>
#include <vector>

#include "harness/test/temporary_folder.h"

namespace kfdcts::harness::testing_support {

/// A run of kfdcts_fake, or of another program beside this one, with its reports.
class ProgramRun {
 public:
  /// Runs to the end. kfdcts_fake runs nothing again unless told by --rerun=N. Results go to a
  /// temporary folder of this object, which flags may override.
  explicit ProgramRun(std::vector<std::string> flags, const std::string& program = "kfdcts_fake");

  int exit_code() const { return exit_code_; }
  const std::string& output() const { return output_; }  ///< Standard output.
  const std::string& errors() const { return errors_; }  ///< Standard error.
  std::filesystem::path results() const { return folder_.path() / "results"; }

  /// A testcase of junit.xml by "Suite.Name/cpu"; null where it is not there.
  pugi::xml_node Test(const std::string& name);
  /// "passed", "failed" or "skipped", as the JUnit file says; empty where it is not there.
  std::string Verdict(const std::string& name);
  /// The text of a test's failures.
  std::string FailureOf(const std::string& name);

 private:
  void LoadReport();

  TemporaryFolder folder_;
  int exit_code_ = -1;
  std::string output_;
  std::string errors_;
  pugi::xml_document report_;
  bool loaded_ = false;
};

}  // namespace kfdcts::harness::testing_support
