#include "harness/run/spare.h"

#include <algorithm>

namespace kfdcts::harness {

std::optional<TestRecord> WhySpared(const std::string& test, const SpareRules& rules,
                                    const Expectations& expectations, const RunInfo& run) {
  TestRecord record;
  record.skipped = true;
  if (const auto* skip = expectations.FindSkip(test, run)) {
    record.skip_reason = "skipped by expectation: " + skip->cause;
    record.expected_skip = skip->cause;
    return record;
  }
  const auto* expected = expectations.Find(test, run);
  if (expected == nullptr) return std::nullopt;
  if (expected->crashes && !rules.allow_oops && run.target == "host") {
    record.skip_reason = "it is known to crash this host's kernel; --allow-oops runs it";
    return record;
  }
  if (rules.safe && (expected->crashes || expected->hangs)) {
    record.skip_reason = "--safe: it is known to crash or hang this kernel: " + expected->cause;
    return record;
  }
  return std::nullopt;
}

bool SparesByKernel(const SpareRules& rules, const Expectations& expectations) {
  const auto& entries = expectations.entries();
  return std::any_of(entries.begin(), entries.end(), [&](const Expectation& entry) {
    const bool spares = entry.kind == Expectation::Kind::kSkips ||
                        (rules.safe && (entry.crashes || entry.hangs));
    return spares && entry.kernel != "*";
  });
}

}  // namespace kfdcts::harness
