#include "harness/run/plan.h"

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kfdcts::harness {

using nlohmann::json;

std::string ToLine(const Plan& plan) {
  const json object = {{"tests", plan.tests},
                       {"gpu_count", plan.gpu_count},
                       {"thunk", plan.thunk},
                       {"seed", plan.seed},
                       {"time_limit_s", plan.time_limit.count()},
                       {"silence_s", plan.silence.count()},
                       {"environment", plan.environment},
                       {"isolate", plan.isolate},
                       {"kernel_log", plan.kernel_log}};
  return object.dump() + "\n";
}

Plan PlanFromLine(std::string_view line) {
  try {
    const json object = json::parse(line);
    Plan plan;
    object.at("tests").get_to(plan.tests);
    object.at("gpu_count").get_to(plan.gpu_count);
    object.at("thunk").get_to(plan.thunk);
    object.at("seed").get_to(plan.seed);
    plan.time_limit = std::chrono::seconds(object.at("time_limit_s").get<std::int64_t>());
    plan.silence = std::chrono::seconds(object.at("silence_s").get<std::int64_t>());
    object.at("environment").get_to(plan.environment);
    object.at("isolate").get_to(plan.isolate);
    object.at("kernel_log").get_to(plan.kernel_log);
    return plan;
  } catch (const json::exception& error) {
    throw std::runtime_error(std::string("no plan: ") + error.what());
  }
}

std::vector<TestInstance> FindTests(const Plan& plan, const TestRegistry& registry) {
  std::map<std::string, TestInstance> known;
  for (auto& test : registry.Instantiate(plan.gpu_count)) {
    std::string name = test.FullName();
    known.emplace(std::move(name), std::move(test));
  }
  std::vector<TestInstance> tests;
  for (const auto& name : plan.tests) {
    const auto found = known.find(name);
    if (found == known.end()) throw std::runtime_error("the plan names an unknown test: " + name);
    tests.push_back(found->second);
  }
  return tests;
}

std::chrono::seconds TimeLimit(const Plan& plan, const TestInstance& test) {
  return plan.time_limit.count() > 0 ? plan.time_limit : test.definition->spec.time_limit;
}

}  // namespace kfdcts::harness
