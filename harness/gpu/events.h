#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/gpu/buffer.h"
#include "harness/gpu/wait.h"

namespace kfdcts::gpu {

/// The signal slots of a process: one GTT buffer that KFD gets with the first event and never gives
/// back. One a process.
class EventPage {
 public:
  static constexpr std::uint64_t kBytes = 4096 * 8;  // KFD_SIGNAL_EVENT_LIMIT slots

  /// Throws GpuError.
  explicit EventPage(Gpu& gpu);
  ~EventPage();

  Kfd& kfd() const { return kfd_; }

  std::uint64_t handle() const { return buffer_.handle(); }

  /// To be given with the first CREATE_EVENT, and 0 from then on.
  std::uint64_t TakeHandle();

  /// A slot's address for CPU and GPU.
  std::uint64_t* Slot(std::uint32_t index) const { return buffer_.as<std::uint64_t>() + index; }

  /// Maps the slots to one more GPU: 0 or the errno.
  int Map(Gpu& gpu) { return buffer_.Map(gpu); }

 private:
  Kfd& kfd_;
  Buffer buffer_;
  bool handed_over_ = false;
};

/// How a wait ended.
struct EventWait {
  int error = 0;                     ///< errno of WAIT_EVENTS.
  std::uint32_t result = 0;          ///< KFD_IOC_WAIT_RESULT_*.
  std::vector<kfd_event_data> data;  ///< One an event.

  bool complete() const { return error == 0 && result == KFD_IOC_WAIT_RESULT_COMPLETE; }
};

/// A KFD event. Destroyed at the end. Refers to its page.
class Event {
 public:
  enum class Reset { kManual, kAuto };

  /// `type` is KFD_IOC_EVENT_*. Throws GpuError.
  Event(EventPage& page, std::uint32_t type, Reset reset = Reset::kAuto);
  Event(Event&& other) noexcept;
  Event& operator=(Event&&) = delete;
  ~Event();

  std::uint32_t id() const { return id_; }
  /// What an interrupt of a GPU has to carry.
  std::uint32_t trigger() const { return trigger_; }
  /// GPU address of the slot of a signal event; a GPU writes the id there before the interrupt.
  std::uint64_t slot_address() const { return reinterpret_cast<std::uint64_t>(page_->Slot(slot_)); }
  std::uint64_t slot_value() const { return LoadAcquire(page_->Slot(slot_)); }

  EventWait Wait(const Deadline& deadline = Deadline(kGpuTimeout)) const;

  /// 0 or the errno.
  int Set() const;
  int ResetNow() const;
  int Destroy();

 private:
  EventPage* page_;
  std::uint32_t id_ = 0, trigger_ = 0, slot_ = 0;
};

/// Waits for all or any of some events.
EventWait WaitForEvents(const Kfd& kfd, std::span<const std::uint32_t> ids, bool all,
                        std::uint32_t timeout_ms);

}  // namespace kfdcts::gpu
