#pragma once

#include <cstdint>

#include "harness/vgpu/asic/chip.h"
#include "harness/vgpu/core/host.h"
#include "harness/vgpu/core/register_file.h"
#include "harness/vgpu/memory/gpu_memory.h"

namespace kfdcts::vgpu {

/// One interrupt vector entry before it is packed (struct amdgpu_iv_entry; soc15_ih client and source ids).
struct InterruptEntry {
  std::uint8_t client;
  std::uint8_t source;
  std::uint8_t ring_id = 0;
  std::uint8_t vmid = 0;
  std::uint16_t pasid = 0;
  std::uint32_t data[4] = {};
};

/// The interrupt handler's ring: entries go to memory, the write pointer to its register and write-back address, then
/// the MSI. A full ring drops the entry and sets the overflow bit, as the driver expects.
class InterruptRing {
 public:
  InterruptRing(const Chip& chip, RegisterFile& registers, GpuMemory& memory, Host& host);

  void Push(const InterruptEntry& entry);

  /// Fills the hub's protection-fault registers and pushes the fault's entry.
  void PushFault(const Fault& fault);

  std::uint64_t pushed() const { return pushed_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  const Chip& chip_;
  RegisterFile& registers_;
  GpuMemory& memory_;
  Host& host_;
  std::uint64_t pushed_ = 0, dropped_ = 0;
};

}  // namespace kfdcts::vgpu
