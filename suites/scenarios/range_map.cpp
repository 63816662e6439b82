#include "suites/scenarios/range_map.h"

namespace kfdcts::suites {

std::string MapText(const ScenarioBase& test, const Mappings& mappings) {
  std::string text;
  for (const auto& [name, memory] : mappings) text += name + ":\n" + test.MapOf(memory->All());
  return text;
}

}  // namespace kfdcts::suites
