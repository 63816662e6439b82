#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kfdcts::harness {

/// A deliberate mistake in what the tests test.
struct Breakage {
  std::string name;
  std::vector<std::string> rules;  ///< Of the rule book; a test of each should notice.
  std::string what;                ///< A sentence.
  bool needs_gpu = false;          ///< Shows on machines with a GPU only.
};

/// Everything that can be broken in one part of the system under test.
struct BreakageKind {
  std::string name;                 ///< "thunk", "kernel".
  std::vector<std::string> suites;  ///< Whose tests should notice.
  std::vector<Breakage> breakages;
  /// The environment that turns one on in a test's process.
  std::function<std::map<std::string, std::string>(const Breakage&)> environment;
  std::map<std::string, std::string> whole{};  ///< The environment with nothing broken.
  bool boot_each = false;                      ///< A breakage may spoil the target for the next.
};

}  // namespace kfdcts::harness
