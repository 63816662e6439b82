#include "suites/scenarios/player.h"

#include <exception>

#include "suites/scenarios/step_walk.h"

namespace kfdcts::suites {

namespace scenario = harness::scenario;

Player::Player(ScenarioBase& test, const std::vector<scenario::Step>& steps) : test_(test) {
  if (Contains<scenario::Peek>(steps)) ptrace_ = std::make_unique<PtraceReader>();
  if (Contains<scenario::ExpectRanges>(steps)) ranges_before_ = test_.RangeCount();
  // A queue cannot be made while the device holds back what makes it.
  if (Contains<scenario::Hold>(steps)) PrepareEngines(steps, engines_);
}

Player::~Player() {
  virtual_gpus_.ReleaseAll();
  for (auto& [name, one] : background_) one.thread.join();
  children_.clear();
  thread_engines_.clear();
  test_.EndWork();
  UnmapWhatCameAgain();
  mappings_.clear();
  if (xnack_before_ >= 0) test_.thunk().hsaKmtSetXNACKMode(xnack_before_);
}

Complaint Player::Do(const scenario::Step& step) { return DoIn(step, engines_); }

std::string Player::Map() const {
  if (!background_.empty()) return "  (steps of another thread are at work)\n";
  return MapText(test_, mappings_);
}

Complaint Player::DoIn(const scenario::Step& step, Engines& engines) {
  try {
    return std::visit([&](const auto& action) { return Run(action, engines); }, step.action);
  } catch (const harness::CapabilityMissing&) {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  }
}

Complaint Player::DoAll(const std::vector<scenario::Step>& steps, Engines& engines) {
  for (const auto& step : steps) {
    if (auto complaint = DoIn(step, engines)) {
      return "line " + std::to_string(step.line) + ", in a thread: " + *complaint;
    }
  }
  return std::nullopt;
}

void Player::PrepareEngines(const std::vector<scenario::Step>& steps, Engines& engines) {
  for (const auto& step : steps) {
    if (const auto need = EngineOf(step)) Work(engines, need->first, need->second);
    if (const auto* start = std::get_if<scenario::Start>(&step.action)) {
      PrepareEngines(start->steps, thread_engines_[{start->name, 0}]);
    }
  }
}

GpuWork& Player::Work(Engines& engines, std::size_t gpu, scenario::EngineKind kind) {
  const Engine engine = kind == scenario::EngineKind::kSdma ? Engine::kSdma : Engine::kPm4;
  if (&engines == &engines_) return test_.Work(gpu, engine);
  auto& work = engines[{gpu, engine}];
  if (!work) work = std::make_unique<GpuWork>(test_.thunk(), test_.gpu(gpu), engine);
  return *work;
}

std::span<std::byte> Player::Bytes(const scenario::Pages& pages) const {
  return Memory(pages.mapping).Pages(pages.first, pages.count);
}

}  // namespace kfdcts::suites
