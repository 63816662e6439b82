#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace kfdcts::vgpu {

/// What a test makes the device do that no guest can ask for. Given to Device::Control.
struct ControlCommand {
  enum class Verb : std::uint8_t {
    kHangScheduler,    ///< UNMAP_QUEUES, QUERY_STATUS and RUN_LIST do not finish.
    kUnhangScheduler,  ///< They do again. A reset of the device or of the MEC does the same.
    kHangQueue,  ///< The queue with doorbell `doorbell` executes nothing and cannot be preempted.
    kUnhangQueue,
    kHoldEngine,  ///< No queue of `engine` ("cp" or "sdma0", "sdma1"…) executes anything.
    kReleaseEngine,
    kFailCopies,         ///< The next `count` SDMA copies transfer nothing, yet end as if they had.
    kCorruptCopies,      ///< The next `count` SDMA copies change the first byte they write.
    kDropInterrupts,     ///< The next `count` interrupts are lost.
    kHoldInterrupts,     ///< Interrupts, faults among them, are kept back…
    kReleaseInterrupts,  ///< …and delivered in their order.
  };

  Verb verb;
  std::string engine = {};     ///< Of kHoldEngine, kReleaseEngine.
  std::uint32_t doorbell = 0;  ///< Byte offset in the doorbell BAR.
  std::uint32_t count = 1;
};

/// The state that commands leave behind; the engines ask it. Under the device's lock.
struct Controls {
  bool scheduler_hung = false;
  std::set<std::uint32_t> hung_doorbells;
  bool cp_held = false;
  std::uint32_t sdma_held = 0;  ///< A bit an engine.
  std::uint32_t copies_to_fail = 0, copies_to_corrupt = 0;
  std::uint32_t interrupts_to_drop = 0;
  bool interrupts_held = false;

  bool QueueHung(std::uint32_t doorbell) const { return hung_doorbells.contains(doorbell); }
};

}  // namespace kfdcts::vgpu
