#pragma once

#include <map>
#include <memory>
#include <string>

#include "suites/scenarios/scenario_test.h"
#include "suites/support/svm_memory.h"

namespace kfdcts::suites {

using Mappings = std::map<std::string, std::unique_ptr<SvmMemory>>;

/// The map of each mapping under its name (harness::SvmMap). For messages: it never fails.
std::string MapText(const ScenarioBase& test, const Mappings& mappings);

}  // namespace kfdcts::suites
