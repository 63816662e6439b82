#pragma once

#include <ostream>
#include <vector>

#include "harness/kfdreport/report.h"

namespace kfdcts::report {

struct CompareOptions {
  double slower_factor = 2.0;   ///< Slower: more than this much of the base's time,
  double slower_seconds = 1.0;  ///< and more than this much longer. Never a regression.
  /// Newly skipped tests and those that are no longer there are regressions, too.
  bool strict = false;
};

/// How one case differs.
enum class Change {
  kRegression,       ///< Bad now and not before, or worse: fail → crash, fail → timeout.
  kComplaint,        ///< The kernel complains now and did not before. A regression.
  kNewlySkipped,     ///< Ran before.
  kGone,             ///< Only in the base.
  kFlake,            ///< A flake in either, and not in both.
  kStillBad,         ///< Bad in both, less so now: crash → fail.
  kExpected,         ///< Passed before, fails as expected now.
  kFixed,            ///< Bad, or failing as expected, before.
  kNoLongerSkipped,  ///< And not bad.
  kOther,            ///< pass → unexpected-pass and the like.
  kNew,              ///< Only in the patch, and not bad.
  kSlower,           ///< The same verdict, later.
};

struct Difference {
  Change change;
  const Case* base;   ///< Null: not there.
  const Case* patch;  ///< Null: not there.
};

/// One configuration of the base beside one of the patch. Either may be null: no partner.
struct Pair {
  const Run* base;
  const Run* patch;
  std::vector<Difference> differences;  ///< By change, then in the order of the base's cases.
};

/// Pairs configurations: the same; else of one machine and kernel; else of one machine; else the
/// two that are left. Of more than one that would do none is taken. Both must be merged and
/// outlive the result.
std::vector<Pair> Compare(const std::vector<Run>& base, const std::vector<Run>& patch,
                          const CompareOptions& options);

/// Whether the comparison fails.
bool IsRegression(const std::vector<Pair>& pairs, const CompareOptions& options);

void WriteComparison(std::ostream& out, const std::vector<Pair>& pairs,
                     const CompareOptions& options);

}  // namespace kfdcts::report
