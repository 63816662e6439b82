#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace kfdcts::harness {

/// Full names of the tests that a run's junit.xml says have failed (by a check, a crash, the time
/// limit, a lost guest), or were not run although they were to be. `place` is that file or its
/// folder. Throws FixtureError where it cannot be read or is none.
std::set<std::string> FailedTests(const std::filesystem::path& place);

}  // namespace kfdcts::harness
