#include "thunk/src/events/event_wait.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace kfdcts::thunk {
namespace {

using Clock = std::chrono::steady_clock;

/// The age is the first member of the union in kfd_event_data (KFD 1.14).
std::uint64_t AgeOf(const kfd_event_data& data) {
  kfdcts_signal_event_data signal;
  std::memcpy(&signal, &data, sizeof(signal));
  return signal.last_event_age;
}

void SetAge(kfd_event_data& data, std::uint64_t age) {
  const kfdcts_signal_event_data signal{.last_event_age = age};
  std::memcpy(&data, &signal, sizeof(signal));
}

/// What is left of a wait, rounded up so that it never ends early.
std::uint32_t MillisecondsUntil(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<std::uint32_t>(std::max<std::int64_t>(left, 0));
}

HsaMemoryAccessFault MemoryFault(const kfd_hsa_memory_exception_data& data, HSAuint32 node) {
  HsaMemoryAccessFault fault{};
  fault.NodeId = node;
  fault.VirtualAddress = data.va;
  fault.Failure.NotPresent = data.failure.NotPresent & 1U;
  fault.Failure.ReadOnly = data.failure.ReadOnly & 1U;
  fault.Failure.NoExecute = data.failure.NoExecute & 1U;
  fault.Failure.Imprecise = data.failure.imprecise & 1U;
  fault.Failure.ErrorType = data.ErrorType & 7U;
  fault.Failure.ECC =
      data.ErrorType == KFD_MEM_ERR_SRAM_ECC || data.ErrorType == KFD_MEM_ERR_POISON_CONSUMED;
  fault.Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS;
  return fault;
}

HsaHwException HardwareException(const kfd_hsa_hw_exception_data& data, HSAuint32 node) {
  HsaHwException exception{};
  exception.NodeId = node;
  exception.ResetType = data.reset_type;
  exception.MemoryLost = data.memory_lost;
  exception.ResetCause = static_cast<HSA_EVENTID_HW_EXCEPTION_CAUSE>(data.reset_cause);
  return exception;
}

}  // namespace

HSAKMT_STATUS EventWait::Wait(std::span<HsaEvent* const> events, bool all,
                              std::uint32_t milliseconds, std::uint64_t* ages) const {
  if (!has_event_age_) ages = nullptr;
  std::vector<kfd_event_data> data(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    data[i].event_id = events[i]->EventId;
    if (ages != nullptr && events[i]->EventData.EventType == HSA_EVENTTYPE_SIGNAL) {
      SetAge(data[i], ages[i]);
    }
  }
  const HSAKMT_STATUS status = WaitInKernel(data, all, milliseconds);
  if (status != HSAKMT_STATUS_SUCCESS) return status;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i]->EventData.EventType != HSA_EVENTTYPE_SIGNAL) {
      TakeException(data[i], *events[i]);
    } else if (ages != nullptr) {
      ages[i] = AgeOf(data[i]);
    }
  }
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS EventWait::WaitInKernel(std::span<kfd_event_data> data, bool all,
                                      std::uint32_t milliseconds) const {
  const bool for_ever = milliseconds == HSA_EVENTTIMEOUT_INFINITE;
  const auto deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  std::uint32_t left = milliseconds;
  std::uint32_t result = KFD_IOC_WAIT_RESULT_FAIL;
  int error;
  while ((error = kfd_.WaitEvents(data, all, left, result)) == -EINTR) {
    if (!for_ever) left = MillisecondsUntil(deadline);
  }
  if (error < 0 || result == KFD_IOC_WAIT_RESULT_FAIL) return HSAKMT_STATUS_ERROR;
  return result == KFD_IOC_WAIT_RESULT_TIMEOUT ? HSAKMT_STATUS_WAIT_TIMEOUT : HSAKMT_STATUS_SUCCESS;
}

void EventWait::TakeException(const kfd_event_data& data, HsaEvent& event) const {
  // The kernel leaves the GPU's id at 0 where the event has nothing to tell.
  if (event.EventData.EventType == HSA_EVENTTYPE_MEMORY) {
    const auto& memory = data.memory_exception_data;
    if (const auto node = topology_->NodeOf(memory.gpu_id)) {
      event.EventData.EventData.MemoryAccessFault = MemoryFault(memory, *node);
    }
  } else if (event.EventData.EventType == HSA_EVENTTYPE_HW_EXCEPTION) {
    const auto& exception = data.hw_exception_data;
    if (const auto node = topology_->NodeOf(exception.gpu_id)) {
      event.EventData.EventData.HwException = HardwareException(exception, *node);
    }
  }
}

}  // namespace kfdcts::thunk
