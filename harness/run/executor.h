#pragma once

#include <filesystem>

#include "harness/test_support/registry.h"

namespace kfdcts::harness {

/// The side of a run that sits where the tests run: on the host, or in the guest. It takes plans
/// from its standard input, a line each, until that ends, runs their tests in worker processes and
/// writes events. A crash, an exit or a hang costs the test that did it, nothing else.
struct ExecutorOptions {
  std::filesystem::path events;  ///< Made; only appended to.
  std::filesystem::path output;  ///< Made; what tests and thunk print.
  int plans_fd = 0;
};

/// The process's exit code: 0 where every plan was done; 1 for a broken plan, stream or file (with
/// a line on standard error); kStuckExitCode where a test's process cannot be killed.
int RunExecutor(const ExecutorOptions& options, const TestRegistry& registry);

inline constexpr int kStuckExitCode = 70;

}  // namespace kfdcts::harness
