#include "harness/svm_vectors/tally.h"

#include <algorithm>
#include <sstream>

namespace kfdcts::harness {
namespace {

constexpr std::size_t kInFull = 10;

std::string Count(std::size_t count, const std::string& what) {
  const char* plural = what.ends_with("sh") ? "es" : "s";
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : plural);
}

template <typename Events>
std::size_t Unexpected(const Events& events) {
  return static_cast<std::size_t>(
      std::count_if(events.begin(), events.end(),
                    [](const auto& event) { return event.expected_cause.empty(); }));
}

template <typename Events>
std::string CountOf(const Events& events, const std::string& what) {
  const std::size_t expected = events.size() - Unexpected(events);
  std::string text = Count(events.size(), what);
  if (expected > 0) text += " (" + std::to_string(expected) + " as expected)";
  return text;
}

}  // namespace

VectorTally::Outcome VectorTally::OutcomeOf(const TestRecord& record) {
  switch (record.failure_kind) {
    case FailureKind::kAssertion:
      return Outcome::kDifference;
    case FailureKind::kTimeLimit:
      return Outcome::kHang;
    case FailureKind::kCrash:
    case FailureKind::kGuestLost:
      return Outcome::kCrash;
    case FailureKind::kNotRun:
      return Outcome::kNotRun;
  }
  return Outcome::kNotRun;
}

void VectorTally::Add(const VectorSequence& sequence, const TestRecord& record) {
  if (record.Skipped()) {
    LeaveOut(sequence, (record.missing_capability.empty() ? "" : record.missing_capability + ": ") +
                           record.skip_reason);
    return;
  }
  ++sequences_;
  const Outcome outcome = OutcomeOf(record);
  if (outcome != Outcome::kNotRun) {
    ++ran_;
    operations_ += sequence.operations.size();
  }
  if (outcome == Outcome::kDifference) {
    for (const auto& failure : record.failures) {
      differences_.push_back({sequence.id, failure.message, record.expected_cause});
    }
    return;
  }
  auto& list = outcome == Outcome::kHang    ? hangs_
               : outcome == Outcome::kCrash ? crashes_
                                            : failures_;
  std::string text;
  for (const auto& failure : record.failures) {
    // The last words of a guest that only hangs are its boot's.
    const bool whole = outcome != Outcome::kHang;
    if (!text.empty()) text += '\n';
    text += whole ? failure.message : failure.message.substr(0, failure.message.find('\n'));
  }
  list.push_back({sequence.id, text, record.expected_cause});
}

void VectorTally::LeaveOut(const VectorSequence& /*sequence*/, const std::string& reason) {
  ++sequences_;
  ++left_out_[reason];
}

bool VectorTally::Clean() const {
  return Unexpected(differences_) + Unexpected(hangs_) + Unexpected(crashes_) +
             Unexpected(failures_) ==
         0;
}

std::string VectorTally::List(const std::string& title, const std::vector<Event>& events,
                              std::size_t limit) {
  if (events.empty()) return "";
  std::ostringstream text;
  text << '\n' << title << '\n';
  for (std::size_t i = 0; i < std::min(limit, events.size()); ++i) {
    std::istringstream lines(events[i].id + ": " + events[i].text);
    std::string indent = "  ";
    for (std::string line; std::getline(lines, line); indent = "    ")
      text << indent << line << '\n';
    if (!events[i].expected_cause.empty()) {
      text << "    expected: " << events[i].expected_cause << '\n';
    }
  }
  if (events.size() > limit) text << "  and " << events.size() - limit << " more\n";
  return text.str();
}

std::string VectorTally::Text() const {
  std::ostringstream text;
  text << List("Differences", differences_, kInFull) << List("Hangs", hangs_, hangs_.size())
       << List("Crashes", crashes_, crashes_.size()) << List("Not started", failures_, kInFull);
  if (!left_out_.empty()) text << "\nCould not run\n";
  std::size_t left_out = 0;
  for (const auto& [reason, count] : left_out_) {
    text << "  " << count << " × " << reason << '\n';
    left_out += count;
  }
  text << '\n'
       << Count(sequences_, "sequence") << ", " << ran_ << " ran with "
       << Count(operations_, "operation") << ", " << left_out << " could not run\n"
       << CountOf(differences_, "difference") << ", " << CountOf(hangs_, "hang") << ", "
       << CountOf(crashes_, "crash") << '\n';
  return text.str();
}

}  // namespace kfdcts::harness
