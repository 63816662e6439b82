#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/fixture_error.h"
#include "harness/report/record.h"

namespace kfdcts::harness {

/// A failure that is known beforehand. All patterns are globs of '*' and '?'.
struct Expectation {
  std::string pattern;        ///< Of the test's full name, "PointerInfo.Foo/gpu*".
  std::string machine = "*";  ///< Of RunInfo::machine.
  std::string kernel = "*";   ///< Of RunInfo::kernel_release.
  std::string thunk = "*";    ///< Of RunInfo::thunk_identity.
  std::string cause;          ///< Why it fails.
  bool crashes = false;       ///< It takes the kernel with it: not for a host, unless asked for.

  bool Applies(std::string_view test, const RunInfo& run) const;
};

/// Something that a virtual GPU's sanitizer finds and that is the kernel's own doing, no test's.
struct ExpectedFinding {
  std::string kind;           ///< "cleared-translation": harness/vgpu/core/findings.h.
  std::string pattern = "*";  ///< Of the test's full name.
  std::string machine = "*";  ///< Of RunInfo::machine.
  std::string kernel = "*";   ///< Of RunInfo::kernel_release.
  std::string cause;          ///< Where the kernel does it, and why.
};

/// Lists of expected failures and findings (fixtures/expectations/*.yaml).
class Expectations {
 public:
  /// Adds those of `file`. Throws FixtureError.
  void Load(const std::filesystem::path& file);

  /// Adds those of every *.yaml file of `folder`, which need not exist.
  void LoadFolder(const std::filesystem::path& folder);

  /// The first that names the test in this run; null: none.
  const Expectation* Find(std::string_view test, const RunInfo& run) const;

  /// The first that names findings of this kind in this test; null: none.
  const ExpectedFinding* FindFinding(std::string_view kind, std::string_view test,
                                     const RunInfo& run) const;

  std::size_t size() const { return list_.size(); }

 private:
  std::vector<Expectation> list_;
  std::vector<ExpectedFinding> findings_;
};

/// Whether `text` as a whole matches a glob of '*' and '?'.
bool GlobMatches(std::string_view glob, std::string_view text);

}  // namespace kfdcts::harness
