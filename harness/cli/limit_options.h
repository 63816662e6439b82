#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace kfdcts::harness {

/// Flags of a run that guard it against its tests and its machine.
struct LimitOptions {
  bool isolate = false;
  std::chrono::seconds run_timeout{0};      ///< 0: none.
  std::chrono::seconds silence{0};          ///< Of one test; 0: none.
  std::filesystem::path watchdog;           ///< Empty: none.
  std::filesystem::path resume;             ///< Results folder of the run to go on with.
  std::filesystem::path kernel_log_filter;  ///< Empty: the fixtures'.
  std::vector<std::string> abort_on;

  bool operator==(const LimitOptions&) const = default;
};

void AddLimitFlags(CLI::App& app, LimitOptions& options);

/// What --abort-on names, each a kind of the filter's. Throws UsageError.
std::set<std::string> AbortKinds(const LimitOptions& options, const std::set<std::string>& known);

}  // namespace kfdcts::harness
