#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/test_support/registry.h"

namespace kfdcts::harness {

/// What the runner asks to be run, one line of JSON on the executor's standard input.
struct Plan {
  std::vector<std::string> tests;  ///< Full names, in the order to run them.
  int gpu_count = 0;               ///< Of the machine; decides which tests there are.
  std::string thunk;               ///< Path of the library under test.
  std::uint32_t seed = 0;
  std::chrono::seconds time_limit{0};  ///< For each test; 0: the one it declares.
  std::chrono::seconds silence{0};     ///< A test that prints and reports nothing so long; 0: none.
  std::map<std::string, std::string> environment{};  ///< Of the workers, before a test's own.
  bool isolate = false;                              ///< Each test in a process of its own.
  std::string kernel_log{};  ///< Where each test's begin and end are marked; empty: nowhere.

  bool operator==(const Plan&) const = default;
};

/// One line, newline included.
std::string ToLine(const Plan& plan);

/// Throws std::runtime_error for what is no plan.
Plan PlanFromLine(std::string_view line);

/// The plan's tests as `registry` knows them, in the plan's order. Throws std::runtime_error for a
/// name that it does not know.
std::vector<TestInstance> FindTests(const Plan& plan, const TestRegistry& registry);

/// Time for one test of the plan.
std::chrono::seconds TimeLimit(const Plan& plan, const TestInstance& test);

}  // namespace kfdcts::harness
