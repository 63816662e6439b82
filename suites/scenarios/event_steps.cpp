// Steps about system management events.
#include <algorithm>
#include <sstream>

#include "harness/gpu/wait.h"
#include "harness/scenario/words.h"
#include "harness/uapi/kfd_compat.h"
#include "suites/scenarios/attributes.h"
#include "suites/scenarios/player.h"

namespace kfdcts::suites {

namespace scenario = harness::scenario;

namespace {

std::uint32_t TypeOf(scenario::EventKind kind) {
  switch (kind) {
    case scenario::EventKind::kMigrateStart:
      return KFD_SMI_EVENT_MIGRATE_START;
    case scenario::EventKind::kMigrateEnd:
      return KFD_SMI_EVENT_MIGRATE_END;
    case scenario::EventKind::kPageFaultStart:
      return KFD_SMI_EVENT_PAGE_FAULT_START;
    case scenario::EventKind::kPageFaultEnd:
      return KFD_SMI_EVENT_PAGE_FAULT_END;
    case scenario::EventKind::kQueueEviction:
      return KFD_SMI_EVENT_QUEUE_EVICTION;
    case scenario::EventKind::kQueueRestore:
      return KFD_SMI_EVENT_QUEUE_RESTORE;
    case scenario::EventKind::kUnmapFromGpu:
      break;
  }
  return KFD_SMI_EVENT_UNMAP_FROM_GPU;
}

/// Events name GPUs by KFD's ids, system memory by 0.
std::uint32_t IdOf(const ScenarioBase& test, const scenario::Place& place) {
  return place.kind == scenario::Place::Kind::kGpu ? test.gpu(place.gpu).gpu_id : 0;
}

std::string ListText(const std::deque<gpu::SmiEvent>& events) {
  std::string text;
  for (const auto& event : events) text += "\n    " + event.text;
  return text.empty() ? " none" : text;
}

}  // namespace

std::deque<gpu::SmiEvent>& Player::Collect(std::size_t gpu) {
  const auto watch = watches_.find(gpu);
  if (watch == watches_.end()) throw std::runtime_error("no watch-events step for this GPU");
  auto& events = events_[gpu];
  for (auto& event : watch->second->Drain()) events.push_back(std::move(event));
  return events;
}

Complaint Player::Run(const scenario::WatchEvents& step, Engines&) {
  std::uint64_t types = 0;
  for (const auto kind : step.kinds) types |= KFD_SMI_EVENT_MASK_FROM_INDEX(TypeOf(kind));
  events_.erase(step.gpu);
  watches_[step.gpu] = std::make_unique<SmiWatch>(test_.thunk(), test_.gpu(step.gpu), types);
  return std::nullopt;
}

Complaint Player::Run(const scenario::ExpectEvents& step, Engines&) {
  const gpu::Deadline deadline(gpu::kGpuTimeout);
  std::deque<gpu::SmiEvent> others;
  for (std::size_t i = 0; i < step.events.size(); ++i) {
    const scenario::Event& expected = step.events[i];
    const auto is_it = [&](const gpu::SmiEvent& event) {
      if (event.type != TypeOf(expected.kind)) return false;
      if (expected.from && event.from != IdOf(test_, *expected.from)) return false;
      if (expected.to && event.to != IdOf(test_, *expected.to)) return false;
      if (expected.trigger && event.trigger != *expected.trigger) return false;
      if (!expected.at) return true;
      const auto bytes = Bytes(*expected.at);
      return event.address == reinterpret_cast<std::uint64_t>(bytes.data()) &&
             (event.bytes == 0 || event.bytes == bytes.size());
    };
    const auto came = [&] {
      auto& events = Collect(step.gpu);
      const auto found = std::find_if(events.begin(), events.end(), is_it);
      const bool there = found != events.end();
      others.insert(others.end(), events.begin(), found);
      events.erase(events.begin(), there ? found + 1 : found);
      return there;
    };
    if (gpu::WaitUntil(came, deadline)) continue;
    return "event " + std::to_string(i + 1) + ", " +
           scenario::WordOf(scenario::kEvents, expected.kind) +
           ", did not come; other events:" + ListText(others);
  }
  return std::nullopt;
}

Complaint Player::Run(const scenario::ExpectNoEvents& step, Engines&) {
  auto& events = Collect(step.gpu);
  const auto unwanted = std::find_if(events.begin(), events.end(), [&](const auto& event) {
    return std::any_of(step.kinds.begin(), step.kinds.end(),
                       [&](auto kind) { return TypeOf(kind) == event.type; });
  });
  const Complaint complaint = unwanted == events.end()
                                  ? std::nullopt
                                  : Complaint("an event that was not expected: " + unwanted->text);
  events.clear();
  return complaint;
}

}  // namespace kfdcts::suites
