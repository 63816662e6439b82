#include "harness/run/session.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace kfdcts::harness {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The target's own limit on its boot is shorter; this is for one that does not keep it.
constexpr seconds kBootPatience{600};
constexpr seconds kFinishPatience{30};
constexpr seconds kHeartbeat{5};

std::string WithLastWords(const std::string& what, const Target::End& end) {
  std::string text = what;
  if (!end.reason.empty()) text += ": " + end.reason;
  if (!end.last_words.empty()) text += "\nits last lines:\n" + end.last_words;
  return text;
}

}  // namespace

Session::Session(Target& target, Options options)
    : target_(target),
      options_(std::move(options)),
      kernel_log_(target, options_.kernel_log_filter, options_.machine) {
  if (!options_.run_end) options_.run_end = std::make_shared<RunEnd>();
  while (options_.keeps_boots && std::filesystem::exists(BootFolder(boots_ + 1))) ++boots_;
}

void Session::SetEnvironment(std::map<std::string, std::string> environment) {
  options_.plan.environment = std::move(environment);
}

void Session::Begin(std::vector<std::string> tests) {
  // What an earlier plan has left is not waited for: gtest has ended its iteration.
  if (boot_ && next_ < tests_.size()) End(milliseconds(0));
  tests_ = std::move(tests);
  next_ = 0;
  if (tests_.empty() || interrupted_ || !never_up_.empty() || !over().empty()) return;
  if (!boot_) {
    Start(0);
  } else {
    options_.plan.tests = tests_;
    boot_->Send(options_.plan);
  }
}

void Session::Open() {
  if (boot_ || interrupted_ || !never_up_.empty() || !over().empty()) return;
  tests_.clear();
  next_ = 0;
  Start(0);
}

std::filesystem::path Session::BootFolder(int number) const {
  return options_.results / ("boot" + std::to_string(number));
}

void Session::Start(std::size_t first) {
  last_ended_.clear();
  boot_ = std::make_unique<Boot>(target_, BootFolder(++boots_), options_.notice);
  options_.plan.tests.assign(tests_.begin() + static_cast<std::ptrdiff_t>(first), tests_.end());
  options_.plan.kernel_log = target_.marked_log();
  kernel_log_.StartBoot();
  boot_->Send(options_.plan);
  Event event;
  Boot::Wake wake{};
  try {
    wake = Wait(event, kBootPatience);
  } catch (...) {
    boot_.reset();
    throw;
  }
  switch (wake) {
    case Boot::Wake::kEvent:
      if (event.kind != Event::Kind::kReady) {
        boot_.reset();
        throw std::runtime_error("event stream: no \"ready\"");
      }
      surroundings_ = event.surroundings;
      return;
    case Boot::Wake::kSignal:
      interrupted_ = true;
      End(milliseconds(0));
      return;
    case Boot::Wake::kTimeOut:
      if (!over().empty()) {
        End(milliseconds(0));
        return;
      }
      never_up_ = WithLastWords("the target never came up", End(milliseconds(0)));
      return;
    case Boot::Wake::kEnded:
      never_up_ = WithLastWords("the target ended before the first test", End(milliseconds(0)));
      return;
  }
}

milliseconds Session::Patience(const std::string& test, bool started) const {
  const seconds limit = options_.time_limit(test);
  return started ? limit + options_.silence : 2 * limit + options_.silence;
}

void Session::FailLost(TestRecord& record, FailureKind kind, const std::string& what) {
  const Target::End end = End(milliseconds(0));
  record.failure_kind = kind;
  std::string when;
  if (!last_ended_.empty() && record.failures.empty()) when = " (after " + last_ended_ + ")";
  record.failures.push_back({"", 0, WithLastWords(what + when, end), true});
}

void Session::AttachKernelLog(const std::string& test, TestRecord& record) {
  const bool ended = boot_ != nullptr;
  for (const auto& complaint :
       kernel_log_.Attach(test, ended, surroundings_.kernel_release, record)) {
    if (!over().empty() || !options_.abort_on.contains(complaint.kind)) continue;
    options_.run_end->reason = "the run was ended after " + test +
                               " by --abort-on=" + complaint.kind + ": " + complaint.line;
    options_.notice(over());
  }
}

/// The next event, not later than the run's own limit, which then has passed.
Boot::Wake Session::Wait(Event& event, milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    if (options_.heartbeat) options_.heartbeat();
    auto until = std::min(deadline, std::chrono::steady_clock::now() + kHeartbeat);
    RunEnd& run = *options_.run_end;
    if (run.deadline) until = std::min(until, *run.deadline);
    const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
    const auto wake = boot_->Next(event, std::max(left, milliseconds(0)), options_.signal_fd);
    if (wake != Boot::Wake::kTimeOut) return wake;
    if (run.Passed()) run.Pass();
    if (run.Passed() || std::chrono::steady_clock::now() >= deadline) return wake;
  }
}

Session::Step Session::Take(const Event& event, TestRecord& record) {
  switch (event.kind) {
    case Event::Kind::kReady:
    case Event::Kind::kStarted:
    case Event::Kind::kPlanDone:
      return Step::kGoOn;
    case Event::Kind::kFailure:
      record.failures.push_back({event.file, event.line, event.message, event.fatal});
      return Step::kGoOn;
    case Event::Kind::kSkipped:
      record.skipped = true;
      record.skip_reason = event.message;
      return Step::kGoOn;
    case Event::Kind::kProperty:
      if (event.key == "missing_capability") {
        record.missing_capability = event.value;
      } else {
        record.properties.emplace_back(event.key, event.value);
      }
      return Step::kGoOn;
    case Event::Kind::kDied:
      record.failure_kind = event.timed_out ? FailureKind::kTimeLimit : FailureKind::kCrash;
      record.failures.push_back({"", 0, event.message, true});
      [[fallthrough]];
    case Event::Kind::kEnded:
      record.duration = milliseconds(event.milliseconds);
      record.output = event.output;
      return Step::kDone;
    case Event::Kind::kStuck:
      FailLost(record, FailureKind::kTimeLimit,
               "the test's process cannot be killed: it hangs in the kernel" +
                   (event.message.empty() ? "" : ", " + event.message));
      return Step::kDone;
  }
  return Step::kGoOn;
}

/// A test has had its verdict, and what it left cannot be killed: those to come get a fresh guest.
void Session::Replace(const Event& stuck) {
  options_.notice("a process that " + last_ended_ + " left hangs in the kernel" +
                  (stuck.message.empty() ? "" : " (" + stuck.message + ")") +
                  ": the rest goes on in a fresh boot");
  End(milliseconds(0));
  Start(next_ - 1);
}

TestRecord Session::NotRun(TestRecord record) {
  record.failure_kind = FailureKind::kNotRun;
  record.failures.push_back({"", 0, "not run: " + (over().empty() ? never_up_ : over()), true});
  never_up_ = never_up_.substr(0, never_up_.find('\n'));  // the console's lines once
  return record;
}

TestRecord Session::Run(const std::string& test) {
  TestRecord record;
  if (next_ >= tests_.size() || tests_[next_] != test) {
    throw std::logic_error("a test out of order: " + test);
  }
  const std::size_t index = next_++;
  if (over().empty() && options_.run_end->Passed()) options_.run_end->Pass();
  if (!over().empty()) {
    if (boot_) End(milliseconds(0));
    return NotRun(std::move(record));
  }
  if (!boot_ && never_up_.empty() && !interrupted_) Start(index);
  if (interrupted_) {
    record.skipped = true;
    record.skip_reason = kInterruptedReason;
    return record;
  }
  if (!boot_) return NotRun(std::move(record));
  kernel_log_.Begin();
  RunInBoot(test, record);
  if (boot_) last_ended_ = test;
  AttachKernelLog(test, record);
  return record;
}

void Session::RunInBoot(const std::string& test, TestRecord& record) {
  bool started = false;
  for (;;) {
    Event event;
    switch (Wait(event, Patience(test, started))) {
      case Boot::Wake::kSignal:
        interrupted_ = true;
        return FailLost(record, FailureKind::kNotRun, "the run was interrupted in this test");
      case Boot::Wake::kTimeOut:
        if (!over().empty()) {
          return FailLost(record, FailureKind::kTimeLimit, over() + " in this test");
        }
        return FailLost(record, FailureKind::kGuestLost, "no sign of life for too long");
      case Boot::Wake::kEnded:
        return FailLost(record, FailureKind::kGuestLost,
                        started ? "lost in this test" : "lost before this test began");
      case Boot::Wake::kEvent:
        break;
    }
    started = started || event.kind == Event::Kind::kStarted;
    if (event.kind == Event::Kind::kStuck && event.test != test) {
      Replace(event);
      if (boot_) continue;
      record = NotRun(std::move(record));
      return;
    }
    if (Take(event, record) == Step::kDone) return;
  }
}

Target::End Session::End(milliseconds patience) {
  Target::End end = patience.count() > 0 ? boot_->Finish(patience) : boot_->Cancel();
  boot_.reset();
  device_complaints_.insert(device_complaints_.end(), end.device_complaints.begin(),
                            end.device_complaints.end());
  return end;
}

void Session::Finish() {
  if (boot_) End(next_ == tests_.size() ? kFinishPatience : seconds(0));
}

}  // namespace kfdcts::harness
