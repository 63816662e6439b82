#pragma once

#include <optional>
#include <string>

#include "harness/report/expectations.h"
#include "harness/report/record.h"

namespace kfdcts::harness {

/// Which tests are not run although they were chosen.
struct SpareRules {
  bool allow_oops = false;  ///< On a host run, too, what is listed as crashing its kernel.
  bool safe = false;        ///< Run nowhere what is listed as crashing or hanging the kernel.
};

/// The record of a test that is not run; nothing where it is. Such are those of the skips, and by
/// the rules those that crash: a guest is there to be crashed, a host is not.
std::optional<TestRecord> WhySpared(const std::string& test, const SpareRules& rules,
                                    const Expectations& expectations, const RunInfo& run);

/// Whether WhySpared() depends on the kernel.
bool SparesByKernel(const SpareRules& rules, const Expectations& expectations);

}  // namespace kfdcts::harness
