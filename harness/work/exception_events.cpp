#include "harness/work/exception_events.h"

#include <cstring>
#include <utility>

#include "harness/work/thunk_memory.h"

namespace kfdcts::harness {

ExceptionEvents::ExceptionEvents(const ThunkApi& thunk, HSAuint32 node)
    : thunk_(thunk), node_(node) {
  memory_ = Create(HSA_EVENTTYPE_MEMORY);
  try {
    hardware_ = Create(HSA_EVENTTYPE_HW_EXCEPTION);
  } catch (...) {
    thunk_.hsaKmtDestroyEvent(memory_);
    throw;
  }
}

ExceptionEvents::~ExceptionEvents() {
  thunk_.hsaKmtDestroyEvent(hardware_);
  thunk_.hsaKmtDestroyEvent(memory_);
}

HsaEvent* ExceptionEvents::Create(HSA_EVENTTYPE type) {
  HsaEventDescriptor descriptor{};
  descriptor.EventType = type;
  descriptor.NodeId = node_;
  HsaEvent* event = nullptr;
  // Not reset by itself: of an event that is, KFD takes a signal as received by a wait that is
  // about to time out, and it is lost (kfd_events.c: set_event, kfd_wait_on_events).
  RequireSuccess(
      thunk_.hsaKmtCreateEvent(&descriptor, /*ManualReset=*/true, /*IsSignaled=*/false, &event),
      "hsaKmtCreateEvent of an exception event");
  return event;
}

void ExceptionEvents::Renew(HsaEvent*& event, HSA_EVENTTYPE type) {
  HsaEvent* const signalled = std::exchange(event, Create(type));
  RequireSuccess(thunk_.hsaKmtDestroyEvent(signalled), "hsaKmtDestroyEvent");
}

bool ExceptionEvents::IsSignalled(HsaEvent* event) const {
  const HSAKMT_STATUS status =
      thunk_.hsaKmtWaitOnMultipleEvents(&event, 1, true, HSA_EVENTTIMEOUT_IMMEDIATE);
  if (status == HSAKMT_STATUS_WAIT_TIMEOUT) return false;
  RequireSuccess(status, "hsaKmtWaitOnMultipleEvents");
  return true;
}

std::optional<WorkResult> ExceptionEvents::Take() {
  if (IsSignalled(memory_)) {
    HsaMemoryAccessFault fault;  // packed in libraries of some years: by copy
    std::memcpy(&fault, &memory_->EventData.EventData.MemoryAccessFault, sizeof fault);
    MemoryFault result;
    result.node = fault.NodeId;
    result.address = fault.VirtualAddress;
    result.not_present = fault.Failure.NotPresent != 0;
    result.read_only = fault.Failure.ReadOnly != 0;
    result.no_execute = fault.Failure.NoExecute != 0;
    Renew(memory_, HSA_EVENTTYPE_MEMORY);
    return WorkResult{WorkResult::End::kFault, result};
  }
  if (!IsSignalled(hardware_)) return std::nullopt;
  Renew(hardware_, HSA_EVENTTYPE_HW_EXCEPTION);
  return WorkResult{WorkResult::End::kReset, {}};
}

}  // namespace kfdcts::harness
