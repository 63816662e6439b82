#pragma once

#include <string>
#include <vector>

#include "harness/scenario/scenario.h"

namespace kfdcts::harness::scenario {

/// A scenario as a file that LoadScenario() reads. Steps of the kinds that random sequences make;
/// throws std::logic_error for another.
std::string WriteScenario(const Scenario& scenario);

/// One step as a line, without dash and indentation: "set: {at: a 4-7, attributes: [access gpu0]}".
std::string WriteStep(const Step& step);

}  // namespace kfdcts::harness::scenario
