#include "harness/run/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <tuple>
#include <utility>

#include "harness/report/device_findings.h"
#include "harness/report/guidance.h"
#include "harness/report/junit.h"
#include "harness/run/check_ids.h"
#include "harness/run/replay.h"
#include "harness/run/reruns.h"
#include "harness/vm/base/errors.h"

namespace kfdcts::harness {
namespace {

constexpr int kUsageExitCode = 2;
constexpr int kInterruptedExitCode = 130;
/// So many surprises are no chance.
constexpr std::size_t kMostReruns = 100;

/// The target was given bad input. Nothing was started, and gtest would go on.
template <typename Action>
void OrExit(Action action) {
  std::string what;
  try {
    return action();
  } catch (const vm::RunError& error) {
    what = error.what();
  } catch (const JournalError& error) {
    what = error.what();
  }
  StatusLine::Get().Clear();
  std::cout << std::flush;
  std::cerr << "kfdcts: " << what << std::endl;
  std::exit(kUsageExitCode);
}

}  // namespace

class Runner::StandIn : public testing::Test {
 public:
  StandIn(Runner& runner, const TestInstance& test) : runner_(runner), test_(test) {}

 private:
  void TestBody() override { runner_.RunTest(test_); }

  Runner& runner_;
  const TestInstance& test_;
};

/// Tells the runner which tests gtest has chosen, in its order.
class Runner::Iteration : public testing::EmptyTestEventListener {
 public:
  explicit Iteration(Runner& runner) : runner_(runner) {}

  void OnTestIterationStart(const testing::UnitTest& all, int) override {
    std::vector<std::string> chosen;
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
      const auto* suite = all.GetTestSuite(i);
      for (int j = 0; j < suite->total_test_count(); ++j) {
        const auto* test = suite->GetTestInfo(j);
        if (test->should_run()) chosen.push_back(std::string(suite->name()) + "." + test->name());
      }
    }
    runner_.BeginIteration(std::move(chosen));
  }

  void OnTestIterationEnd(const testing::UnitTest&, int) override { runner_.RunAgain(); }

 private:
  Runner& runner_;
};

Runner::Runner(Target& target, const TestRegistry& registry, Options options)
    : registry_(registry),
      options_(std::move(options)),
      tests_(Select(registry.Instantiate(options_.plan.gpu_count), options_.selection)),
      session_(target, SessionOptions()) {
  for (const auto& test : tests_) {
    const auto& definition = *test.definition;
    testing::RegisterTest(definition.suite.c_str(), test.name.c_str(), nullptr, nullptr,
                          definition.file.c_str(), definition.line,
                          [this, &test] { return new StandIn(*this, test); });
  }
}

Sessions::Options Runner::SessionOptions() {
  std::set<std::string> off_tests;
  std::map<std::string, std::chrono::seconds> limits;
  for (const auto& test : tests_) {
    if (test.definition->spec.xnack == Xnack::kOff) off_tests.insert(test.FullName());
    limits[test.FullName()] = TimeLimit(options_.plan, test);
  }
  return {{options_.results, options_.plan, options_.signal_fd,
           [limits](const std::string& name) { return limits.at(name); }, Say,
           Session::Options{}.silence, options_.run_end, options_.kernel_log_filter,
           options_.info.machine, options_.abort_on,
           [watchdog = options_.watchdog] {
             if (watchdog) watchdog->Ping();
           },
           options_.resumed},
          options_.off_target,
          options_.off_parameters,
          std::move(off_tests),
          options_.room_for_both};
}

void Runner::BeginIteration(std::vector<std::string> chosen) {
  ++iteration_;
  first_of_iteration_ = records_.size();
  progress_ = {.total = chosen.size()};
  began_ = std::chrono::steady_clock::now();
  const bool unknown_kernel = options_.info.kernel_release.empty();
  if (!chosen.empty() && unknown_kernel && SparesByKernel(options_.spare, options_.expectations)) {
    OrExit([&] { session_.Open(chosen.front()); });
    LearnSurroundings();
  }
  if (options_.journal) OrExit([&] { options_.journal->Plan(iteration_, chosen); });
  std::erase_if(chosen, [this](const auto& test) {
    return Spared(test).has_value() || IsKnown(test, iteration_);
  });
  Begin(chosen);
}

void Runner::Begin(const std::vector<std::string>& tests) {
  if (tests.empty()) return;
  OrExit([&] { session_.Begin(tests); });
  LearnSurroundings();
  if (introduced_ || options_.info.kernel_release.empty()) return;
  introduced_ = true;
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began_);
  began_ = std::chrono::steady_clock::now();
  Say(options_.info.machine + ", kernel " + options_.info.kernel_release +
      (session_.in_off() ? ", " + options_.off_parameters : "") + ", ready after " +
      std::to_string(time.count()) + " ms");
  Say("thunk " + options_.info.thunk_identity);
}

void Runner::LearnSurroundings() {
  const Surroundings& told = session_.surroundings();
  RunInfo& info = options_.info;
  info.kernel_release = told.kernel_release;
  info.kfd_version = told.kfd_version;
  info.gpus = told.gpus;
  for (std::size_t i = 0; i < std::min(info.gpus.size(), options_.gpu_names.size()); ++i) {
    info.gpus[i] = options_.gpu_names[i] + ", " + info.gpus[i];
  }
}

std::optional<TestRecord> Runner::Spared(const std::string& test) const {
  return WhySpared(test, options_.spare, options_.expectations, options_.info);
}

TestRecord Runner::Ask(const TestInstance& test) {
  if (auto spared = Spared(test.FullName())) return *spared;
  try {
    return session_.Run(test.FullName());
  } catch (const std::exception& error) {
    TestRecord record;
    record.failure_kind = FailureKind::kNotRun;
    record.failures.push_back({"", 0, error.what(), true});
    return record;
  }
}

void Runner::Complete(const TestInstance& test, TestRecord& record) const {
  const TestDefinition& definition = *test.definition;
  if (session_.in_off()) record.properties.emplace_back("boot", options_.off_parameters);
  record.suite = definition.suite;
  record.name = test.name;
  record.file = definition.file;
  record.line = definition.line;
  record.iteration = iteration_;
  record.property = definition.spec.property;
  JudgeDeviceFindings(record, options_.expectations, options_.info);
  CheckIds(definition, options_.book, record);
  if (record.Skipped()) {
    record.skipped_rules = SplitIds(definition.spec.rules);
  } else {
    record.rules = SplitIds(definition.spec.rules);
    record.guards = SplitIds(definition.spec.guards);
  }
  options_.expectations.Expect(record, options_.info);
  if (record.Failed()) record.guidance = Guidance(record, options_.book);
}

bool Runner::IsKnown(const std::string& test, int iteration) const {
  const auto& journal = options_.journal;
  return journal && (journal->Finished(test, iteration) || journal->TookDown(test, iteration));
}

/// What the journal knows, else by running it.
TestRecord Runner::Result(const TestInstance& test) {
  const auto& journal = options_.journal;
  const std::string name = test.FullName();
  if (!journal) {
    TestRecord record = Ask(test);
    Complete(test, record);
    return record;
  }
  if (auto finished = journal->Finished(name, iteration_)) return *finished;
  if (auto record = journal->TookDown(name, iteration_)) {
    Complete(test, *record);
    journal->End(*record);
    return *record;
  }
  journal->Begin(name, iteration_);
  TestRecord record = Ask(test);
  Complete(test, record);
  Note(record);
  return record;
}

/// A verdict that is none is left to a run that goes on with this one.
void Runner::Note(const TestRecord& record) {
  if (!options_.journal) return;
  const bool cut_short =
      record.failure_kind == FailureKind::kTimeLimit && options_.run_end->Passed();
  const bool none = record.Failed() && record.failure_kind == FailureKind::kNotRun;
  if (session_.interrupted() || cut_short || none) {
    options_.journal->Forget(record.FullName(), record.iteration);
  } else {
    options_.journal->End(record);
  }
}

void Runner::RunTest(const TestInstance& test) {
  ShowProgress();
  TestRecord record = Result(test);
  StatusLine::Get().Clear();
  LearnSurroundings();
  ++progress_.done;
  progress_.failed += record.UnexpectedFailure() ? 1 : 0;
  progress_.skipped += record.Skipped() ? 1 : 0;
  records_.push_back(record);
  Replay(record);
}

void Runner::ShowProgress() {
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began_);
  StatusLine& line = StatusLine::Get();
  line.Show(ProgressText(progress_, elapsed, line.colours()));
}

/// After an iteration: what ended as nobody foresaw has further runs, each a round of them all, so
/// that a test's own runs are apart in time.
void Runner::RunAgain() {
  if (options_.reruns == 0 || session_.interrupted() || !session_.over().empty()) return;
  auto surprises = Surprises(records_, first_of_iteration_, kMostReruns);
  std::erase_if(surprises, [this](std::size_t index) {
    const TestRecord& record = records_[index];
    const bool deadly = options_.journal && options_.journal->TookDown(record.FullName());
    return deadly || !record.runs.empty();
  });
  std::map<std::string, const TestInstance*> known;
  for (const auto& test : tests_) known[test.FullName()] = &test;
  std::vector<std::size_t> order;
  for (int round = 0; round < options_.reruns; ++round) {
    order.insert(order.end(), surprises.begin(), surprises.end());
  }
  std::stable_partition(order.begin(), order.end(), [&](std::size_t index) {
    return known.at(records_[index].FullName())->definition->spec.xnack != Xnack::kOff;
  });
  std::vector<std::string> names;
  for (const std::size_t index : order) names.push_back(records_[index].FullName());
  if (names.empty()) return;
  Say(std::to_string(surprises.size()) + " unexpected: " + std::to_string(options_.reruns) +
      " more runs of each");
  Begin(names);
  for (const std::size_t index : surprises) records_[index].runs = {HowItEnded(records_[index])};
  for (const std::size_t index : order) {
    const TestInstance& test = *known.at(records_[index].FullName());
    TestRecord again = Ask(test);
    if (session_.interrupted() || !session_.over().empty()) break;
    Complete(test, again);
    records_[index].runs.push_back(HowItEnded(again));
  }
  for (const std::size_t index : surprises) {
    Say(JudgeRuns(records_[index], options_.fail_on_flake));
    if (!session_.interrupted() && session_.over().empty()) Note(records_[index]);
  }
}

/// As --gtest_repeat, which has no end but its number.
int Runner::RunRepeatedly() {
  const int most = *options_.repeat_until_fail;
  int result = 0;
  for (int i = 0;
       result == 0 && (most == 0 || i < most) && !session_.interrupted() && session_.over().empty();
       ++i) {
    GTEST_FLAG_SET(random_seed, static_cast<int>(options_.info.seed % 99999) + i % 1000);
    result = RUN_ALL_TESTS();
    if (records_.empty()) break;
  }
  return result;
}

int Runner::Run() {
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  testing::UnitTest::GetInstance()->listeners().Append(new Iteration(*this));
  if (options_.repeat_until_fail) {
    RunRepeatedly();
  } else {
    std::ignore = RUN_ALL_TESTS();
  }
  session_.Finish();
  options_.info.device_complaints = session_.device_complaints();
  if (session_.used_off()) options_.info.off_boot = options_.off_parameters;
  WriteReports();
  return ExitCode();
}

void Runner::WriteReports() const {
  const auto declared = Declared(registry_);
  const auto summary = [&](SummaryDetail detail) {
    return Summarise(options_.info, options_.book, declared, records_, detail);
  };
  std::filesystem::create_directories(options_.results);
  WriteJUnitFile(options_.results / "junit.xml", options_.info, records_);
  ReplaceFile(options_.results / "summary.txt", summary(SummaryDetail::kFull));
  std::cout << '\n' << summary(SummaryDetail::kBrief);
  std::cout << "Reports: " << (options_.results / "junit.xml").string() << ", "
            << (options_.results / "summary.txt").string() << std::endl;
}

int Runner::ExitCode() const {
  if (session_.interrupted()) return kInterruptedExitCode;
  const bool failed = std::any_of(records_.begin(), records_.end(),
                                  [](const auto& record) { return record.UnexpectedFailure(); });
  return failed ? 1 : 0;
}

std::vector<DeclaredTest> Declared(const TestRegistry& registry) {
  std::vector<DeclaredTest> tests;
  for (const auto& definition : registry.definitions()) {
    tests.push_back({definition.suite, definition.name, SplitIds(definition.spec.rules),
                     SplitIds(definition.spec.guards)});
  }
  return tests;
}

}  // namespace kfdcts::harness
