#pragma once

#include <cstdint>
#include <cstring>

#include "harness/vgpu/asic/chip.h"
#include "harness/vgpu/core/diagnostics.h"
#include "harness/vgpu/core/register_file.h"
#include "harness/vgpu/memory/gpu_memory.h"
#include "harness/vgpu/memory/vram.h"
#include "harness/vgpu/test/support/fake_host.h"
#include "harness/vgpu/test/support/page_tables.h"

namespace kfdcts::vgpu {

/// A chip's memory with a guest behind it: 16 MiB of VRAM whose upper half holds the page tables of
/// VMID 8 (kUser's), 4 MiB of guest memory.
struct MemoryRig {
  static constexpr std::uint8_t kVmid = 8;
  static constexpr AddressSpace kUser{Hub::kGfx, kVmid};
  static constexpr AddressSpace kKernel{Hub::kGfx, 0};
  static constexpr std::uint64_t kVramBytes = 16 << 20;
  static constexpr std::uint64_t kTables = 8 << 20;

  const Chip& chip = kVega10;
  FakeHost host;
  Diagnostics diagnostics;
  RegisterFile registers{diagnostics};
  Vram vram{kVramBytes};
  GpuMemory memory{chip, registers, vram, host, diagnostics};
  PageTables tables{chip, registers, vram, kVmid, kTables};

  /// Plain access to VRAM, as the guest has through BAR0.
  template <typename T>
  T LoadVram(std::uint64_t offset) {
    T value;
    std::memcpy(&value, vram.At(offset, sizeof value), sizeof value);
    return value;
  }
  template <typename T>
  void StoreVram(std::uint64_t offset, const T& value) {
    std::memcpy(vram.At(offset, sizeof value), &value, sizeof value);
  }

  /// VM_CONTEXTn_CNTL: bit 7 asks for retry of faults.
  void SetRetry(AddressSpace space, bool retry) {
    const auto& hub = space.hub == Hub::kGfx ? chip.gfx_hub : chip.mm_hub;
    registers.Set(hub.context0_cntl + space.vmid * 4U, retry ? 1U << 7 : 0);
  }

  /// The driver's flush of one VMID, by invalidation engine 17.
  void Flush(Hub hub, std::uint8_t vmid) {
    const auto& reg = hub == Hub::kGfx ? chip.gfx_hub : chip.mm_hub;
    registers.Write(reg.invalidate_eng0_req + 17 * 4, 1U << vmid);
  }
};

}  // namespace kfdcts::vgpu
