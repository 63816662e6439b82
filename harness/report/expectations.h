#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/fixture_error.h"
#include "harness/report/record.h"

namespace kfdcts::harness {

/// What is known of a test beforehand. All patterns are globs of '*' and '?'.
struct Expectation {
  enum class Kind {
    kFails,   ///< Always. One that passes is reported.
    kFlakes,  ///< At times.
    kSkips,   ///< It is not run.
  };

  Kind kind = Kind::kFails;
  std::string pattern;        ///< Of the test's full name, "PointerInfo.Foo/gpu*".
  std::string machine = "*";  ///< Of RunInfo::machine.
  std::string kernel = "*";   ///< Of RunInfo::kernel_release.
  std::string thunk = "*";    ///< Of RunInfo::thunk_identity.
  std::string cause;          ///< Why it fails, or why it is not run: a bug, a commit, a line.
  bool crashes = false;       ///< It takes the kernel with it: not for a host, unless asked for.
  bool hangs = false;         ///< Its process can never be ended: --safe leaves it out.
  double rate = 1;            ///< How often a flake fails; 0: not known.
  /// Where it was seen: "kernel 7.3.4", "thunk libhsakmt1 5.2.3-1".
  std::vector<std::string> seen = {};
  std::string place = {};  ///< "FILE:LINE".

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

/// "fails", "flakes" or "skips": the list that such entries stand in.
std::string_view NameOf(Expectation::Kind kind);

/// A rate as the lists write it, "1 of 20" or a number between 0 and 1, neither of them included;
/// nothing where it is none.
std::optional<double> ParseRate(std::string_view text);

/// Lists of expected failures, flakes, skips and findings (fixtures/expectations/*.yaml).
class Expectations {
 public:
  /// Adds those of `file`. Throws FixtureError.
  void Load(const std::filesystem::path& file);

  /// Adds those of every *.yaml file of `folder`, which need not exist.
  void LoadFolder(const std::filesystem::path& folder);

  /// The first flake that names the test in this run, else the first failure; null: none.
  const Expectation* Find(std::string_view test, const RunInfo& run) const;

  /// The first by which the test is not run; null: none.
  const Expectation* FindSkip(std::string_view test, const RunInfo& run) const;

  /// Notes in the record what Find() knows of it.
  void Expect(TestRecord& record, const RunInfo& run) const;

  /// The first that names findings of this kind in this test; null: none.
  const ExpectedFinding* FindFinding(std::string_view kind, std::string_view test,
                                     const RunInfo& run) const;

  const std::vector<Expectation>& entries() const { return list_; }

 private:
  const Expectation* FindOf(Expectation::Kind kind, std::string_view test,
                            const RunInfo& run) const;

  std::vector<Expectation> list_;
  std::vector<ExpectedFinding> findings_;
};

/// Whether `text` as a whole matches a glob of '*' and '?'.
bool GlobMatches(std::string_view glob, std::string_view text);

}  // namespace kfdcts::harness
