#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/report/record.h"

namespace kfdcts::harness {

/// Those of `records` from the `first` on whose result no expectation foresaw and that ran. Nothing
/// where they are more than `most`: then something else than chance is at work.
std::vector<std::size_t> Surprises(const std::vector<TestRecord>& records, std::size_t first,
                                   std::size_t most);

/// "pass", "fail" or "skip".
std::string HowItEnded(const TestRecord& record);

/// Judges a record by all its runs. Where they differ and `flake_fails`, it has failed. Returns the
/// line that the user reads.
std::string JudgeRuns(TestRecord& record, bool flake_fails);

}  // namespace kfdcts::harness
