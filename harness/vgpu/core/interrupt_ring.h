#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "harness/vgpu/asic/chip.h"
#include "harness/vgpu/core/host.h"
#include "harness/vgpu/core/register_file.h"
#include "harness/vgpu/memory/gpu_memory.h"

namespace kfdcts::vgpu {

/// Client ids of interrupt entries (kernel: enum soc15_ih_clientid). SDMA's are in Chip.
inline constexpr std::uint8_t kIhClientIh = 0x00;
inline constexpr std::uint8_t kIhClientVmc = 0x12;
inline constexpr std::uint8_t kIhClientGrbmCp = 0x14;
inline constexpr std::uint8_t kIhClientUtcl2 = 0x1b;

/// One interrupt vector entry before it is packed (struct amdgpu_iv_entry; soc15_ih client and
/// source ids).
struct InterruptEntry {
  std::uint8_t client;
  std::uint8_t source;
  std::uint8_t ring_id = 0;
  std::uint8_t vmid = 0;
  std::uint16_t pasid = 0;
  std::uint32_t data[4] = {};
  std::uint64_t raised_ns = 0;  ///< Host::NowNs time of its time stamp; 0: that of the push.
};

/// The interrupt handler's rings: an entry goes to memory, the write pointer to its register and
/// write-back address, then the MSI is raised (where IH_RB_CNTL enables it). A full ring drops the
/// entry and sets the overflow bit of the write pointer, until the driver writes
/// WPTR_OVERFLOW_CLEAR. A disabled ring drops in silence.
class InterruptRing {
 public:
  static constexpr std::size_t kRings = 3;
  static constexpr std::uint32_t kEntryBytes = 32;

  /// Installs the IH_RB_CNTL registers' hooks. All arguments outlive this object.
  InterruptRing(const Chip& chip, RegisterFile& registers, GpuMemory& memory, Host& host);
  InterruptRing(const InterruptRing&) = delete;
  InterruptRing& operator=(const InterruptRing&) = delete;

  void Push(const InterruptEntry& entry);

  /// Into ring 1 or 2, of which the driver learns by an entry of client IH in ring 0; into ring 0
  /// where that ring is disabled.
  void PushToRing(std::size_t ring, const InterruptEntry& entry);

  /// Fills the hub's protection-fault registers and pushes the fault's entry, where the context's
  /// VM_CONTEXTn_CNTL enables interrupts of faults. A retry fault leaves the registers alone: the
  /// driver clears them only when it reports a fault as final.
  void PushFault(const Fault& fault);

  /// The first half of PushFault, for whom delivers the entry later: all but the push. None where
  /// interrupts of faults are not enabled.
  std::optional<InterruptEntry> LatchFaultEntry(const Fault& fault);

  /// The doorbell at `offset` bytes, where it is a ring's read pointer. False where it is none.
  bool Doorbell(std::uint64_t offset, std::uint32_t value);

  std::uint64_t pushed() const { return pushed_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  bool IsEnabled(std::size_t ring) const;
  bool WriteMemory(std::uint32_t cntl, std::uint64_t address, std::span<const std::byte> data);
  void StoreWritePointer(std::size_t ring, std::uint32_t value);
  void Raise(std::size_t ring);
  void OnControl(std::size_t ring, std::uint32_t value);

  const Chip& chip_;
  RegisterFile& registers_;
  GpuMemory& memory_;
  Host& host_;
  std::uint64_t pushed_ = 0, dropped_ = 0;
};

}  // namespace kfdcts::vgpu
