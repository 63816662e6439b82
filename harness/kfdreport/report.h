#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kfdcts::report {

/// What became of a test case, as a JUnit file tells it.
enum class Verdict {
  kPass,
  kFail,     ///< A <failure> or <error> of no kind below.
  kCrash,    ///< Its process died, or the guest with it: type "crash" or "guest-lost".
  kTimeout,  ///< Type "time-limit".
  kSkip,
  kExpectedFail,    ///< A <skipped> of type "expected-failure".
  kUnexpectedPass,  ///< Passed, with the property "unexpected_pass".
  kFlake,           ///< Runs of it differ, or it is listed as such: "flake", "expected_flake".
  kWarn,            ///< Passed, and the kernel complained: the property "warn".
};

/// Whether a run with it has failed: kFail, kCrash, kTimeout.
bool IsBad(Verdict verdict);
/// "pass", "fail", "expected-fail", …
std::string_view NameOf(Verdict verdict);

using Property = std::pair<std::string, std::string>;

/// One <testcase>.
struct Case {
  std::string suite;
  std::string name;  ///< Without the suite.
  Verdict verdict = Verdict::kPass;
  std::string message;     ///< First line of the failure, or why it was skipped.
  std::string details;     ///< All failures' texts.
  std::string output;      ///< system-out.
  std::string kernel_log;  ///< system-err: the kernel's lines while it ran.
  double seconds = 0;
  std::vector<std::string> rules;
  std::vector<std::string> bugs;
  /// The rest of its properties, in their order; "file" and "line" among them.
  std::vector<Property> properties;

  std::string FullName() const { return suite + "." + name; }
  /// The first property of that name; empty where there is none.
  std::string_view PropertyOf(std::string_view property) const;
};

/// One JUnit file: a run, or a shard or repeat of one. Merged: all of one configuration.
struct Run {
  std::string file;                               ///< As the user named it; several: "a, b".
  std::map<std::string, std::string> properties;  ///< "machine", "kernel_release", "thunk", …
  std::vector<Case> cases;

  /// Empty where there is none.
  std::string_view PropertyOf(std::string_view property) const;
  /// "vega10x2, kernel 7.3.4, thunk libhsakmt.so.1.0.9"; the file where it tells none of them.
  std::string Title() const;
};

/// The cases of each suite, both in the order in which they first come.
std::vector<std::vector<const Case*>> BySuite(const Run& run);

/// What makes two runs the same configuration: machine (and, on hardware, its GPUs), kernel, thunk.
std::string ConfigurationOf(const Run& run);

}  // namespace kfdcts::report
