#include "suites/support/event_log.h"

#include <algorithm>
#include <utility>

namespace kfdcts::suites {

EventLog::EventLog(const harness::ThunkApi& thunk, const harness::GpuNode& gpu, std::uint64_t types)
    : watch_(thunk, gpu, types) {}

const std::vector<gpu::SmiEvent>& EventLog::All() {
  for (gpu::SmiEvent& event : watch_.Drain()) events_.push_back(std::move(event));
  return events_;
}

std::size_t EventLog::Count(std::uint32_t type) {
  return Count(type, [](const gpu::SmiEvent&) { return true; });
}

std::size_t EventLog::Count(std::uint32_t type, const Predicate& predicate) {
  const auto& events = All();
  return static_cast<std::size_t>(std::count_if(
      events.begin(), events.end(),
      [&](const gpu::SmiEvent& event) { return event.type == type && predicate(event); }));
}

bool EventLog::WaitFor(std::uint32_t type, std::size_t count) {
  return gpu::WaitUntil([&] { return Count(type) >= count; });
}

bool EventLog::WaitForQueuesBack(std::size_t count) {
  return gpu::WaitUntil([&] {
    // In this order: an eviction that comes between the two is waited for.
    const std::size_t back = Count(KFD_SMI_EVENT_QUEUE_RESTORE, IsBack);
    return back >= count && back >= Count(KFD_SMI_EVENT_QUEUE_EVICTION);
  });
}

std::string EventLog::Text() {
  std::string text = "events:";
  for (const gpu::SmiEvent& event : All()) text += "\n  " + event.text;
  return text;
}

}  // namespace kfdcts::suites
