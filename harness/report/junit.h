#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/record.h"

namespace kfdcts::harness {

/// Writes JUnit XML: a testsuite for each gtest suite, run-wide properties on each of them, a
/// test's rules, bugs and missing capability as its own properties. An expected failure is a
/// `skipped` of type "expected-failure" with the failure in system-out, so that a reader of the
/// file alone comes to the run's own verdict.
void WriteJUnit(std::ostream& out, const RunInfo& run, const std::vector<TestRecord>& records);

/// The same into a file, which replaces an older one in one step. Throws std::system_error.
void WriteJUnitFile(const std::filesystem::path& file, const RunInfo& run,
                    const std::vector<TestRecord>& records);

/// `text` as XML 1.0 can hold it: control characters and broken UTF-8 become '?'.
std::string XmlText(std::string_view text);

/// Replaces `file` by `content` in one step, so that no reader sees half of it. Throws
/// std::system_error.
void ReplaceFile(const std::filesystem::path& file, std::string_view content);

}  // namespace kfdcts::harness
