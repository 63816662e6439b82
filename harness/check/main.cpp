#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "harness/check/check_log.h"
#include "harness/gpu/topology.h"

namespace {

constexpr int kUsageError = 2;

}  // namespace

// Shows on a machine, real or virtual, that kernel driver and GPU work together: raw KFD and DRM
// calls, no thunk.
int main(int argc, char** argv) {
  using kfdcts::check::CheckLog;
  try {
    ::testing::InitGoogleTest(&argc, argv);
    CLI::App app("Checks of KFD and GPU by raw ioctls. All flags of GoogleTest hold too.",
                 "kfdcheck");
    std::string log_file;
    app.add_option("--check-log", log_file,
                   "Write when each check ran and what it lets the kernel log, as JSON lines");
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? 0 : kUsageError;
    }
    std::unique_ptr<CheckLog> log;
    if (!log_file.empty()) log = std::make_unique<CheckLog>(log_file);
    CheckLog::SetCurrent(log.get());
    if (!::testing::GTEST_FLAG(list_tests) && kfdcts::gpu::ReadTopology().gpus.empty()) {
      std::cerr << "kfdcheck: no GPU in " << kfdcts::gpu::kTopologyPath << "\n";
      return kUsageError;
    }
    return RUN_ALL_TESTS();
  } catch (const std::exception& error) {
    std::cerr << "kfdcheck: " << error.what() << "\n";
    return kUsageError;
  }
}
