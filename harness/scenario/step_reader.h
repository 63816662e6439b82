#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/report/strict_yaml.h"
#include "harness/scenario/scenario.h"

namespace kfdcts::harness::scenario {

/// Reads steps in their order, and knows what the ones before made.
class StepReader {
 public:
  explicit StepReader(std::size_t gpu_count) : gpu_count_(gpu_count) {}

  /// The list `key` of `parent`, which may not be empty. Throws FixtureError.
  std::vector<Step> ReadList(const StrictMapping& parent, std::string_view key);

 private:
  static constexpr std::size_t kMostPages = std::size_t{1} << 20U;  // of a mapping

  Step Read(const StrictMapping& step);
  Action ReadAction(std::string_view kind, const StrictMapping& step);
  Action ReadMemoryStep(std::string_view kind, const StrictMapping& step);
  Action ReadAttributeStep(std::string_view kind, const StrictMapping& step);
  Action ReadAccessStep(std::string_view kind, const StrictMapping& step);
  Action ReadGpuStep(std::string_view kind, const StrictMapping& step);
  Action ReadEventStep(std::string_view kind, const StrictMapping& step);
  Action ReadFlowStep(std::string_view kind, const StrictMapping& step);

  Map ReadMap(const StrictMapping& fields);
  Mremap ReadMremap(const StrictMapping& fields);
  Expect ReadExpect(const StrictMapping& fields);
  GpuAtomic ReadAtomic(const StrictMapping& fields);
  ExpectFault ReadFault(const StrictMapping& fields);
  ExpectResidency ReadResidency(const StrictMapping& fields);
  ExpectEvents ReadEvents(const StrictMapping& fields);
  Event ReadEvent(const StrictMapping& fields);
  Together ReadTogether(const StrictMapping& fields);

  Pages ReadPages(const StrictMapping& fields, std::string_view key = "at") const;
  Place ReadPlace(const StrictMapping& fields, std::string_view key) const;
  std::size_t ReadGpu(const StrictMapping& fields) const;
  std::vector<Attribute> ReadAttributes(const StrictMapping& fields, std::string_view key) const;
  std::string NewName(const StrictMapping& fields, std::set<std::string>& names) const;
  void AddMapping(const StrictMapping& fields, const std::string& name, std::size_t pages);

  std::size_t gpu_count_;
  std::map<std::string, std::size_t> mappings_;  // pages by name
  std::set<std::string> children_, started_;
  /// What a step may stand in: all steps at the top, CPU steps in a child's.
  bool in_child_ = false;
  bool nested_ = false;
};

}  // namespace kfdcts::harness::scenario
