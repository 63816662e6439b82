#include "harness/vgpu/engines/interrupt_gate.h"

namespace kfdcts::vgpu {

namespace {
// A stalled queue repeats its fault; the ring itself would have overflowed long before.
constexpr std::size_t kMaxHeld = 4096;
}  // namespace

void InterruptGate::Pass(const Held& interrupt) {
  if (controls_.interrupts_to_drop) {
    --controls_.interrupts_to_drop;
    ++counters_.interrupts_dropped;
  } else if (!controls_.interrupts_held) {
    Deliver(interrupt);
  } else if (held_.size() < kMaxHeld) {
    held_.push_back(interrupt);
  } else {
    ++counters_.interrupts_dropped;
  }
}

void InterruptGate::Deliver(const Held& interrupt) {
  ++counters_.interrupts;
  if (const auto* entry = std::get_if<InterruptEntry>(&interrupt)) {
    ring_.Push(*entry);
  } else {
    ring_.PushFault(std::get<Fault>(interrupt));
  }
}

void InterruptGate::Flush() {
  for (const Held& interrupt : held_) Deliver(interrupt);
  held_.clear();
}

}  // namespace kfdcts::vgpu
