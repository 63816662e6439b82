#include "suites/scenarios/scenario_test.h"

#include <cstdlib>

#include "harness/scenario/falsify.h"
#include "suites/scenarios/player.h"

namespace kfdcts::suites {

namespace scenario = harness::scenario;

void ScenarioTest::Body() {
  if (std::getenv("KFDCTS_SCENARIO_FALSIFY") != nullptr) return PlayFalsified();
  Player player(*this, scenario_.steps);
  for (const auto& step : scenario_.steps) {
    const std::string before = player.Map();
    const Complaint complaint = player.Do(step);
    if (!complaint) continue;
    const std::string after = player.Map();
    ADD_FAILURE_AT(scenario_.file.c_str(), step.line) << *complaint << "\nBefore the step:\n"
                                                      << before << "After it:\n"
                                                      << after;
    return;
  }
}

void ScenarioTest::PlayFalsified() {
  const auto wrong = scenario::Falsify(scenario_);
  ASSERT_TRUE(wrong) << "it checks nothing";
  Player player(*this, wrong->steps);
  for (const auto& step : wrong->steps) {
    const Complaint complaint = player.Do(step);
    if (!complaint) continue;
    std::printf("line %d: %s\n", step.line, complaint->c_str());
    return;
  }
  ADD_FAILURE_AT(scenario_.file.c_str(), wrong->steps.back().line)
      << "a wrong expectation was not noticed";
}

}  // namespace kfdcts::suites
