#pragma once

#include <cstdint>
#include <ostream>
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
    kDeliverInterrupt,   ///< One of those that are held, number `count` from 0 on, before the
                         ///< others.
    kHoldFaults,  ///< Retry faults of process `pasid` (0: any) at `first`…`last` are kept back…
    kReleaseFaults,  ///< …and told to the driver, wanted or not by then.
    kHoldCopies,     ///< The driver's SDMA rings stop at their next copy (GART and page-table
                     ///< entries copied by the driver are copies too)…
    kReleaseCopies,  ///< …and go on.
    kReleaseAll,     ///< Every order that is in force ends.
  };

  Verb verb;
  std::string engine = {};     ///< Of kHoldEngine, kReleaseEngine.
  std::uint32_t doorbell = 0;  ///< Byte offset in the doorbell BAR.
  std::uint32_t count = 1;
  std::uint16_t pasid = 0;
  std::uint64_t first = 0, last = UINT64_MAX;
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
  bool copies_held = false;
  bool faults_held = false;
  std::uint16_t faults_pasid = 0;                            ///< Of held ones; 0: any.
  std::uint64_t faults_first = 0, faults_last = UINT64_MAX;  ///< Addresses of held ones.

  bool HoldsFault(std::uint16_t pasid, std::uint64_t address) const {
    return faults_held && (faults_pasid == 0 || faults_pasid == pasid) && address >= faults_first &&
           address <= faults_last;
  }
  bool QueueHung(std::uint32_t doorbell) const { return hung_doorbells.contains(doorbell); }

  /// A line for each order that is in force, as "held: sdma0"; nothing where there is none.
  void Report(std::ostream& out) const;
};

}  // namespace kfdcts::vgpu
