#include "harness/report/device_findings.h"

namespace kfdcts::harness {

std::string DeviceFindingProperty(int number) {
  std::string name(kDeviceFindingProperty);
  if (number > 1) name += "_" + std::to_string(number);
  return name;
}

void JudgeDeviceFindings(TestRecord& record, const Expectations& expectations, const RunInfo& run) {
  for (const auto& [key, value] : record.properties) {
    if (!key.starts_with(kDeviceFindingProperty)) continue;
    const std::string kind = value.substr(0, value.find(':'));
    if (const auto* known = expectations.FindFinding(kind, record.FullName(), run)) {
      record.known_findings.push_back({kind, known->cause});
    } else {
      record.failures.push_back({"", 0, "found by the virtual GPU: " + value, false});
    }
  }
}

}  // namespace kfdcts::harness
