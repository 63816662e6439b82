#pragma once

#include <filesystem>
#include <vector>

#include "harness/report/fixture_error.h"
#include "harness/scenario/scenario.h"

namespace kfdcts::harness::scenario {

/// Reads a scenario and checks all of it that can be checked without running it: no key, word or
/// mapping is unknown, every page and GPU that a step names is there. Throws FixtureError.
Scenario LoadScenario(const std::filesystem::path& file);

/// The *.yaml of a folder in order of their names; none where there is no folder. Throws
/// FixtureError, also for a file whose name is no name.
std::vector<Scenario> LoadFolder(const std::filesystem::path& folder);

}  // namespace kfdcts::harness::scenario
