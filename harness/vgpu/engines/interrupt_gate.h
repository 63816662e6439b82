#pragma once

#include <variant>
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

  void Push(const InterruptEntry& entry) { Pass(entry); }
  void PushFault(const Fault& fault) { Pass(fault); }
  /// Delivers what was kept back.
  void Flush();
  void Reset() { held_.clear(); }

 private:
  using Held = std::variant<InterruptEntry, Fault>;
  void Pass(const Held& interrupt);
  void Deliver(const Held& interrupt);

  InterruptRing& ring_;
  Controls& controls_;
  Counters& counters_;
  std::vector<Held> held_;
};

}  // namespace kfdcts::vgpu
