#pragma once

#include <cstdint>
#include <string>

namespace kfdcts::vgpu {

/// One queue that is loaded now, for a test that looks for its own: a process knows its ring's
/// address but not where in the BAR its doorbell is.
struct QueueInfo {
  std::string name;   ///< The hardware's: "me1.pipe0.queue2", "sdma0.rlc1".
  const char* kind;   ///< gfx, pm4, aql or sdma.
  const char* state;  ///< idle, runnable, waiting, stalled or halted.
  std::uint8_t vmid;
  std::uint16_t pasid;       ///< 0 where the VMID has none.
  std::uint64_t base;        ///< Of the ring, in the queue's address space.
  std::uint32_t doorbell;    ///< Byte offset in the doorbell BAR; UINT32_MAX for none.
  std::uint64_t rptr, wptr;  ///< In dwords, never wrapping.
};

}  // namespace kfdcts::vgpu
