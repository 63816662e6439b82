#include "harness/vgpu/engines/interrupt_gate.h"

#include <algorithm>
#include <utility>

namespace kfdcts::vgpu {

namespace {
// A stalled queue repeats its fault; the ring itself would have overflowed long before.
constexpr std::size_t kMaxHeld = 4096;
constexpr std::uint64_t kPageMask = ~std::uint64_t{4095};

/// A fault that a queue repeats, as it waits for its page.
bool Repeats(const InterruptGate::Held& a, const InterruptGate::Held& b) {
  return a.is_retry && b.is_retry && a.address == b.address && a.entry.vmid == b.entry.vmid &&
         a.entry.pasid == b.entry.pasid && a.entry.client == b.entry.client &&
         a.entry.data[1] == b.entry.data[1];
}
}  // namespace

void InterruptGate::Push(const InterruptEntry& entry) { Pass({.entry = entry}); }

void InterruptGate::Keep(std::vector<Held>& list, Held held) {
  const bool repeated = std::any_of(list.begin(), list.end(),
                                    [&](const Held& other) { return Repeats(held, other); });
  if (repeated) return;
  if (list.size() == kMaxHeld) {
    ++counters_.interrupts_dropped;
    return;
  }
  if (held.entry.raised_ns == 0) held.entry.raised_ns = host_.NowNs();
  list.push_back(held);
}

void InterruptGate::Pass(Held held) {
  if (controls_.interrupts_to_drop) {
    --controls_.interrupts_to_drop;
    ++counters_.interrupts_dropped;
  } else if (controls_.interrupts_held) {
    Keep(held_, held);
  } else {
    Deliver(held.entry);
  }
}

void InterruptGate::PushFault(const Fault& fault) {
  const auto entry = ring_.LatchFaultEntry(fault);
  if (!entry) return;
  const Held held{*entry, true, fault.retry, fault.address & kPageMask};
  if (fault.retry && controls_.HoldsFault(entry->pasid, held.address)) {
    Keep(held_faults_, held);
  } else {
    Pass(held);
  }
}

void InterruptGate::Deliver(const InterruptEntry& entry) {
  ++counters_.interrupts;
  ring_.Push(entry);
}

bool InterruptGate::Deliver(std::size_t index) {
  if (index >= held_.size()) return false;
  const InterruptEntry entry = held_[index].entry;
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(index));
  Deliver(entry);
  return true;
}

void InterruptGate::Flush() {
  for (const Held& held : std::exchange(held_, {})) Deliver(held.entry);
}

void InterruptGate::FlushFaults() {
  for (const Held& held : std::exchange(held_faults_, {})) Pass(held);
}

void InterruptGate::Reset() {
  held_.clear();
  held_faults_.clear();
}

}  // namespace kfdcts::vgpu
