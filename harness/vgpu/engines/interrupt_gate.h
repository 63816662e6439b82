#pragma once

#include <vector>

#include "harness/vgpu/core/interrupt_ring.h"
#include "harness/vgpu/engines/controls.h"
#include "harness/vgpu/engines/counters.h"

namespace kfdcts::vgpu {

/// The engines' way to the interrupt ring, where commands drop or keep back what comes.
class InterruptGate {
 public:
  InterruptGate(InterruptRing& ring, Controls& controls, Counters& counters)
      : ring_(ring), controls_(controls), counters_(counters) {}

  void Push(const InterruptEntry& entry);
  /// The fault's registers and its entry's PASID are of now, whenever the entry is delivered.
  void PushFault(const Fault& fault);
  /// Delivers what was kept back.
  void Flush();
  void Reset() { held_.clear(); }

 private:
  void Deliver(const InterruptEntry& entry);

  InterruptRing& ring_;
  Controls& controls_;
  Counters& counters_;
  std::vector<InterruptEntry> held_;
};

}  // namespace kfdcts::vgpu
