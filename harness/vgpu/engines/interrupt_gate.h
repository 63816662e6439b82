#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/vgpu/core/interrupt_ring.h"
#include "harness/vgpu/engines/controls.h"
#include "harness/vgpu/engines/counters.h"

namespace kfdcts::vgpu {

/// The engines' way to the interrupt ring, where commands drop or keep back what comes.
class InterruptGate {
 public:
  /// An entry that was kept back. Its time stamp is that of its coming: the driver drops faults
  /// that are older than the range they are about.
  struct Held {
    InterruptEntry entry;
    bool is_fault = false;
    bool is_retry = false;
    std::uint64_t address = 0;  ///< Of a fault: its page's.
  };

  InterruptGate(InterruptRing& ring, Controls& controls, Counters& counters, const Host& host)
      : ring_(ring), controls_(controls), counters_(counters), host_(host) {}

  void Push(const InterruptEntry& entry);
  /// The fault's registers and its entry's PASID are of now, whenever the entry is delivered. Of
  /// retry faults only the first of a page, process and access is kept back: the queue repeats it.
  void PushFault(const Fault& fault);

  /// Held interrupts, in the order that they came in.
  const std::vector<Held>& held() const { return held_; }
  /// Held retry faults.
  const std::vector<Held>& held_faults() const { return held_faults_; }

  /// Delivers one held interrupt. False where there are no more than `index`.
  bool Deliver(std::size_t index);
  /// Delivers what was kept back.
  void Flush();
  void FlushFaults();
  void Reset();

 private:
  void Pass(Held held);
  void Keep(std::vector<Held>& list, Held held);
  void Deliver(const InterruptEntry& entry);

  InterruptRing& ring_;
  Controls& controls_;
  Counters& counters_;
  const Host& host_;
  std::vector<Held> held_, held_faults_;
};

}  // namespace kfdcts::vgpu
