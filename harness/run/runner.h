#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/expectations.h"
#include "harness/report/record.h"
#include "harness/report/rule_book.h"
#include "harness/report/summary.h"
#include "harness/run/journal.h"
#include "harness/run/progress.h"
#include "harness/run/selection.h"
#include "harness/run/sessions.h"
#include "harness/run/spare.h"
#include "harness/run/watchdog.h"
#include "harness/target/target.h"
#include "harness/test_support/registry.h"

namespace kfdcts::harness {

/// Drives the tests of a machine in their target by gtest: each is registered here as a stand-in
/// that waits for the real one and repeats what it told, so that every flag of gtest, its filters,
/// shards, repetition and output work as ever. Those of Xnack::kOff go to a boot of their own where
/// the target can do that. Writes the reports at the end.
class Runner {
 public:
  struct Options {
    RunInfo info;  ///< What is known before the target is up.
    std::filesystem::path results;
    Plan plan;  ///< All but its tests.
    Selection selection;
    int signal_fd = -1;
    RuleBook book;
    Expectations expectations;
    /// A name for each GPU that goes before what the target tells of it: "virtual vega10".
    std::vector<std::string> gpu_names;
    /// Where the tests of Xnack::kOff run; null: where the others do.
    Target* off_target = nullptr;
    std::string off_parameters;  ///< Of its kernel, for the reports.
    SpareRules spare;
    std::shared_ptr<RunEnd> run_end = std::make_shared<RunEnd>();
    std::shared_ptr<const KernelLogFilter> kernel_log_filter;  ///< Null: none.
    std::set<std::string> abort_on;                            ///< Kinds of the filter's.
    std::shared_ptr<Watchdog> watchdog;                        ///< Null: none.
    std::shared_ptr<Journal> journal;                          ///< Null: none.
    bool resumed = false;                                      ///< The journal is gone on with.
    int reruns = 2;              ///< Of a test whose result no expectation foresaw.
    bool fail_on_flake = false;  ///< A flake that no expectation lists fails the run.
    /// Run all again and again until a test fails, at most so many times; 0: no end; nothing: as
    /// --gtest_repeat says.
    std::optional<int> repeat_until_fail;
    /// As of Sessions.
    std::function<bool()> room_for_both = [] { return true; };
  };

  Runner(Target& target, const TestRegistry& registry, Options options);

  /// Runs RUN_ALL_TESTS, writes junit.xml and summary.txt into the results folder, prints the
  /// summary. The exit code: 0; 1 where a test failed that no expectation names, in all its runs
  /// where it was run again; 2 for bad input
  /// that the target found; 130 where a signal ended the run.
  int Run();

 private:
  class StandIn;
  class Iteration;

  Sessions::Options SessionOptions();
  void BeginIteration(std::vector<std::string> chosen);
  void Begin(const std::vector<std::string>& tests);
  void RunTest(const TestInstance& test);
  TestRecord Ask(const TestInstance& test);
  TestRecord Result(const TestInstance& test);
  void Note(const TestRecord& record);
  bool IsKnown(const std::string& test, int iteration) const;
  void Complete(const TestInstance& test, TestRecord& record) const;
  std::optional<TestRecord> Spared(const std::string& test) const;
  void RunAgain();
  int RunRepeatedly();
  void ShowProgress();
  void LearnSurroundings();
  void WriteReports() const;
  int ExitCode() const;

  const TestRegistry& registry_;
  Options options_;
  std::vector<TestInstance> tests_;
  Sessions session_;
  int iteration_ = 0;
  std::vector<TestRecord> records_;
  std::size_t first_of_iteration_ = 0;  ///< Of records_.
  bool introduced_ = false;
  Progress progress_;
  std::chrono::steady_clock::time_point began_;
};

/// What the definitions of a registry declare, for the summary.
std::vector<DeclaredTest> Declared(const TestRegistry& registry);

}  // namespace kfdcts::harness
