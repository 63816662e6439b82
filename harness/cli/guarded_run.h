#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/options.h"
#include "harness/run/runner.h"

namespace kfdcts::harness {

/// The command line of the run that `--resume=FOLDER` goes on with, --resume and --results with it;
/// sets that run's working directory and gtest's variables. Nothing where `arguments` (without the
/// program) do not hold --resume. Throws UsageError, JournalError.
std::optional<std::vector<std::string>> ResumedArguments(const std::vector<std::string>& arguments);

/// Fills in what the flags of LimitOptions mean for a run of `tests`, all that the program has for
/// the machine. `arguments` are the program's own, for the journal. The seed of a resumed run is
/// its own. Throws FixtureError, UsageError, JournalError, std::system_error.
void GuardRun(const Options& options, const std::vector<std::string>& arguments,
              const std::vector<std::string>& tests, Runner::Options& run);

/// The seed of the run that `options` go on with; nothing where they begin one.
std::optional<std::uint32_t> ResumedSeed(const Options& options);

}  // namespace kfdcts::harness
