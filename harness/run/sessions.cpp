#include "harness/run/sessions.h"

#include <stdexcept>
#include <utility>

namespace kfdcts::harness {
namespace {

Session::Options InFolder(Session::Options options, const char* folder) {
  options.results /= folder;
  return options;
}

/// Both share one.
Session::Options& WithRunEnd(Session::Options& options) {
  if (!options.run_end) options.run_end = std::make_shared<RunEnd>();
  return options;
}

}  // namespace

Sessions::Sessions(Target& target, Options options)
    : options_(std::move(options)),
      plain_(target, WithRunEnd(options_.session)),
      off_(options_.off_target == nullptr ? target : *options_.off_target,
           InFolder(options_.session, kOffFolder)) {}

Session& Sessions::SessionOf(const std::string& test) {
  const bool off = options_.off_target != nullptr && options_.off_tests.contains(test);
  return off ? off_ : plain_;
}

void Sessions::Open(const std::string& test) {
  current_ = &SessionOf(test);
  current_->Open();
}

void Sessions::Begin(std::vector<std::string> tests) {
  tests_ = std::move(tests);
  next_ = 0;
  segment_end_ = 0;
  if (!tests_.empty()) BeginSegment();
}

/// A session is told of no more tests than it runs in a row, so that of two guests one rests.
void Sessions::BeginSegment() {
  Session& session = SessionOf(tests_[next_]);
  segment_end_ = next_;
  while (segment_end_ < tests_.size() && &SessionOf(tests_[segment_end_]) == &session) {
    ++segment_end_;
  }
  Session& other = &session == &plain_ ? off_ : plain_;
  if (!session.running() && other.running() && !options_.room_for_both()) other.Finish();
  current_ = &session;
  if (in_off() && !off_.running()) {
    options_.session.notice("tests without retry: a boot of their own, " + options_.off_name);
  }
  used_off_ = used_off_ || in_off();
  const auto at = [this](std::size_t index) {
    return tests_.begin() + static_cast<std::ptrdiff_t>(index);
  };
  session.Begin({at(next_), at(segment_end_)});
}

TestRecord Sessions::Run(const std::string& test) {
  if (next_ >= tests_.size() || tests_[next_] != test) {
    throw std::logic_error("a test out of order: " + test);
  }
  if (interrupted()) {
    ++next_;
    TestRecord record;
    record.skipped = true;
    record.skip_reason = kInterruptedReason;
    return record;
  }
  if (next_ == segment_end_) {
    try {
      BeginSegment();
    } catch (...) {
      segment_end_ = ++next_;  // the next test tries again
      throw;
    }
  }
  ++next_;
  return current_->Run(test);
}

void Sessions::Finish() {
  plain_.Finish();
  off_.Finish();
}

std::vector<std::string> Sessions::device_complaints() const {
  std::vector<std::string> all = plain_.device_complaints();
  for (const auto& line : off_.device_complaints()) all.push_back("xnack-off, " + line);
  return all;
}

}  // namespace kfdcts::harness
