#pragma once

#include <bit>
#include <cstdint>

/// On-disk layout of the firmware files that amdgpu requests (facts from the kernel's
/// amdgpu_ucode.h). Every file starts with a common header; the payload follows at
/// `ucode_array_offset_bytes`.
namespace kfdcts::vgpu::boot {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

struct CommonFirmwareHeader {
  std::uint32_t size_bytes;  ///< Of the whole file; the driver refuses another size.
  std::uint32_t header_size_bytes;
  std::uint16_t header_version_major;
  std::uint16_t header_version_minor;
  std::uint16_t ip_version_major;
  std::uint16_t ip_version_minor;
  std::uint32_t ucode_version;
  std::uint32_t ucode_size_bytes;
  std::uint32_t ucode_array_offset_bytes;
  std::uint32_t crc32;
};
static_assert(sizeof(CommonFirmwareHeader) == 32);

/// pfp, me, ce, mec, mec2: header version 1.0.
struct GfxFirmwareHeader {
  CommonFirmwareHeader common;
  std::uint32_t ucode_feature_version;
  std::uint32_t jt_offset;  ///< Jump table, in dwords of the payload.
  std::uint32_t jt_size;
};
static_assert(sizeof(GfxFirmwareHeader) == 44);

/// rlc: header version 2.0.
struct RlcFirmwareHeader {
  CommonFirmwareHeader common;
  std::uint32_t ucode_feature_version;
  std::uint32_t jt_offset;
  std::uint32_t jt_size;
  std::uint32_t save_and_restore_offset;
  std::uint32_t clear_state_descriptor_offset;
  std::uint32_t avail_scratch_ram_locations;
  std::uint32_t reg_restore_list_size;
  std::uint32_t reg_list_format_start;
  std::uint32_t reg_list_format_separate_start;
  std::uint32_t starting_offsets_start;
  std::uint32_t reg_list_format_size_bytes;
  std::uint32_t reg_list_format_array_offset_bytes;
  std::uint32_t reg_list_size_bytes;
  std::uint32_t reg_list_array_offset_bytes;
  std::uint32_t reg_list_format_separate_size_bytes;
  std::uint32_t reg_list_format_separate_array_offset_bytes;
  std::uint32_t reg_list_separate_size_bytes;
  std::uint32_t reg_list_separate_array_offset_bytes;
};
static_assert(sizeof(RlcFirmwareHeader) == 104);

/// sdma, sdma1: header version 1.0.
struct SdmaFirmwareHeader {
  CommonFirmwareHeader common;
  std::uint32_t ucode_feature_version;
  std::uint32_t ucode_change_version;
  std::uint32_t jt_offset;
  std::uint32_t jt_size;
};
static_assert(sizeof(SdmaFirmwareHeader) == 48);

/// gpu_info: header version 1.0, payload version 1.0 below.
struct GpuInfoFirmwareHeader {
  CommonFirmwareHeader common;
  std::uint16_t version_major;
  std::uint16_t version_minor;
};
static_assert(sizeof(GpuInfoFirmwareHeader) == 36);

/// What the driver believes about the shader array, and so what KFD's topology says.
struct GpuInfoPayload {
  std::uint32_t gc_num_se;
  std::uint32_t gc_num_cu_per_sh;
  std::uint32_t gc_num_sh_per_se;
  std::uint32_t gc_num_rb_per_se;
  std::uint32_t gc_num_tccs;
  std::uint32_t gc_num_gprs;
  std::uint32_t gc_num_max_gs_thds;
  std::uint32_t gc_gs_table_depth;
  std::uint32_t gc_gsprim_buff_depth;
  std::uint32_t gc_parameter_cache_depth;
  std::uint32_t gc_double_offchip_lds_buffer;
  std::uint32_t gc_wave_size;
  std::uint32_t gc_max_waves_per_simd;
  std::uint32_t gc_max_scratch_slots_per_cu;
  std::uint32_t gc_lds_size;
};
static_assert(sizeof(GpuInfoPayload) == 60);

}  // namespace kfdcts::vgpu::boot
