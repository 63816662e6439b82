#include "harness/test/program_run.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>

#include "harness/vm/base/child_process.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness::testing_support {

ProgramRun::ProgramRun(std::vector<std::string> flags, const std::string& program) {
  vm::SpawnOptions options;
  options.argv = {(vm::ProgramFolder() / program).string(), "--results=" + results().string()};
  const auto reruns = [](const std::string& flag) { return flag.starts_with("--rerun="); };
  if (program == "kfdcts_fake" && std::none_of(flags.begin(), flags.end(), reruns)) {
    options.argv.push_back("--rerun=0");
  }
  options.argv.insert(options.argv.end(), flags.begin(), flags.end());
  options.environment = {{"GTEST_COLOR", "no"}};
  const vm::ToolResult result = vm::RunTool(options);
  output_ = result.output;
  errors_ = result.errors;
  if (WIFEXITED(result.status)) exit_code_ = WEXITSTATUS(result.status);
}

void ProgramRun::LoadReport() {
  if (loaded_) return;
  loaded_ = true;
  const auto parsed = report_.load_file((results() / "junit.xml").c_str());
  EXPECT_TRUE(parsed) << parsed.description() << '\n' << output_ << errors_;
}

pugi::xml_node ProgramRun::Test(const std::string& name) {
  LoadReport();
  const auto dot = name.find('.');
  const auto suite =
      report_.child("testsuites").find_child_by_attribute("name", name.substr(0, dot).c_str());
  return suite.find_child_by_attribute("testcase", "name", name.substr(dot + 1).c_str());
}

std::string ProgramRun::Verdict(const std::string& name) {
  const auto test = Test(name);
  if (!test) return "";
  if (test.child("failure")) return "failed";
  return test.child("skipped") ? "skipped" : "passed";
}

std::string ProgramRun::FailureOf(const std::string& name) {
  std::string text;
  for (const auto failure : Test(name).children("failure")) text += failure.text().get();
  return text;
}

}  // namespace kfdcts::harness::testing_support
