#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/record.h"
#include "harness/report/rule_book.h"

namespace kfdcts::harness {

/// What became of one rule in a run.
enum class RuleVerdict {
  kPassed,      ///< At least one test that asserts it passed, and none failed.
  kFailed,      ///< A test that asserts it failed, and no expectation says that it must.
  kFlaky,       ///< Tests that assert it failed in some of their runs, and none in all of them.
  kAsExpected,  ///< Tests that assert it failed, all of them as the expectations say, with causes.
  kSkipped,     ///< Every test that names it was skipped.
  kNotRun,      ///< Tests name it, and none of them was chosen.
  kNotCovered,  ///< No test names it.
};

struct RuleResult {
  const Rule* rule = nullptr;
  RuleVerdict verdict = RuleVerdict::kNotCovered;
  int passed = 0;
  int failed = 0;  ///< Unexpectedly.
  int expected_failures = 0;
  int flakes = 0;
  int skipped = 0;
};

/// A test that is linked in and the rules that it names, run or not.
struct DeclaredTest {
  std::string suite;
  std::string name;  ///< Without case and GPU.
  std::vector<std::string> rules;
  std::vector<std::string> guards;
};

/// A result for each rule of the book, in its order.
std::vector<RuleResult> JudgeRules(const RuleBook& book, const std::vector<DeclaredTest>& declared,
                                   const std::vector<TestRecord>& records);

struct Counts {
  int passed = 0;
  int failed = 0;  ///< Unexpectedly.
  int skipped = 0;
  int expected_failures = 0;
  int unexpected_passes = 0;  ///< Also among `passed`.
  int flakes = 0;             ///< Unlisted ones, which are neither passed nor failed.
  int warnings = 0;           ///< Also among the others.
};
Counts CountRecords(const std::vector<TestRecord>& records);

enum class SummaryDetail {
  kFull,   ///< Every rule a line.
  kBrief,  ///< Rules that no test of the run names in one line a family.
};

/// The closing summary: where it ran, rule by rule, skips by missing capability, failures with the
/// bugs they guard, counts. A skip never counts as passed.
std::string Summarise(const RunInfo& run, const RuleBook& book,
                      const std::vector<DeclaredTest>& declared,
                      const std::vector<TestRecord>& records, SummaryDetail detail);

/// Each rule with the tests that name it, for --list-rules.
std::string ListRules(const RuleBook& book, const std::vector<DeclaredTest>& declared);

}  // namespace kfdcts::harness
