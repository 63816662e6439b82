#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

namespace kfdcts::harness {

/// How a child process ended.
struct ChildResult {
  bool timed_out = false;  ///< Killed at its deadline.
  int exit_code = -1;      ///< Where it exited.
  int signal = 0;          ///< Where a signal ended it; SIGSYS after a forbidden system call.
  int failures = 0;        ///< Failed assertions; already reported to the caller's test.
  bool skipped = false;    ///< GTEST_SKIP in the child; already reported to the caller's test.

  /// The closure returned without a failed assertion, a skip, a signal or an exit of its own.
  bool Passed() const {
    return !timed_out && signal == 0 && exit_code == 0 && failures == 0 && !skipped;
  }
  /// "killed by signal 31 (Bad system call)", "exit code 3", "time limit", "passed", …
  std::string Describe() const;
};

/// Runs `body` in a forked child and waits for it. Assertions that fail there fail the calling
/// test with their own file and line. KFD is not inherited: libhsakmt wants it opened anew in the
/// child. The child ends by _exit: nothing of the caller's is torn down twice. At the deadline the
/// child and its descendants of the same process group are killed.
ChildResult RunInChild(const std::function<void()>& body,
                       std::chrono::milliseconds deadline = std::chrono::seconds(30));

}  // namespace kfdcts::harness
