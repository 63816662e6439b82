#pragma once

#include <optional>

#include "harness/scenario/scenario.h"

namespace kfdcts::harness::scenario {

/// The same scenario with what its last check expects made wrong, so that playing it must fail at
/// that step; steps behind it are left out. Nothing where it checks nothing but that calls succeed.
std::optional<Scenario> Falsify(const Scenario& scenario);

}  // namespace kfdcts::harness::scenario
