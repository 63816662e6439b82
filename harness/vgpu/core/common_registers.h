#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/vgpu/asic/chip.h"
#include "harness/vgpu/core/diagnostics.h"
#include "harness/vgpu/core/host.h"
#include "harness/vgpu/core/register_file.h"
#include "harness/vgpu/memory/vram.h"

namespace kfdcts::vgpu {

/// Registers that act and belong to no engine: memory size and place, the index/data pairs
/// (MM_INDEX, PCIE_INDEX, ROM_INDEX), PASID mapping acknowledge, the RLC's clock and safe mode, HDP
/// flush, and the marks that say "posted" and "boot loader done". VM hubs are GpuMemory's, IH is
/// InterruptRing's.
class CommonRegisters {
 public:
  /// Names the chip's registers, installs the hooks and calls Reset. All arguments outlive this
  /// object, `vbios` included.
  CommonRegisters(const Chip& chip, RegisterFile& registers, Vram& vram, Host& host,
                  Diagnostics& diagnostics, std::span<const std::byte> vbios);
  CommonRegisters(const CommonRegisters&) = delete;
  CommonRegisters& operator=(const CommonRegisters&) = delete;

  /// What the registers hold after power-on and the VBIOS's initialisation. To be called after
  /// RegisterFile::Clear.
  void Reset();

 private:
  void InstallMemory();
  void InstallIndexPairs();
  void InstallPasidMapping();
  void InstallRlc();
  void InstallHdp();

  std::byte* IndexedVram();  // null where MM_INDEX points beyond VRAM, or at registers
  std::uint32_t ReadMmData();
  void WriteMmData(std::uint32_t value);
  std::uint32_t ReadRomData();

  const Chip& chip_;
  RegisterFile& registers_;
  Vram& vram_;
  Host& host_;
  Diagnostics& diagnostics_;
  std::span<const std::byte> vbios_;
};

}  // namespace kfdcts::vgpu
