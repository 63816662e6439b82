#include "harness/work/work_result.h"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace kfdcts::harness {
namespace {

std::string FaultText(const MemoryFault& fault) {
  std::array<char, 32> address{};
  std::snprintf(address.data(), address.size(), "0x%" PRIx64, fault.address);
  std::string causes;
  const auto add = [&causes](bool set, const char* cause) {
    if (set) causes += (causes.empty() ? "" : ", ") + std::string(cause);
  };
  add(fault.not_present, "not present");
  add(fault.read_only, "read only");
  add(fault.no_execute, "no execute");
  return "memory fault at " + std::string(address.data()) + " of node " +
         std::to_string(fault.node) + " (" + (causes.empty() ? "no cause" : causes) + ")";
}

}  // namespace

std::string WorkResult::Text() const {
  switch (end) {
    case End::kDone:
      return "done";
    case End::kFault:
      return FaultText(fault);
    case End::kReset:
      return "hardware exception";
    case End::kTimeout:
      return "timeout";
  }
  return "?";
}

void PrintTo(const MemoryFault& fault, std::ostream* out) { *out << FaultText(fault); }

void PrintTo(WorkResult::End end, std::ostream* out) {
  *out << (end == WorkResult::End::kFault ? "memory fault" : WorkResult{end, {}}.Text());
}

std::ostream& operator<<(std::ostream& out, const WorkResult& result) {
  return out << result.Text();
}

}  // namespace kfdcts::harness
