#include "harness/breakages/command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>

#include "harness/breakages/campaign.h"
#include "harness/breakages/choice.h"
#include "harness/breakages/kernel_kind.h"
#include "harness/breakages/report.h"
#include "harness/breakages/thunk_kind.h"
#include "harness/cli/place.h"
#include "harness/thunk/thunk.h"
#include "harness/vm/base/errors.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kUsageExitCode = 2;
constexpr int kInterruptedExitCode = 130;
/// For a test that does not say how long; one that a breakage hangs costs as much.
constexpr std::chrono::seconds kTimeLimit{15};
/// With one GPU, so that a boot is short, and with evictions.
constexpr const char* kKernelMachine = "small-vram";

std::chrono::milliseconds Since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

/// Standard output and breakages.txt.
class Output {
 public:
  explicit Output(const fs::path& results) {
    fs::create_directories(results);
    file_.open(results / "breakages.txt");
    if (!file_) throw UsageError("--results: " + results.string() + " cannot be written");
  }
  void Print(const std::string& text) {
    std::cout << text << std::flush;
    file_ << text << std::flush;
  }

 private:
  std::ofstream file_;
};

bool AnyFailed(const std::vector<TestRecord>& records) {
  return std::any_of(records.begin(), records.end(),
                     [](const auto& record) { return record.UnexpectedFailure(); });
}

/// What fails as expected with nothing broken has nothing to say of a breakage.
void LeaveOutExpected(Campaign& campaign, const Expectations& expectations, RunInfo info,
                      std::vector<TestRecord>& whole) {
  info.kernel_release = campaign.surroundings().kernel_release;
  for (TestRecord& record : whole) {
    const Expectation* expected = expectations.Find(record.FullName(), info);
    if (expected == nullptr) continue;
    record.expected_cause = expected->cause;
    campaign.LeaveOut(record.FullName());
  }
}

int RunAll(Campaign& campaign, const std::vector<Breakage>& breakages,
           const Expectations& expectations, const RunInfo& info, Output& output) {
  auto whole = campaign.RunWhole();
  LeaveOutExpected(campaign, expectations, info, whole);
  if (campaign.interrupted()) return kInterruptedExitCode;
  output.Print(DescribeWhole(whole));
  if (AnyFailed(whole)) {
    output.Print("What is red with nothing broken says nothing about a breakage: none was run.\n");
    return 1;
  }
  Tally tally;
  for (const auto& breakage : breakages) {
    const auto start = Clock::now();
    const BreakageVerdict verdict = campaign.Run(breakage);
    if (campaign.interrupted()) return kInterruptedExitCode;
    output.Print(Describe(breakage, verdict, Since(start)));
    ++tally.breakages;
    tally.caught += verdict.kind == BreakageVerdict::Kind::kCaught ? 1 : 0;
  }
  output.Print(Describe(tally));
  return tally.AllCaught() ? 0 : 1;
}

/// What is broken, and where its tests run.
struct Subject {
  BreakageKind kind;
  std::vector<Breakage> breakages;  ///< The chosen ones.
  Options options;                  ///< Those given, with the kernel that can be broken.
  fs::path thunk;                   ///< That the tests load.
};

Subject ChooseSubject(const Options& options) {
  Subject subject{ThunkBreakages(), {}, options, {}};
  if (options.breakages->kernel) {
    subject.kind = KernelBreakages(vm::ShareFolder() / "fixtures/breakages/kernel/faults.yaml");
  }
  subject.breakages = Named(subject.kind, options.breakages->fault);
  if (subject.breakages.empty()) {
    throw UsageError("--fault: " + options.breakages->fault + " is no fault (--list shows all)");
  }
  return subject;
}

/// Finds what can be broken.
void Equip(Subject& subject) {
  Options& options = subject.options;
  const BreakagesOptions& given = *options.breakages;
  if (given.thunk) {
    subject.thunk = given.library.empty() ? BreakableThunk() : given.library;
    return;
  }
  const fs::path image = fs::absolute(given.image.empty() ? BreakableKernel() : given.image);
  options.target = Options::Target::kVm;
  options.kernel = image.string();
  options.modules = ModulesOf(image);
  if (options.machine.empty()) options.machine = kKernelMachine;
  subject.thunk = options.thunk.empty() ? DefaultThunk() : options.thunk;
}

/// Throws where what was found lacks one of the breakages.
void Check(const Subject& subject) {
  if (subject.options.breakages->thunk) {
    CheckBreakable(subject.thunk, subject.breakages);
  } else {
    CheckBreakableKernel(subject.options.kernel, subject.breakages);
  }
}

Campaign::Options Prepare(const Options& options, const fs::path& library, int gpu_count) {
  Campaign::Options prepared;
  prepared.results = options.results;
  prepared.plan.thunk = fs::canonical(library).string();
  prepared.plan.gpu_count = gpu_count;
  prepared.plan.seed = ChooseSeed();
  prepared.plan.time_limit = options.time_limit.count() > 0 ? options.time_limit : kTimeLimit;
  prepared.every_test = options.breakages->every_test;
  prepared.notice = [](const std::string& line) { std::cerr << line << '\n'; };
  return prepared;
}

}  // namespace

int RunBreakages(const Options& options, const Program& program, const RuleBook& book) {
  Subject subject = ChooseSubject(options);
  CheckRules(subject.kind, book);
  if (options.breakages->list) {
    std::cout << ListBreakages(subject.breakages);
    return 0;
  }
  Equip(subject);
  const Place place = ChoosePlace(subject.options, program);
  if (place.gpu_count == 0)
    std::erase_if(subject.breakages, [](const auto& one) { return one.needs_gpu; });
  if (subject.breakages.empty()) throw UsageError("--fault: these show on a machine with a GPU");
  Check(subject);
  const auto tests = TestsFor(subject.kind, GTEST_FLAG_GET(filter),
                              TestRegistry::Global().Instantiate(place.gpu_count));
  if (tests.empty()) throw UsageError("--gtest_filter: no test of the suites matches");
  RemoveOldBoots(options.results);
  Output output(options.results);
  const vm::UniqueFd signals(CatchSignals());
  RunInfo info = place.info;
  info.thunk_identity = IdentifyThunk(subject.thunk).Describe();
  auto prepared = Prepare(options, subject.thunk, place.gpu_count);
  prepared.signal_fd = signals.get();
  const Expectations expectations = LoadExpectations(options);
  prepared.expectations = expectations;
  prepared.info = info;
  try {
    Campaign campaign(*place.target, subject.kind, tests, std::move(prepared));
    const int code = RunAll(campaign, subject.breakages, expectations, info, output);
    campaign.Finish();
    return code;
  } catch (const vm::RunError& error) {
    std::cerr << "kfdcts: " << error.what() << '\n';
    return kUsageExitCode;
  }
}

}  // namespace kfdcts::harness
