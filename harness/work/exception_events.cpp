#include "harness/work/exception_events.h"

#include <cstring>

#include "harness/work/thunk_memory.h"

namespace kfdcts::harness {

ExceptionEvents::ExceptionEvents(const ThunkApi& thunk, HSAuint32 node) : thunk_(thunk) {
  memory_ = Create(HSA_EVENTTYPE_MEMORY, node);
  try {
    hardware_ = Create(HSA_EVENTTYPE_HW_EXCEPTION, node);
  } catch (...) {
    thunk_.hsaKmtDestroyEvent(memory_);
    throw;
  }
}

ExceptionEvents::~ExceptionEvents() {
  thunk_.hsaKmtDestroyEvent(hardware_);
  thunk_.hsaKmtDestroyEvent(memory_);
}

HsaEvent* ExceptionEvents::Create(HSA_EVENTTYPE type, HSAuint32 node) {
  HsaEventDescriptor descriptor{};
  descriptor.EventType = type;
  descriptor.NodeId = node;
  HsaEvent* event = nullptr;
  RequireSuccess(
      thunk_.hsaKmtCreateEvent(&descriptor, /*ManualReset=*/false, /*IsSignaled=*/false, &event),
      "hsaKmtCreateEvent of an exception event");
  return event;
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
    return WorkResult{WorkResult::End::kFault, result};
  }
  if (IsSignalled(hardware_)) return WorkResult{WorkResult::End::kReset, {}};
  return std::nullopt;
}

}  // namespace kfdcts::harness
