#include "harness/run/worker.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "harness/probes/kernel_log_device.h"
#include "harness/probes/kernel_taint.h"
#include "harness/run/kernel_fault.h"
#include "harness/run/test_kernel_log.h"
#include "harness/test_support/kfd_test.h"
#include "harness/test_support/test_process.h"

namespace kfdcts::harness {
namespace {

/// Turns what gtest tells into events.
class Reporter : public testing::EmptyTestEventListener {
 public:
  Reporter(const WorkerIo& io, std::string kernel_log)
      : io_(io), kernel_log_(std::move(kernel_log)) {}

  void OnTestStart(const testing::TestInfo& test) override {
    std::fflush(nullptr);
    output_offset_ = lseek(io_.output_fd, 0, SEEK_END);
    WriteKernelLog(kernel_log_, BeginMark(FullName(test)));
    taint_.Start();
    Event event{.kind = Event::Kind::kStarted};
    event.test = FullName(test);
    event.output_offset = output_offset_;
    io_.events->Write(event);
  }

  void OnTestPartResult(const testing::TestPartResult& part) override {
    // A child of the test passes its own on to the test (RunInChild).
    if (part.passed() || getpid() != pid_) return;
    Event event{.kind = part.skipped() ? Event::Kind::kSkipped : Event::Kind::kFailure};
    event.file = part.file_name() == nullptr ? "" : part.file_name();
    event.line = std::max(0, part.line_number());
    event.message = PlainMessage(part.message());
    event.fatal = part.fatally_failed();
    io_.events->Write(event);
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    const bool failed = result.Failed();
    if (const std::string taint = taint_.Difference(); !taint.empty()) {
      io_.events->Write({.kind = Event::Kind::kProperty, .key = kTaintProperty, .value = taint});
    }
    for (int i = 0; i < result.test_property_count(); ++i) {
      Event event{.kind = Event::Kind::kProperty};
      event.key = result.GetTestProperty(i).key();
      event.value = result.GetTestProperty(i).value();
      io_.events->Write(event);
    }
    std::fflush(nullptr);
    Event event{.kind = Event::Kind::kEnded};
    event.test = FullName(test);
    event.milliseconds = result.elapsed_time();
    if (failed) event.output = ReadFrom(io_.output_fd, output_offset_, kOutputLimit);
    if (io_.ends == io_.events) WriteKernelLog(kernel_log_, EndMark(FullName(test)));
    io_.ends->Write(event);
    // A failed test may leave locks held and memory mapped: the next gets a new process.
    if (failed) _exit(0);
  }

 private:
  static std::string FullName(const testing::TestInfo& test) {
    return std::string(test.test_suite_name()) + "." + test.name();
  }

  WorkerIo io_;
  std::string kernel_log_;
  pid_t pid_ = getpid();
  std::int64_t output_offset_ = 0;
  KernelTaint taint_;
};

void RegisterTests(std::span<const TestInstance> tests) {
  for (const auto& test : tests) {
    const auto& definition = *test.definition;
    testing::RegisterTest(definition.suite.c_str(), test.name.c_str(), nullptr, nullptr,
                          definition.file.c_str(), definition.line, [test]() -> KfdTest* {
                            KfdTest* object = test.definition->make();
                            object->Bind(test);
                            return object;
                          });
  }
}

void SetGtestFlags() {
  GTEST_FLAG_SET(filter, "*");
  GTEST_FLAG_SET(also_run_disabled_tests, true);  // the runner has chosen
  GTEST_FLAG_SET(shuffle, false);
  GTEST_FLAG_SET(repeat, 1);
  GTEST_FLAG_SET(fail_fast, false);
  GTEST_FLAG_SET(break_on_failure, false);
  GTEST_FLAG_SET(throw_on_failure, false);
  GTEST_FLAG_SET(catch_exceptions, true);
  // The runner's share of the tests is the plan's already.
  for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE",
                           "TEST_PREMATURE_EXIT_FILE"}) {
    unsetenv(name);
  }
}

/// A test that eats all memory is to be the one that is killed for it.
void OfferToOutOfMemoryKiller() {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t put = write(fd, "1000", 4);
  static_cast<void>(put);  // a sandbox may refuse it
  close(fd);
}

/// Without the fault that it is about, a test says nothing.
void SetFaultOrDie(const Plan& plan) {
  try {
    SetKernelFault(plan.environment);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kfdcts: the kernel's fault cannot be set: %s\n", error.what());
    std::fflush(nullptr);
    _exit(1);
  }
}

void SetEnvironment(const Plan& plan, const TestSpec& spec) {
  for (const auto& [name, value] : plan.environment) setenv(name.c_str(), value.c_str(), 1);
  for (const auto entry : spec.environment) {
    const auto equals = entry.find('=');
    setenv(std::string(entry.substr(0, equals)).c_str(),
           std::string(entry.substr(equals + 1)).c_str(), 1);
  }
}

}  // namespace

void RunWorker(const Plan& plan, std::span<const TestInstance> tests, const WorkerIo& io) {
  setpgid(0, 0);  // so that a time limit ends the test's own children too
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a test leaves behind is seen by its leak check
  OfferToOutOfMemoryKiller();
  dup2(io.output_fd, STDOUT_FILENO);
  dup2(io.output_fd, STDERR_FILENO);
  SetFaultOrDie(plan);
  SetEnvironment(plan, tests.front().definition->spec);
  TestProcess::Set({plan.thunk, plan.seed});
  SetGtestFlags();
  RegisterTests(tests);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new Reporter(io, plan.kernel_log));
  const int failed = RUN_ALL_TESTS();
  static_cast<void>(failed);  // every failure has been told as an event
  std::fflush(nullptr);
  // Not exit(): what the thunk keeps for the process's life is no business of a leak sanitizer.
  _exit(0);
}

}  // namespace kfdcts::harness
