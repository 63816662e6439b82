#include "harness/report/summary.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <sstream>

#include "harness/report/guidance.h"

namespace kfdcts::harness {
namespace {

constexpr std::size_t kTextWidth = 62;

bool Names(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::string_view Word(RuleVerdict verdict) {
  switch (verdict) {
    case RuleVerdict::kPassed:
      return "passed";
    case RuleVerdict::kFailed:
      return "FAILED";
    case RuleVerdict::kFlaky:
      return "flaky";
    case RuleVerdict::kAsExpected:
      return "as expected";
    case RuleVerdict::kSkipped:
      return "skipped";
    case RuleVerdict::kNotRun:
      return "not run";
    case RuleVerdict::kNotCovered:
      return "not covered";
  }
  return "";
}

RuleVerdict Judge(const RuleResult& result, bool declared) {
  if (result.failed > 0) return RuleVerdict::kFailed;
  if (result.flakes > 0) return RuleVerdict::kFlaky;
  if (result.expected_failures > 0) return RuleVerdict::kAsExpected;
  if (result.passed > 0) return RuleVerdict::kPassed;
  if (result.skipped > 0) return RuleVerdict::kSkipped;
  return declared ? RuleVerdict::kNotRun : RuleVerdict::kNotCovered;
}

const DeclaredTest* DeclarationOf(const TestRecord& record,
                                  const std::vector<DeclaredTest>& declared) {
  const std::string name = record.name.substr(0, record.name.find('/'));
  const auto found = std::find_if(declared.begin(), declared.end(), [&](const auto& test) {
    return test.suite == record.suite && test.name == name;
  });
  return found == declared.end() ? nullptr : &*found;
}

void PrintRun(std::ostream& out, const RunInfo& run) {
  out << "Where\n";
  for (const auto& [name, value] : run.Properties()) {
    out << "  " << name << std::string(name.size() < 16 ? 16 - name.size() : 1, ' ') << value
        << '\n';
  }
}

void PrintDeviceComplaints(std::ostream& out, const RunInfo& run) {
  if (run.device_complaints.empty()) return;
  out << "\nMet by a virtual GPU that does not know it (results may be wrong)\n";
  for (const auto& line : run.device_complaints) out << "  " << line << '\n';
}

void PrintRule(std::ostream& out, const RuleResult& result) {
  std::array<char, 64> head{};
  std::snprintf(head.data(), head.size(), "  %-7s %-11s %4d %4d %5d %5d %4d  ",
                result.rule->id.c_str(), std::string(Word(result.verdict)).c_str(), result.passed,
                result.failed, result.expected_failures, result.flakes, result.skipped);
  out << head.data() << Shorten(result.rule->text, kTextWidth) << '\n';
}

void PrintRules(std::ostream& out, const std::vector<RuleResult>& results, SummaryDetail detail) {
  out << "\nRules     verdict      pass fail xfail flake skip\n";
  std::map<std::string, std::string> quiet;  // family and verdict → ids
  for (const auto& result : results) {
    const bool named =
        result.verdict != RuleVerdict::kNotCovered && result.verdict != RuleVerdict::kNotRun;
    if (named || detail == SummaryDetail::kFull) {
      PrintRule(out, result);
    } else {
      quiet[result.rule->family + " " + std::string(Word(result.verdict))] +=
          " " + result.rule->id.substr(result.rule->family.size() + 1);
    }
  }
  for (const auto& [what, ids] : quiet) out << "  " << what << ":" << ids << '\n';
}

void PrintSkips(std::ostream& out, const std::vector<TestRecord>& records) {
  std::map<std::string, int> reasons;
  for (const auto& record : records) {
    if (!record.Skipped()) continue;
    ++reasons[record.missing_capability.empty()
                  ? record.skip_reason
                  : record.missing_capability + ": " + record.skip_reason];
  }
  if (reasons.empty()) return;
  out << "\nSkipped, by what is missing\n";
  for (const auto& [reason, count] : reasons) out << "  " << count << " × " << reason << '\n';
}

std::string Indent(const std::string& text) {
  std::string indented;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) indented += "      " + line + '\n';
  return indented;
}

void PrintFailure(std::ostream& out, const TestRecord& record, const RuleBook& book,
                  const std::vector<DeclaredTest>& declared) {
  out << "  " << record.FullName();
  if (!record.rules.empty()) {
    out << "  [";
    for (std::size_t i = 0; i < record.rules.size(); ++i) out << (i ? " " : "") << record.rules[i];
    out << "]";
  }
  out << '\n';
  if (record.ExpectedFailure()) out << "      expected: " << record.expected_cause << '\n';
  const auto& first = record.failures.front();
  if (!first.file.empty()) out << "      " << first.file << ":" << first.line << '\n';
  out << Indent(first.message);
  if (record.failures.size() > 1) {
    out << "      and " << record.failures.size() - 1 << " more failed checks\n";
  }
  const DeclaredTest* test = DeclarationOf(record, declared);
  for (const auto& id : test == nullptr ? record.guards : test->guards) {
    const KnownBug* bug = book.FindBug(id);
    if (bug == nullptr) continue;
    out << "      guards " << id << ": " << SymptomOf(*bug) << "\n      cause: " << bug->cause
        << '\n';
    const std::string fix = FixOf(*bug);
    if (!fix.empty()) out << "      the fix that may be missing: " << fix << '\n';
  }
}

void PrintKnownFindings(std::ostream& out, const std::vector<TestRecord>& records) {
  std::map<std::pair<std::string, std::string>, int> tests;  // kind and cause → how many
  for (const auto& record : records) {
    for (const auto& finding : record.known_findings) ++tests[{finding.kind, finding.cause}];
  }
  if (tests.empty()) return;
  out << "\nFound by virtual GPUs, the kernel's own doing\n";
  for (const auto& [finding, count] : tests) {
    out << "  " << finding.first << " in " << count << " tests\n" << Indent(finding.second);
  }
}

template <typename Predicate>
void PrintFailures(std::ostream& out, const char* title, const std::vector<TestRecord>& records,
                   const RuleBook& book, const std::vector<DeclaredTest>& declared,
                   Predicate matches) {
  bool first = true;
  for (const auto& record : records) {
    if (!matches(record)) continue;
    if (first) out << '\n' << title << '\n';
    first = false;
    PrintFailure(out, record, book, declared);
  }
}

void PrintUnexpectedPasses(std::ostream& out, const std::vector<TestRecord>& records) {
  bool first = true;
  for (const auto& record : records) {
    if (!record.UnexpectedPass()) continue;
    if (first) out << "\nPassed although listed as an expected failure (the list is out of date)\n";
    first = false;
    out << "  " << record.FullName() << "\n      listed cause: " << record.expected_cause << '\n';
  }
}

void PrintFlakes(std::ostream& out, const std::vector<TestRecord>& records) {
  bool first = true;
  for (const auto& record : records) {
    if (!record.Flake()) continue;
    if (first) out << "\nFLAKES that no expectation lists as such (their runs differ)\n";
    first = false;
    out << "  " << record.FullName() << ": " << record.Runs() << '\n';
    if (record.Failed()) out << Indent(record.failures.front().message);
  }
}

}  // namespace

std::vector<RuleResult> JudgeRules(const RuleBook& book, const std::vector<DeclaredTest>& declared,
                                   const std::vector<TestRecord>& records) {
  std::vector<RuleResult> results;
  for (const auto& rule : book.rules()) {
    RuleResult result{&rule};
    for (const auto& record : records) {
      const DeclaredTest* test = DeclarationOf(record, declared);
      const bool asserted = Names(record.rules, rule.id);
      if (record.Skipped()) {
        result.skipped += test != nullptr && Names(test->rules, rule.id) ? 1 : 0;
      } else if (asserted) {
        ++(record.UnexpectedFailure() ? result.failed
           : record.Flake()           ? result.flakes
           : record.ExpectedFailure() ? result.expected_failures
                                      : result.passed);
      }
    }
    const bool named = std::any_of(declared.begin(), declared.end(),
                                   [&](const auto& test) { return Names(test.rules, rule.id); });
    result.verdict = Judge(result, named);
    results.push_back(result);
  }
  return results;
}

Counts CountRecords(const std::vector<TestRecord>& records) {
  Counts counts;
  for (const auto& record : records) {
    const bool flake = record.Flake() && !record.UnexpectedFailure();
    counts.flakes += flake ? 1 : 0;
    counts.warnings += record.warning.empty() ? 0 : 1;
    counts.passed += record.Passed() && !flake ? 1 : 0;
    counts.failed += record.UnexpectedFailure() ? 1 : 0;
    counts.skipped += record.Skipped() ? 1 : 0;
    counts.expected_failures += record.ExpectedFailure() && !flake ? 1 : 0;
    counts.unexpected_passes += record.UnexpectedPass() ? 1 : 0;
  }
  return counts;
}

std::string Summarise(const RunInfo& run, const RuleBook& book,
                      const std::vector<DeclaredTest>& declared,
                      const std::vector<TestRecord>& records, SummaryDetail detail) {
  std::ostringstream out;
  PrintRun(out, run);
  PrintRules(out, JudgeRules(book, declared, records), detail);
  PrintSkips(out, records);
  PrintFailures(out, "Failed as expected", records, book, declared,
                [](const auto& record) { return record.ExpectedFailure(); });
  PrintUnexpectedPasses(out, records);
  PrintFlakes(out, records);
  PrintDeviceComplaints(out, run);
  PrintKnownFindings(out, records);
  PrintFailures(out, "Failed", records, book, declared,
                [](const auto& record) { return record.UnexpectedFailure(); });
  const Counts counts = CountRecords(records);
  out << "\nTests: " << counts.passed << " passed, " << counts.failed << " failed, "
      << counts.skipped << " skipped, " << counts.expected_failures << " failed as expected, "
      << counts.unexpected_passes << " passed unexpectedly";
  if (counts.flakes > 0) out << ", " << counts.flakes << " flakes";
  if (counts.warnings > 0) out << ", " << counts.warnings << " with a warning of the kernel";
  out << '\n';
  return out.str();
}

std::string ListRules(const RuleBook& book, const std::vector<DeclaredTest>& declared) {
  std::ostringstream out;
  for (const auto& rule : book.rules()) {
    out << rule.id << "  " << Shorten(rule.text, 90) << '\n';
    bool covered = false;
    for (const auto& test : declared) {
      if (!Names(test.rules, rule.id)) continue;
      out << "    " << test.suite << '.' << test.name << '\n';
      covered = true;
    }
    if (!covered) out << "    (no test)\n";
  }
  return out.str();
}

}  // namespace kfdcts::harness
