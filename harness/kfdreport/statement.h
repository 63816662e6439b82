#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "harness/kfdreport/report.h"
#include "harness/kfdreport/rule_texts.h"

namespace kfdcts::report {

/// What a run says of a rule.
enum class RuleState {
  kHeld,      ///< A test of it passed and none failed.
  kBroken,    ///< A test of it failed, crashed or ran out of time.
  kFlaky,     ///< None of these, and a test of it is a flake.
  kExpected,  ///< None of these, and a test of it fails as the expectations say.
  kNotRun,    ///< Its tests were skipped, or none of them is in the run.
};

std::string_view NameOf(RuleState state);

struct RuleFinding {
  RuleState state = RuleState::kNotRun;
  int passed = 0;
  int failed = 0;
  int flaky = 0;
  int expected = 0;
  int skipped = 0;
  std::map<std::string, int> skip_reasons;  ///< How many tests for each.
  std::vector<std::string> tests;           ///< Those that decided kBroken, kFlaky, kExpected.
  std::vector<std::string> causes;          ///< Their messages, each once.
};

/// What each run says of each rule: of `texts` in their order, and of those that only tests name.
/// A skipped test counts for the rules that it names as "skipped_rule", or that others of the same
/// test name in a run where they ran (PointerInfo.Moved/gpu1 and /gpu0).
struct Statement {
  std::vector<std::string> rules;
  std::vector<std::map<std::string, RuleFinding>> of_run;  ///< As the runs; no entry: not run.
};

Statement MakeStatement(const std::vector<Run>& runs, const RuleTexts& texts);

void WriteStatement(std::ostream& out, const std::vector<Run>& runs, const Statement& statement,
                    const RuleTexts& texts);

/// {"runs": [{"machine", "kernel", "thunk", "files", "rules": [{"id", "text", "state", "passed", …,
/// "reasons", "tests", "causes"}]}]}
void WriteStatementJson(std::ostream& out, const std::vector<Run>& runs, const Statement& statement,
                        const RuleTexts& texts);

}  // namespace kfdcts::report
