#include "harness/gpu/session.h"

#include <sstream>

namespace kfdcts::gpu {

std::string WorkResult::Text() const {
  std::ostringstream text;
  text << std::hex << std::showbase;
  switch (end) {
    case End::kDone:
      text << "done";
      break;
    case End::kFault:
      text << "memory fault at " << fault.va << " of GPU " << fault.gpu_id << " ("
           << (fault.failure.NotPresent != 0 ? "not present" : "present")
           << (fault.failure.ReadOnly != 0 ? ", write" : "") << ")";
      break;
    case End::kReset:
      text << "reset of GPU " << reset.gpu_id << ", cause " << reset.reset_cause;
      break;
    case End::kTimeout:
      text << "time-out";
      break;
  }
  return text.str();
}

Session::Session() : topology_(ReadTopology()) {
  for (const GpuNode& node : topology_.gpus) gpus_.push_back(std::make_unique<Gpu>(kfd_, node));
}

EventPage& Session::events() {
  if (!page_) {
    page_.emplace(gpu(0));
    for (std::size_t i = 1; i < gpus_.size(); ++i)
      Require(page_->Map(gpu(i)), "MAP_MEMORY_TO_GPU of the event page");
  }
  return *page_;
}

void Session::WatchExceptions() {
  if (fault_) return;
  // Replaced when signalled: of an event that resets itself, KFD takes a signal as received by a
  // wait that is about to time out, and it is lost (kfd_events.c: set_event, kfd_wait_on_events).
  fault_.emplace(events(), KFD_IOC_EVENT_MEMORY, Event::Reset::kManual);
  reset_.emplace(events(), KFD_IOC_EVENT_HW_EXCEPTION, Event::Reset::kManual);
}

WorkResult Session::PollExceptions() {
  const Deadline now(std::chrono::milliseconds(0));
  WorkResult result;
  if (const EventWait wait = fault_->Wait(now); wait.complete()) {
    result.end = WorkResult::End::kFault;
    result.fault = wait.data[0].memory_exception_data;
    fault_.emplace(events(), KFD_IOC_EVENT_MEMORY, Event::Reset::kManual);
  } else if (const EventWait reset = reset_->Wait(now); reset.complete()) {
    result.end = WorkResult::End::kReset;
    result.reset = reset.data[0].hw_exception_data;
    reset_.emplace(events(), KFD_IOC_EVENT_HW_EXCEPTION, Event::Reset::kManual);
  }
  return result;
}

}  // namespace kfdcts::gpu
