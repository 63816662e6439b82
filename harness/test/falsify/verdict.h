#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kfdcts::falsify {

enum class Outcome { kPassed, kFailed, kSkipped };

/// Full test name → what became of it.
using Outcomes = std::map<std::string, Outcome>;

/// Reads a JUnit file of kfdcts. Throws std::runtime_error.
Outcomes ReadJunit(const std::filesystem::path& file);

/// What the tests named for a falsification did.
struct Verdict {
  int red = 0;                          ///< Tests that failed.
  std::vector<std::string> not_red;     ///< "name (passed)" or "name (skipped)".
  std::vector<std::string> match_none;  ///< Filters that no test matches.
  bool Caught() const { return red > 0 && not_red.empty() && match_none.empty(); }
};

/// Judges a run in which every test that a filter names should have failed.
Verdict Judge(const std::vector<std::string>& filters, const Outcomes& outcomes);

}  // namespace kfdcts::falsify
