#include "harness/run/reruns.h"

namespace kfdcts::harness {

std::vector<std::size_t> Surprises(const std::vector<TestRecord>& records, std::size_t first,
                                   std::size_t most) {
  std::vector<std::size_t> found;
  for (std::size_t i = first; i < records.size(); ++i) {
    const TestRecord& record = records[i];
    const bool ran = record.failure_kind != FailureKind::kNotRun;
    if ((record.UnexpectedFailure() && ran) || record.UnexpectedPass()) found.push_back(i);
  }
  if (found.size() > most) found.clear();
  return found;
}

std::string HowItEnded(const TestRecord& record) {
  if (record.Failed()) return "fail";
  return record.Skipped() ? "skip" : "pass";
}

std::string JudgeRuns(TestRecord& record, bool flake_fails) {
  const std::string line = record.FullName() + ": " + record.Runs();
  if (!record.Flake()) return line + ": no flake";
  record.flake_fails = flake_fails;
  if (!flake_fails) return line + ": A FLAKE that no expectation lists";
  record.failures.push_back(
      {"", 0, "a flake that no expectation lists: its runs ended " + record.Runs(), false});
  record.expected_cause.clear();
  return line + ": A FLAKE that no expectation lists, which fails the run";
}

}  // namespace kfdcts::harness
