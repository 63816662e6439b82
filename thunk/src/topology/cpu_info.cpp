#include "thunk/src/topology/cpu_info.h"

#include <algorithm>
#include <string_view>

#include "thunk/src/topology/property_text.h"

namespace kfdcts::thunk {
namespace {

std::string_view WithoutBlanksAtEnd(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/// Calls `visit(key, value)` for each line "key : value". The value's own blanks at the end stay:
/// CPU names have them.
template <typename Visitor>
void ForEachCpuInfoLine(std::string_view text, Visitor visit) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view value = line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    visit(WithoutBlanksAtEnd(line.substr(0, colon)), value);
  }
}

}  // namespace

CpuInfo CpuInfo::Read(SystemCalls& calls) {
  CpuInfo info;
  std::string text;
  if (calls.ReadFile("/proc/cpuinfo", text) < 0) return info;
  auto& processors = info.processors_;
  ForEachCpuInfoLine(text, [&processors](std::string_view key, std::string_view value) {
    const auto number = ParseNumber(WithoutBlanksAtEnd(value));
    if (key == "processor" && number) {
      processors.push_back({.number = *number, .apic_id = *number, .model = ""});
    } else if (processors.empty()) {
      return;
    } else if (key == "apicid" && number) {
      processors.back().apic_id = *number;
    } else if (key == "model name") {
      processors.back().model = value;
    }
  });
  std::stable_sort(processors.begin(), processors.end(),
                   [](const Processor& a, const Processor& b) { return a.number < b.number; });
  return info;
}

std::string CpuInfo::ModelOf(std::uint64_t apic_id) const {
  for (const Processor& processor : processors_) {
    if (processor.apic_id == apic_id) return processor.model;
  }
  return "";
}

std::uint64_t CpuInfo::ApicIdOf(std::uint64_t processor) const {
  const Processor* found = Find(processor);
  return found == nullptr ? processor : found->apic_id;
}

const CpuInfo::Processor* CpuInfo::Find(std::uint64_t number) const {
  const auto found =
      std::lower_bound(processors_.begin(), processors_.end(), number,
                       [](const Processor& a, std::uint64_t b) { return a.number < b; });
  return found == processors_.end() || found->number != number ? nullptr : &*found;
}

}  // namespace kfdcts::thunk
