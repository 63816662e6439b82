#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "harness/scenario/scenario.h"

namespace kfdcts::suites {

/// Calls `visit` with each step and each step within it.
template <typename Visit>
void ForEachStep(const std::vector<harness::scenario::Step>& steps, const Visit& visit) {
  namespace scenario = harness::scenario;
  for (const auto& step : steps) {
    visit(step);
    if (const auto* child = std::get_if<scenario::Child>(&step.action)) {
      ForEachStep(child->steps, visit);
    } else if (const auto* start = std::get_if<scenario::Start>(&step.action)) {
      ForEachStep(start->steps, visit);
    } else if (const auto* together = std::get_if<scenario::Together>(&step.action)) {
      for (const auto& thread : together->threads) ForEachStep(thread, visit);
    }
  }
}

template <typename Kind>
bool Contains(const std::vector<harness::scenario::Step>& steps) {
  bool found = false;
  ForEachStep(steps, [&](const harness::scenario::Step& step) {
    found = found || std::holds_alternative<Kind>(step.action);
  });
  return found;
}

/// The GPU and the engine that a step needs for itself.
inline std::optional<std::pair<std::size_t, harness::scenario::EngineKind>> EngineOf(
    const harness::scenario::Step& step) {
  using Need = std::optional<std::pair<std::size_t, harness::scenario::EngineKind>>;
  return std::visit(
      [](const auto& action) -> Need {
        if constexpr (requires { action.engine; }) return std::pair(action.gpu, action.engine);
        return std::nullopt;
      },
      step.action);
}

}  // namespace kfdcts::suites
