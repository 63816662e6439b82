#include "harness/vgpu/boot/board.h"

namespace kfdcts::vgpu::boot {

const Board kVega10Board = {
    .chip = "vega10",
    .name = "kfdcts virtual Vega 10",
    .part_number = "113-KFDCTS-VEGA10",
    .pci_device_id = 0x6863,
    .pci_subsystem_id = 0x6b76,
    .gpu_info =
        {
            .gc_num_se = 4,
            .gc_num_cu_per_sh = 16,
            .gc_num_sh_per_se = 1,
            .gc_num_rb_per_se = 4,
            .gc_num_tccs = 16,
            .gc_num_gprs = 256,
            .gc_num_max_gs_thds = 32,
            .gc_gs_table_depth = 32,
            .gc_gsprim_buff_depth = 1792,
            .gc_parameter_cache_depth = 2048,
            .gc_double_offchip_lds_buffer = 1,
            .gc_wave_size = 64,
            .gc_max_waves_per_simd = 10,
            .gc_max_scratch_slots_per_cu = 32,
            .gc_lds_size = 64,
        },
    .engine_clock_10khz = 85'200,
    .memory_clock_10khz = 94'500,
    .reference_clock_10khz = 10'000,  // 100 MHz: the device counts in units of 10 ns
    .vram_type = 0x60,                // ATOM_DGPU_VRAM_TYPE_HBM2
    .vram_channels = 16,
    .vram_channel_width_log2 = 7,
    .bios_scratch_dword = 0x4c,
    // From 0x1a0 or so the driver uses the register write-then-wait packets.
    .cp_version = 0x200,
    .cp_feature = 50,
    .rlc_version = 0x31,
    .sdma_version = 400,
    .sdma_feature = 41,
};

}  // namespace kfdcts::vgpu::boot
