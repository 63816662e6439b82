#pragma once

#include <map>
#include <memory>
#include <string>

#include "suites/scenarios/scenario_test.h"
#include "suites/support/svm_memory.h"

namespace kfdcts::suites {

using Mappings = std::map<std::string, std::unique_ptr<SvmMemory>>;

/// What the pages of every mapping say and where they are, a line for pages that say the same:
/// "a 4-7  0x7f…  16 KiB  {preferred undefined, …}  mmvv". For messages: it never fails.
std::string MapText(const ScenarioBase& test, const Mappings& mappings);

}  // namespace kfdcts::suites
