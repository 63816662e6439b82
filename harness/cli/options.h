#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/cli/limit_options.h"

namespace kfdcts::harness {

/// Of `kfdcts breakages`.
struct BreakagesOptions {
  bool thunk = false;
  bool kernel = false;
  bool list = false;
  bool every_test = false;
  std::string fault;              ///< As --gtest_filter; empty: all.
  std::filesystem::path library;  ///< Empty: what the build made.
  std::filesystem::path image;    ///< Empty: what fixtures/breakages/kernel/build made.
};

/// Of `kfdcts svm-vectors`.
struct SvmVectorsOptions {
  std::filesystem::path file;  ///< Absolute.
  std::string sequences;       ///< Globs with ':' between; empty: all.
};

/// Flags that say which tests run and how often; for runs of tests, not for subcommands.
struct ChoiceOptions {
  int cases = 0;                    ///< Of each test at most so many; 0: all.
  std::vector<std::string> labels;  ///< One of them must be a test's.
  std::vector<std::string> exclude_labels;
  bool safe = false;
  bool shuffle = false;
  std::optional<int> reruns;             ///< Of unexpected results; nothing: as it is fit.
  bool fail_on_flake = false;            ///< An unlisted one.
  std::optional<int> repeat_until_fail;  ///< At most so often; 0: no end.
  /// Run only what failed in the run whose reports lie here; empty: in the results folder.
  std::optional<std::filesystem::path> rerun_failed;

  bool operator==(const ChoiceOptions&) const = default;
};

/// Of `kfdcts explain`.
struct ExplainOptions {
  std::string id;
};

/// kfdcts' own flags.
struct Options {
  enum class Target { kAuto, kHost, kVm };

  Target target = Target::kAuto;
  std::string machine;  ///< Name or file; empty: the default.
  std::string kernel;   ///< As of vm::GuestRun.
  std::filesystem::path modules;
  std::string append;
  std::filesystem::path qemu;
  bool quick_driver = false;
  bool root = false;                                ///< In the guest.
  std::filesystem::path thunk;                      ///< Empty: the default.
  std::vector<std::filesystem::path> expectations;  ///< Empty: those of the fixtures.
  std::filesystem::path results = "reports/out";
  std::map<std::string, std::string> environment;  ///< Of the tests, beside what they set.
  std::chrono::seconds time_limit{0};              ///< For each test; 0: the one it declares.
  ChoiceOptions choice;
  LimitOptions limits;
  bool allow_oops = false;     ///< Also what is known to crash a kernel.
  bool beside_others = false;  ///< Run although another process uses KFD.
  bool list_rules = false;
  bool list_capabilities = false;
  std::optional<BreakagesOptions> breakages;     ///< Where that is the subcommand.
  std::optional<SvmVectorsOptions> svm_vectors;  ///< Where that is.
  std::optional<ExplainOptions> explain;         ///< Where that is.
  std::filesystem::path execute;                 ///< Hidden: be the executor, with this folder.

  /// Whether a flag was given that means a guest.
  bool NamesGuest() const {
    return !machine.empty() || !kernel.empty() || !modules.empty() || !append.empty() ||
           !qemu.empty() || quick_driver || root;
  }
};

/// Bad input on the command line; what() is one line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses the command line. What is not ours goes to gtest's parser, and what that leaves is an
/// error. Nothing where help was asked for and printed. Throws UsageError.
std::optional<Options> ParseCommandLine(int argc, char** argv);

}  // namespace kfdcts::harness
