#pragma once

#include <string>
#include <vector>

#include "harness/scenario/scenario.h"
#include "suites/scenarios/scenario_test.h"

namespace kfdcts::suites {

HSAuint32 NodeOf(const ScenarioBase& test, const harness::scenario::Place& place);
HSA_SVM_ATTRIBUTE ToThunk(const ScenarioBase& test, const harness::scenario::Attribute& attribute);
std::vector<HSA_SVM_ATTRIBUTE> ToThunk(const ScenarioBase& test,
                                       const std::vector<harness::scenario::Attribute>& list);
HSAKMT_STATUS ToThunk(harness::scenario::Status status);

/// The state that an `expect` step describes.
SvmState ExpectedState(const ScenarioBase& test, const harness::scenario::Expect& expect);

/// "PREFETCH_LOC 1, NO_ACCESS 2"
std::string Text(const std::vector<HSA_SVM_ATTRIBUTE>& attributes);
std::string Text(const SvmState& state);

}  // namespace kfdcts::suites
