#pragma once

#include <string>
#include <vector>

#include "harness/breakages/breakage.h"
#include "harness/report/record.h"

namespace kfdcts::harness {

/// How the tests took a breakage.
struct BreakageVerdict {
  enum class Kind {
    kCaught,     ///< For each of its rules a test of that rule went red.
    kWrongRule,  ///< Tests went red, but for one of its rules none that names it.
    kMissed,     ///< No test went red.
  };

  Kind kind = Kind::kMissed;
  std::vector<std::string> red;         ///< Tests that failed, those of its rules first.
  std::vector<std::string> rules_left;  ///< Its rules that no red test names.
};

/// A test that failed in any way is red, a hung or lost one too; one that was never run is not.
bool WentRed(const TestRecord& record);

/// Judges the records of the tests that ran with the breakage. TestRecord::rules are those that the
/// tests declare.
BreakageVerdict Judge(const Breakage& breakage, const std::vector<TestRecord>& records);

/// "caught", "WRONG RULE", "MISSED".
const char* NameOf(BreakageVerdict::Kind kind);

}  // namespace kfdcts::harness
