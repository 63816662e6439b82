#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "harness/breakages/breakage.h"
#include "harness/breakages/verdict.h"
#include "harness/report/record.h"
#include "harness/report/rule_book.h"

namespace kfdcts::harness {

/// For --list: each breakage with its rules and what it does.
std::string ListBreakages(const std::vector<Breakage>& breakages);

/// What the tests did with nothing broken: counts, and each that did not pass.
std::string DescribeWhole(const std::vector<TestRecord>& records);

/// A line, and one more for each red test and for each rule that no red test names.
std::string Describe(const Breakage& breakage, const BreakageVerdict& verdict,
                     std::chrono::milliseconds time);

/// How many were caught.
struct Tally {
  int breakages = 0;
  int caught = 0;
  bool AllCaught() const { return breakages > 0 && caught == breakages; }
};

/// "caught 39 of 40 (97 %)".
std::string Describe(const Tally& tally);

/// Throws FixtureError for a breakage that names a rule which the book does not have, or none.
void CheckRules(const BreakageKind& kind, const RuleBook& book);

}  // namespace kfdcts::harness
