// Steps about processes, threads, the XNACK mode and the director.
#include <barrier>

#include "suites/scenarios/attributes.h"
#include "suites/scenarios/player.h"

namespace kfdcts::suites {

namespace scenario = harness::scenario;

Complaint Player::DoCpuStep(const scenario::Step& step) {
  Engines none;
  return DoIn(step, none);
}

Complaint Player::Run(const scenario::Fork& step, Engines&) {
  children_[step.name] =
      std::make_unique<ForkedChild>([this](const scenario::Step& one) { return DoCpuStep(one); });
  return std::nullopt;
}

Complaint Player::Run(const scenario::Child& step, Engines&) {
  return children_.at(step.name)->Run(step.steps);
}

Complaint Player::Run(const scenario::EndChild& step, Engines&) {
  children_.erase(step.name);
  return std::nullopt;
}

Complaint Player::Run(const scenario::SetXnack& step, Engines&) {
  const bool before = test_.XnackIsOn();
  const HSAKMT_STATUS status = test_.thunk().hsaKmtSetXNACKMode(step.enabled ? 1 : 0);
  if (status == HSAKMT_STATUS_SUCCESS && xnack_before_ < 0) xnack_before_ = before ? 1 : 0;
  if (status == ToThunk(step.status)) return std::nullopt;
  return "hsaKmtSetXNACKMode: expected " + NameOf(ToThunk(step.status)) + ", is " + NameOf(status);
}

Complaint Player::Run(const scenario::EndWork&, Engines&) {
  thread_engines_.clear();
  test_.EndWork();
  return std::nullopt;
}

Complaint Player::Run(const scenario::Together& step, Engines&) {
  std::vector<Complaint> complaints(step.threads.size());
  std::barrier start(static_cast<std::ptrdiff_t>(step.threads.size()));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < step.threads.size(); ++i) {
    Engines& engines = thread_engines_[{"", i}];
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      for (std::size_t round = 0; round < step.rounds && !complaints[i]; ++round) {
        complaints[i] = DoAll(step.threads[i], engines);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (auto& complaint : complaints) {
    if (complaint) return complaint;
  }
  return std::nullopt;
}

Complaint Player::Run(const scenario::Start& step, Engines&) {
  Engines& engines = thread_engines_[{step.name, 0}];
  Background& background = background_[step.name];
  background.thread = std::thread(
      [this, &step, &engines, &background] { background.complaint = DoAll(step.steps, engines); });
  return std::nullopt;
}

Complaint Player::Run(const scenario::Finish& step, Engines&) {
  Background& background = background_.at(step.name);
  background.thread.join();
  Complaint complaint = background.complaint;
  background_.erase(step.name);
  return complaint;
}

Complaint Player::Run(const scenario::Hold& step, Engines&) {
  virtual_gpus_.Hold(test_.gpu(step.gpu), step.what);
  return std::nullopt;
}

Complaint Player::Run(const scenario::Release& step, Engines&) {
  virtual_gpus_.Release(test_.gpu(step.gpu), step.what);
  return std::nullopt;
}

}  // namespace kfdcts::suites
