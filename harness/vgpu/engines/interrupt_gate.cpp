#include "harness/vgpu/engines/interrupt_gate.h"

namespace kfdcts::vgpu {

namespace {
// A stalled queue repeats its fault; the ring itself would have overflowed long before.
constexpr std::size_t kMaxHeld = 4096;
}  // namespace

void InterruptGate::Push(const InterruptEntry& entry) {
  if (controls_.interrupts_to_drop) {
    --controls_.interrupts_to_drop;
    ++counters_.interrupts_dropped;
  } else if (!controls_.interrupts_held) {
    Deliver(entry);
  } else if (held_.size() < kMaxHeld) {
    held_.push_back(entry);
  } else {
    ++counters_.interrupts_dropped;
  }
}

void InterruptGate::PushFault(const Fault& fault) {
  if (const auto entry = ring_.LatchFaultEntry(fault)) Push(*entry);
}

void InterruptGate::Deliver(const InterruptEntry& entry) {
  ++counters_.interrupts;
  ring_.Push(entry);
}

void InterruptGate::Flush() {
  for (const InterruptEntry& entry : held_) Deliver(entry);
  held_.clear();
}

}  // namespace kfdcts::vgpu
