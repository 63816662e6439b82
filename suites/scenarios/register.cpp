// Every file below fixtures/scenarios is a test.
#include <algorithm>
#include <list>
#include <string_view>

#include "harness/scenario/loader.h"
#include "harness/test_support/registry.h"
#include "harness/vm/base/files.h"
#include "suites/scenarios/scenario_test.h"

namespace kfdcts::suites {
namespace {

namespace scenario = harness::scenario;

struct Folder {
  const char* name;
  const char* suite;
};
constexpr Folder kFolders[] = {
    {"svm_range", "SVMRange"}, {"prefetch", "Prefetch"}, {"xnack", "XNACK"}};

/// The bug that leaves a task for good.
constexpr std::string_view kHangs = "BUG-51";

harness::TestSpec SpecOf(const scenario::Scenario& one) {
  harness::TestSpec spec;
  spec.property = one.property;
  spec.rules = one.rules;
  spec.guards = one.guards;
  spec.scope = one.scope;
  spec.needs = one.needs;
  spec.needs.insert(spec.needs.begin(), harness::Capability::kSvm);
  spec.process = one.process;
  spec.xnack = one.xnack;
  spec.time_limit = one.time_limit;
  const auto guards = harness::SplitIds(spec.guards);
  if (std::find(guards.begin(), guards.end(), kHangs) != guards.end()) spec.labels = "hang";
  return spec;
}

void AddScenarios(harness::TestRegistry& registry) {
  static std::list<scenario::Scenario> all;  // what the specs and tests refer to
  for (const auto& folder : kFolders) {
    const auto path = std::filesystem::path("fixtures") / "scenarios" / folder.name;
    for (auto& one : scenario::LoadFolder(vm::ShareFolder() / path)) {
      one.file = path / one.file.filename();
      const scenario::Scenario& kept = all.emplace_back(std::move(one));
      registry.Add(
          {folder.suite, "Scenario", kept.file.string(), 1, SpecOf(kept), {kept.name}, [&kept] {
             return new ScenarioTest(kept);
           }});
    }
  }
}

const bool kAdded = harness::TestRegistry::Global().AddSource(AddScenarios);

}  // namespace
}  // namespace kfdcts::suites
