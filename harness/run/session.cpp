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

std::string WithLastWords(const std::string& what, const Target::End& end) {
  std::string text = what;
  if (!end.reason.empty()) text += ": " + end.reason;
  if (!end.last_words.empty()) text += "\nits last lines:\n" + end.last_words;
  return text;
}

/// The first event of a boot, which is none any more where the target threw.
Boot::Wake NextOf(std::unique_ptr<Boot>& boot, Event& event, int signal_fd) {
  try {
    return boot->Next(event, kBootPatience, signal_fd);
  } catch (...) {
    boot.reset();
    throw;
  }
}

}  // namespace

Session::Session(Target& target, Options options) : target_(target), options_(std::move(options)) {}

void Session::SetEnvironment(std::map<std::string, std::string> environment) {
  options_.plan.environment = std::move(environment);
}

void Session::Begin(std::vector<std::string> tests) {
  tests_ = std::move(tests);
  next_ = 0;
  if (tests_.empty() || interrupted_ || !never_up_.empty()) return;
  if (!boot_) {
    Start(0);
  } else {
    options_.plan.tests = tests_;
    boot_->Send(options_.plan);
  }
}

void Session::Start(std::size_t first) {
  last_ended_.clear();
  const std::string folder = "boot" + std::to_string(++boots_);
  boot_ = std::make_unique<Boot>(target_, options_.results / folder, options_.notice);
  options_.plan.tests.assign(tests_.begin() + static_cast<std::ptrdiff_t>(first), tests_.end());
  boot_->Send(options_.plan);
  Event event;
  switch (NextOf(boot_, event, options_.signal_fd)) {
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

void Session::AddKernelComplaints(TestRecord& record) {
  const auto lines = target_.TakeKernelComplaints();
  if (lines.empty() || !record.Failed()) return;
  record.output += "kernel log:\n";
  for (const auto& line : lines) record.output += "  " + line + "\n";
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
  record.failures.push_back({"", 0, "not run: " + never_up_, true});
  never_up_ = never_up_.substr(0, never_up_.find('\n'));  // the console's lines once
  return record;
}

TestRecord Session::Run(const std::string& test) {
  TestRecord record;
  if (next_ >= tests_.size() || tests_[next_] != test) {
    throw std::logic_error("a test out of order: " + test);
  }
  const std::size_t index = next_++;
  if (!boot_ && never_up_.empty() && !interrupted_) Start(index);
  if (interrupted_) {
    record.skipped = true;
    record.skip_reason = "the run was interrupted";
    return record;
  }
  if (!boot_) return NotRun(std::move(record));
  target_.TakeKernelComplaints();
  bool started = false;
  for (;;) {
    Event event;
    switch (boot_->Next(event, Patience(test, started), options_.signal_fd)) {
      case Boot::Wake::kSignal:
        interrupted_ = true;
        FailLost(record, FailureKind::kNotRun, "the run was interrupted in this test");
        return record;
      case Boot::Wake::kTimeOut:
        FailLost(record, FailureKind::kGuestLost, "no sign of life for too long");
        return record;
      case Boot::Wake::kEnded:
        FailLost(record, FailureKind::kGuestLost,
                 started ? "lost in this test" : "lost before this test began");
        AddKernelComplaints(record);
        return record;
      case Boot::Wake::kEvent:
        break;
    }
    started = started || event.kind == Event::Kind::kStarted;
    if (event.kind == Event::Kind::kStuck && event.test != test) {
      Replace(event);
      if (!boot_) return NotRun(std::move(record));
      continue;
    }
    if (Take(event, record) == Step::kDone) break;
  }
  last_ended_ = test;
  AddKernelComplaints(record);
  return record;
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
