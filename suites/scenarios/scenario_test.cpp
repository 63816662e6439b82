#include "suites/scenarios/scenario_test.h"

#include "suites/scenarios/player.h"

namespace kfdcts::suites {

void ScenarioTest::Body() {
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

}  // namespace kfdcts::suites
