#pragma once

#include <cstdint>
#include <string_view>

#include "harness/vgpu/boot/firmware_layout.h"

namespace kfdcts::vgpu::boot {

/// Everything about one kind of card that the driver learns from its VBIOS and firmware files and
/// not from registers.
struct Board {
  std::string_view chip;  ///< Prefix of the firmware files, as the driver asks for them.
  std::string_view
      name;  ///< In the VBIOS; what `ip`-like tools and rocminfo show is from the PCI id instead.
  std::string_view
      part_number;  ///< Printed by the driver: "ATOM BIOS: …". Characters between ' ' and 'z'.

  std::uint16_t pci_device_id;
  std::uint16_t pci_subsystem_id;

  GpuInfoPayload gpu_info;  ///< Shader engines, compute units and so on: KFD's topology.

  std::uint32_t engine_clock_10khz;
  std::uint32_t memory_clock_10khz;
  std::uint32_t reference_clock_10khz;  ///< Rate of the device's clock counter.
  std::uint8_t vram_type;               ///< enum atom_dgpu_vram_type
  std::uint8_t vram_channels;
  std::uint8_t vram_channel_width_log2;
  std::uint32_t bios_scratch_dword;  ///< BIOS_SCRATCH_0.

  std::uint32_t cp_version, cp_feature;  ///< pfp, me, ce, mec, mec2
  std::uint32_t rlc_version;
  std::uint32_t sdma_version,
      sdma_feature;  ///< Below 430 the driver does not use the SDMA page queue.
};

extern const Board kVega10Board;

}  // namespace kfdcts::vgpu::boot
