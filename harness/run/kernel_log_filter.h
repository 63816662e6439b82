#pragma once

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kfdcts::harness {

/// What a line of the kernel's log means for the test that brought it.
struct KernelLogRule {
  enum class Verdict { kIgnore, kWarn, kFail };

  std::string kind;  ///< "lockdep": what --abort-on names.
  std::regex pattern;
  Verdict verdict = Verdict::kWarn;
  std::string test = "*";     ///< Globs: of the test's full name,
  std::string machine = "*";  ///< of RunInfo::machine,
  std::string kernel = "*";   ///< of the kernel's release.
  std::string cause;
};

/// fixtures/kernel-log/filters.yaml, or a file in its place.
class KernelLogFilter {
 public:
  /// No line means anything.
  KernelLogFilter() = default;

  /// Throws FixtureError.
  static KernelLogFilter Load(const std::filesystem::path& file);

  struct Place {
    std::string test;
    std::string machine;
    std::string kernel;
  };

  /// The first rule that finds the line there; null: none.
  const KernelLogRule* Find(std::string_view line, const Place& place) const;

  std::set<std::string> Kinds() const;

 private:
  std::vector<KernelLogRule> rules_;
};

}  // namespace kfdcts::harness
