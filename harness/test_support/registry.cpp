#include "harness/test_support/registry.h"

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>

namespace kfdcts::harness {
namespace {

std::vector<std::vector<int>> GpuChoices(Scope scope, int gpu_count) {
  std::vector<std::vector<int>> choices;
  if (scope == Scope::kCpu) choices.push_back({});
  for (int first = 0; first < gpu_count; ++first) {
    if (scope == Scope::kEachGpu) choices.push_back({first});
    if (scope == Scope::kFirstGpu && first == 0) choices.push_back({first});
    if (scope != Scope::kEachGpuPair) continue;
    for (int second = first + 1; second < gpu_count; ++second) choices.push_back({first, second});
  }
  return choices;
}

std::string GpuSuffix(const std::vector<int>& ordinals) {
  if (ordinals.empty()) return "/cpu";
  std::string suffix;
  for (const int ordinal : ordinals) {
    suffix += (suffix.empty() ? "/gpu" : "_gpu") + std::to_string(ordinal);
  }
  return suffix;
}

}  // namespace

TestRegistry& TestRegistry::Global() {
  static TestRegistry registry;
  return registry;
}

bool TestRegistry::Add(TestDefinition definition) {
  // The order in which source files are initialised is the linker's; the tests' order must not be.
  const auto before = [](const TestDefinition& a, const TestDefinition& b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  };
  const auto place = std::upper_bound(definitions_.begin(), definitions_.end(), definition, before);
  definitions_.insert(place, std::move(definition));
  return true;
}

bool TestRegistry::AddSource(Source source) {
  sources_.push_back(std::move(source));
  return true;
}

void TestRegistry::ReadSources() {
  const std::vector<Source> sources = std::exchange(sources_, {});
  for (const auto& source : sources) source(*this);
}

std::vector<TestInstance> TestRegistry::Instantiate(int gpu_count) const {
  std::vector<TestInstance> instances;
  for (const auto& definition : definitions_) {
    const std::size_t cases = std::max<std::size_t>(1, definition.cases.size());
    for (std::size_t index = 0; index < cases; ++index) {
      const std::string name = definition.cases.empty()
                                   ? definition.name
                                   : definition.name + "/" + definition.cases[index];
      for (auto& ordinals : GpuChoices(definition.spec.scope, gpu_count)) {
        const std::string full = name + GpuSuffix(ordinals);
        instances.push_back({&definition, index, std::move(ordinals), full});
      }
    }
  }
  return instances;
}

std::vector<std::string> SplitIds(std::string_view ids) {
  std::istringstream words{std::string(ids)};
  std::vector<std::string> list;
  for (std::string id; words >> id;) list.push_back(id);
  return list;
}

}  // namespace kfdcts::harness
