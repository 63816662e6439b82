#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kfdcts::harness {

/// A failed check.
struct Failure {
  std::string file;  ///< Empty where it has no place in the source: a crash, a hung guest.
  int line = 0;
  std::string message;
  bool fatal = false;
};

/// Why a failed check came to be one; JUnit's `type`.
enum class FailureKind {
  kAssertion,
  kCrash,  ///< The test's process died.
  kTimeLimit,
  kGuestLost,  ///< Panic, oops or hang of the guest.
  kNotRun,     ///< It could not be started.
};

/// What a virtual GPU's sanitizer found, of a kind that the expectations name as the kernel's own.
struct KnownFinding {
  std::string kind;
  std::string cause;
};

/// What became of one test.
struct TestRecord {
  std::string suite;
  std::string name;  ///< Without the suite.
  std::string file;
  int line = 0;
  int iteration = 1;  ///< With --gtest_repeat.

  std::vector<Failure> failures;
  FailureKind failure_kind = FailureKind::kAssertion;
  std::string output;  ///< What it and the thunk printed; only of failed tests.

  /// The kernel's log from the test's begin to its end, a line each.
  std::vector<std::string> kernel_log;
  /// The first line by which the kernel complained, in a test that went on; empty: none. It leaves
  /// the verdict as it is.
  std::string warning;

  bool skipped = false;
  std::string skip_reason;
  std::string missing_capability;  ///< Empty where a skip has another reason.

  std::string property;                    ///< The property that the test checks, in a sentence.
  std::vector<std::string> rules;          ///< What it asserts; empty where it was skipped.
  std::vector<std::string> skipped_rules;  ///< What it would assert; only where it was skipped.
  std::vector<std::string> guards;
  std::vector<std::pair<std::string, std::string>> properties;  ///< RecordProperty's.

  std::vector<KnownFinding> known_findings;

  std::string expected_cause;   ///< Of the expectation that names it as failing; else empty.
  bool expected_flake = false;  ///< That expectation says that it fails at times.
  std::string expected_skip;    ///< Cause of the expectation by which it was not run; else empty.
  /// How each of its runs ended, "pass", "fail" or "skip", where it was run again.
  std::vector<std::string> runs;
  bool flake_fails = false;  ///< A difference between them is a failure.
  /// Of a failed test: the rules that it asserts, the bugs that it guards and their fixes.
  std::string guidance;
  std::chrono::milliseconds duration{0};

  bool Failed() const { return !failures.empty(); }
  bool Skipped() const { return !Failed() && skipped; }
  bool Passed() const { return !Failed() && !skipped; }
  bool ExpectedFailure() const { return Failed() && !expected_cause.empty(); }
  bool UnexpectedFailure() const {
    return Failed() && expected_cause.empty() && (!Flake() || flake_fails);
  }
  bool UnexpectedPass() const {
    return Passed() && !expected_cause.empty() && !expected_flake && !Flake();
  }
  /// Its runs differ.
  bool Flake() const;
  /// "fail, pass, pass"; empty where it ran once.
  std::string Runs() const;
  std::string FullName() const { return suite + "." + name; }
};

/// Where and with what the tests ran.
struct RunInfo {
  std::string target;          ///< "host" or "vm".
  std::string machine;         ///< A machine description's name, or "host".
  std::string kernel_image;    ///< What the VM target booted; empty on the host.
  std::string kernel_release;  ///< As `uname -r`.
  std::string off_boot;        ///< Parameters of the boot for tests without retry, where one was.
  std::string thunk_file;
  std::string thunk_identity;     ///< ThunkIdentity::Describe().
  std::string kfd_version;        ///< "1.18": of the kernel's interface.
  std::vector<std::string> gpus;  ///< One line a GPU; a virtual one says so.
  std::uint32_t seed = 0;
  std::vector<std::string> device_complaints;  ///< What virtual GPUs met and did not know.

  /// Name and value of each that is known, for reports.
  std::vector<std::pair<std::string, std::string>> Properties() const;
};

}  // namespace kfdcts::harness
