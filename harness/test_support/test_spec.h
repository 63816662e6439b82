#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "harness/capabilities/capability.h"

namespace kfdcts::harness {

/// Which GPUs a test is about; it becomes one test for each choice.
enum class Scope {
  kCpu,          ///< None: "Suite.Name/cpu".
  kEachGpu,      ///< "Suite.Name/gpu0", "…/gpu1", …
  kFirstGpu,     ///< "Suite.Name/gpu0": for what is the same whichever GPU takes part.
  kEachGpuPair,  ///< "Suite.Name/gpu0_gpu1", every pair in ascending order.
};

/// What the fixture does with KFD before the body.
enum class KfdState {
  kOpen,    ///< Open, with hsaKmtAcquireSystemProperties; stays open for the process's next test.
  kClosed,  ///< Nothing; the body opens it itself, or not at all.
};

/// The process that a test runs in.
enum class Process {
  kShared,  ///< One process runs tests in sequence, with the thunk loaded once.
  kFresh,   ///< A process of its own: the thunk was never opened in it.
  /// A fresh process whose system calls go by tracer() from the body's beginning on, those of the
  /// threads excepted that the thunk started while it opened. (KfdState::kClosed: of all.)
  kTraced,
};

/// The XNACK mode that a test is about (rules XNK-*).
enum class Xnack {
  kAny,  ///< It holds in both; runs in the one that the process starts with.
  /// Retry faults: a GPU access to what is not mapped waits for the kernel. Skipped where the GPUs
  /// cannot.
  kOn,
  /// No retry: such an access is a fault at once. Where the GPUs' mode is the driver's at its
  /// loading, the target boots once more for these tests; on a host they are skipped.
  kOff,
};

/// What is declared about a test beside its code. All of it reaches the reports.
struct TestSpec {
  std::string_view property;     ///< The property in a sentence.
  std::string_view rules = {};   ///< Ids of fixtures/spec/rules.yaml: "PTR-4 PTR-9".
  std::string_view guards = {};  ///< Ids of fixtures/spec/known-bugs.yaml: "BUG-3".
  Scope scope = Scope::kEachGpu;
  std::vector<Requirement> needs = {};  ///< Skipped where one is missing. kGpu is implied.
  KfdState kfd = KfdState::kOpen;
  /// "NAME=value" each; set before the thunk is loaded, so the process is not shared with tests of
  /// another environment. "HSA_USE_SVM=0".
  std::vector<std::string_view> environment = {};
  Process process = Process::kShared;
  Xnack xnack = Xnack::kAny;
  std::chrono::seconds time_limit{60};  ///< For SetUp, body and TearDown together.
  /// What a run may be chosen by, of labels.h: "full-vram soak".
  std::string_view labels = {};
};

}  // namespace kfdcts::harness
