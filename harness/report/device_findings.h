#pragma once

#include <string>
#include <string_view>

#include "harness/report/expectations.h"
#include "harness/report/record.h"

namespace kfdcts::harness {

/// The properties by which a test tells what a virtual GPU's sanitizer found while it ran, and
/// since the test before it ended, are called "device_finding", "device_finding_2" and so on, with
/// the value "KIND: text".
inline constexpr std::string_view kDeviceFindingProperty = "device_finding";

/// The name of the `number`th, from 1.
std::string DeviceFindingProperty(int number);

/// Turns each finding of the record into a failure, but for those that the expectations name as the
/// kernel's own: they are kept in `known_findings`.
void JudgeDeviceFindings(TestRecord& record, const Expectations& expectations, const RunInfo& run);

}  // namespace kfdcts::harness
