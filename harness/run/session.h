#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/report/record.h"
#include "harness/run/boot.h"
#include "harness/run/plan.h"
#include "harness/run/run_end.h"
#include "harness/run/test_kernel_log.h"
#include "harness/target/target.h"

namespace kfdcts::harness {

/// Why a test was skipped that was to come after a signal.
inline constexpr const char* kInterruptedReason = "the run was interrupted";

/// Runs tests in their target, one after another, and outlives the target: when the guest is lost
/// the test that ran has failed, and a fresh guest takes the rest.
class Session {
 public:
  struct Options {
    std::filesystem::path results;  ///< Each boot gets a folder "boot1", … in it.
    Plan plan;                      ///< All but its tests.
    int signal_fd = -1;             ///< Readable: the run is to end.
    std::function<std::chrono::seconds(const std::string&)> time_limit;  ///< Of a test.
    std::function<void(const std::string&)> notice;  ///< A line for the user; from any thread.
    /// The executor ends a test at its time limit; only a lost guest is silent for so much longer.
    std::chrono::milliseconds silence{60000};
    /// Of the run, shared by its sessions; null: one of its own without a limit.
    std::shared_ptr<RunEnd> run_end = nullptr;
    std::shared_ptr<const KernelLogFilter> kernel_log_filter = nullptr;  ///< Null: none.
    std::string machine{};              ///< RunInfo::machine, for the filter.
    std::set<std::string> abort_on{};   ///< Kinds of complaints that end the run.
    std::function<void()> heartbeat{};  ///< Called every few seconds while all is well.
    bool keeps_boots = false;           ///< The folders of boots that are there stay, and count.
  };

  Session(Target& target, Options options);

  /// Says which tests come next, in this order. Boots where nothing runs, and waits for it; a boot
  /// that fails fails these tests. Throws vm::RunError where the target was given bad input.
  void Begin(std::vector<std::string> tests);

  /// Boots where nothing runs and waits for it, so that surroundings() are known; the tests follow
  /// by Begin(). Throws as that does.
  void Open();

  /// Of the processes of the tests that Begin() names from now on.
  void SetEnvironment(std::map<std::string, std::string> environment);

  /// Runs the next test of Begin(), which must be `test`, and gives its result: failures, skip,
  /// RecordProperty's, duration, output.
  TestRecord Run(const std::string& test);

  /// Ends the target. After it nothing runs.
  void Finish();

  /// Whether a boot of it is up.
  bool running() const { return boot_ != nullptr; }

  /// Of the last boot that came up.
  const Surroundings& surroundings() const { return surroundings_; }

  /// Of every boot that has ended: Target::End::device_complaints.
  const std::vector<std::string>& device_complaints() const { return device_complaints_; }

  /// Whether signal_fd ended the run.
  bool interrupted() const { return interrupted_; }

  /// Why nothing more is run, by the run's limit or --abort-on; empty: it goes on.
  const std::string& over() const { return options_.run_end->reason; }

 private:
  enum class Step { kGoOn, kDone };

  /// Boots for the tests from the `first`th of tests_ on. Throws as Begin() does; no boot is up
  /// then.
  void Start(std::size_t first);
  void Replace(const Event& stuck);
  std::filesystem::path BootFolder(int number) const;
  TestRecord NotRun(TestRecord record);
  void RunInBoot(const std::string& test, TestRecord& record);
  Boot::Wake Wait(Event& event, std::chrono::milliseconds limit);
  void AttachKernelLog(const std::string& test, TestRecord& record);
  Target::End End(std::chrono::milliseconds patience);
  Step Take(const Event& event, TestRecord& record);
  void FailLost(TestRecord& record, FailureKind kind, const std::string& what);
  std::chrono::milliseconds Patience(const std::string& test, bool started) const;

  Target& target_;
  Options options_;
  TestKernelLog kernel_log_;
  std::vector<std::string> tests_;
  std::size_t next_ = 0;  ///< Of tests_: the one that Run() must be asked for.
  std::unique_ptr<Boot> boot_;
  int boots_ = 0;
  std::string last_ended_;  ///< In this boot.
  std::string never_up_;    ///< Why no boot is tried any more.
  bool interrupted_ = false;
  Surroundings surroundings_;
  std::vector<std::string> device_complaints_;
};

}  // namespace kfdcts::harness
