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
  kFlake,           ///< Runs of it differ: the property "flake", or repeats in one run.
  kWarn,            ///< Passed, and the kernel complained: the property "warn".
};

/// Whether a run with it has failed: kFail, kCrash, kTimeout.
bool IsBad(Verdict verdict);
/// "pass", "fail", "expected-fail", …
std::string_view NameOf(Verdict verdict);

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
  /// The rest of its properties, in their order.
  std::vector<std::pair<std::string, std::string>> properties;

  std::string FullName() const { return suite + "." + name; }
};

/// One JUnit file: a run, or a shard or repeat of one.
struct Run {
  std::string file;                               ///< As the user named it.
  std::map<std::string, std::string> properties;  ///< "machine", "kernel_release", "thunk", …
  std::vector<Case> cases;
};

}  // namespace kfdcts::report
