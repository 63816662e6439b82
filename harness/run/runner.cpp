#include "harness/run/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>

#include "harness/report/device_findings.h"
#include "harness/report/junit.h"
#include "harness/vm/base/errors.h"

namespace kfdcts::harness {
namespace {

constexpr int kUsageExitCode = 2;
constexpr int kInterruptedExitCode = 130;

void Say(const std::string& line) {
  std::fputs(("[   kfdcts ] " + line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

void ReplayFailures(const TestRecord& record) {
  for (const auto& failure : record.failures) {
    const char* file = failure.file.empty() ? record.file.c_str() : failure.file.c_str();
    const int line = failure.file.empty() ? record.line : failure.line;
    if (failure.fatal) {
      [&] { GTEST_FAIL_AT(file, line) << failure.message; }();
    } else {
      ADD_FAILURE_AT(file, line) << failure.message;
    }
  }
  if (!record.output.empty()) std::cout << "Its output:\n" << record.output << std::flush;
}

/// Makes the running gtest test end as the record says.
void Replay(const TestRecord& record) {
  for (const auto& [key, value] : record.properties) testing::Test::RecordProperty(key, value);
  if (record.UnexpectedFailure()) {
    ReplayFailures(record);
  } else if (record.ExpectedFailure()) {
    Say("failed as expected: " + record.failures.front().message);
    GTEST_SKIP() << "expected failure: " << record.expected_cause;
  } else if (record.Skipped()) {
    GTEST_SKIP() << (record.missing_capability.empty() ? "" : record.missing_capability + ": ")
                 << record.skip_reason;
  } else if (record.UnexpectedPass()) {
    Say("passed although listed as failing: " + record.expected_cause);
  }
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

  void OnTestIterationStart(const testing::UnitTest& all, int iteration) override {
    runner_.iteration_ = iteration + 1;
    std::vector<std::string> chosen;
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
      const auto* suite = all.GetTestSuite(i);
      for (int j = 0; j < suite->total_test_count(); ++j) {
        const auto* test = suite->GetTestInfo(j);
        if (test->should_run()) chosen.push_back(std::string(suite->name()) + "." + test->name());
      }
    }
    std::erase_if(chosen, [this](const auto& test) { return runner_.IsSpared(test); });
    runner_.Begin(chosen);
  }

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
           [limits](const std::string& name) { return limits.at(name); }, Say},
          options_.off_target,
          options_.off_parameters,
          std::move(off_tests),
          options_.room_for_both};
}

void Runner::Begin(const std::vector<std::string>& tests) {
  if (tests.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  try {
    session_.Begin(tests);
  } catch (const vm::RunError& error) {
    std::cout << std::flush;
    std::cerr << "kfdcts: " << error.what() << std::endl;
    std::exit(kUsageExitCode);  // nothing was started, and gtest would go on
  }
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  LearnSurroundings();
  if (iteration_ > 1 || options_.info.kernel_release.empty()) return;
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

/// A guest is there to be crashed, a host is not.
bool Runner::IsSpared(const std::string& test) const {
  if (options_.allow_oops || options_.info.target != "host") return false;
  const auto* expected = options_.expectations.Find(test, options_.info);
  return expected != nullptr && expected->crashes;
}

TestRecord Runner::Ask(const TestInstance& test) {
  if (IsSpared(test.FullName())) {
    TestRecord record;
    record.skipped = true;
    record.skip_reason = "it is known to crash this host's kernel; --allow-oops runs it";
    return record;
  }
  try {
    return session_.Run(test.FullName());
  } catch (const std::exception& error) {
    TestRecord record;
    record.failure_kind = FailureKind::kNotRun;
    record.failures.push_back({"", 0, error.what(), true});
    return record;
  }
}

void Runner::CheckIds(const TestDefinition& definition, TestRecord& record) const {
  const auto unknown = [&](const std::string& id, const char* file) {
    record.failures.push_back(
        {definition.file, definition.line,
         "the test names \"" + id + "\", which fixtures/spec/" + file + " does not have", false});
  };
  for (const auto& id : SplitIds(definition.spec.rules)) {
    if (options_.book.FindRule(id) == nullptr) unknown(id, "rules.yaml");
  }
  for (const auto& id : SplitIds(definition.spec.guards)) {
    if (options_.book.FindBug(id) == nullptr) unknown(id, "known-bugs.yaml");
  }
}

void Runner::RunTest(const TestInstance& test) {
  const TestDefinition& definition = *test.definition;
  TestRecord record = Ask(test);
  LearnSurroundings();
  if (session_.in_off()) record.properties.emplace_back("boot", options_.off_parameters);
  record.suite = definition.suite;
  record.name = test.name;
  record.file = definition.file;
  record.line = definition.line;
  record.iteration = iteration_;
  record.property = definition.spec.property;
  JudgeDeviceFindings(record, options_.expectations, options_.info);
  CheckIds(definition, record);
  if (!record.Skipped()) {
    record.rules = SplitIds(definition.spec.rules);
    record.guards = SplitIds(definition.spec.guards);
  }
  const auto* expected = options_.expectations.Find(record.FullName(), options_.info);
  if (expected != nullptr) record.expected_cause = expected->cause;
  records_.push_back(record);
  Replay(record);
}

int Runner::Run() {
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  testing::UnitTest::GetInstance()->listeners().Append(new Iteration(*this));
  const int result = RUN_ALL_TESTS();
  session_.Finish();
  options_.info.device_complaints = session_.device_complaints();
  if (session_.used_off()) options_.info.off_boot = options_.off_parameters;
  WriteReports();
  return ExitCode(result);
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

int Runner::ExitCode(int gtest_result) const {
  if (session_.interrupted()) return kInterruptedExitCode;
  const bool failed = std::any_of(records_.begin(), records_.end(),
                                  [](const auto& record) { return record.UnexpectedFailure(); });
  return failed || gtest_result != 0 ? 1 : 0;
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
