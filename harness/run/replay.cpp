#include "harness/run/replay.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <iostream>

#include "harness/run/progress.h"

namespace kfdcts::harness {
namespace {

void ReplayFailures(const TestRecord& record) {
  for (const auto& failure : record.failures) {
    const char* file = failure.file.empty() ? record.file.c_str() : failure.file.c_str();
    const int line = failure.file.empty() ? record.line : failure.line;
    if (failure.fatal) {
      [&] { GTEST_FAIL_AT(file, line) << failure.message; }();
    } else {
      ADD_FAILURE_AT(file, line) << failure.message;
    }
  }
  std::cout << record.guidance;
  if (!record.output.empty()) std::cout << "Its output:\n" << record.output;
  if (!record.kernel_log.empty()) std::cout << "The kernel's log:\n";
  for (const auto& line : record.kernel_log) std::cout << "  " << line << '\n';
  std::cout << std::flush;
}

}  // namespace

void Replay(const TestRecord& record) {
  for (const auto& [key, value] : record.properties) testing::Test::RecordProperty(key, value);
  if (record.UnexpectedFailure()) {
    ReplayFailures(record);
  } else if (record.ExpectedFailure()) {
    const std::string how =
        record.expected_flake ? "failed, a flake that is listed" : "failed as expected";
    Say(how + ": " + record.failures.front().message);
    GTEST_SKIP() << "expected failure: " << record.expected_cause;
  } else if (record.Skipped()) {
    GTEST_SKIP() << (record.missing_capability.empty() ? "" : record.missing_capability + ": ")
                 << record.skip_reason;
  } else if (record.UnexpectedPass()) {
    Say("passed although listed as failing: " + record.expected_cause);
  }
}

void Say(const std::string& line) {
  StatusLine::Get().Clear();
  std::fputs(("[   kfdcts ] " + line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace kfdcts::harness
