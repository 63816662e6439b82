#pragma once

#include <cstdint>
#include <span>

namespace kfdcts::vgpu {

/// One register, or a row of them: `%u` in the name stands for the index. Names are those of the
/// kernel's asic_reg headers without the mm or reg prefix.
struct RegisterName {
  std::uint32_t offset;  ///< Byte offset in BAR5.
  const char* name;
  std::uint16_t count = 1;
  std::uint16_t stride = 4;       ///< Bytes from one register of the row to the next.
  std::uint32_t first_index = 0;  ///< Of the first register of the row.
};

/// Registers of one VM hub, as byte offsets (kernel: gc_*_offset.h and mmhub_*_offset.h). Where a
/// register has two halves, the high one follows the low one.
struct HubRegisters {
  std::uint32_t context0_cntl;                ///< 16 contexts, 4 bytes apart.
  std::uint32_t context0_page_table_base_lo;  ///< 16 contexts, 8 bytes apart, as the next two.
  std::uint32_t context0_page_table_start_lo;
  std::uint32_t context0_page_table_end_lo;
  std::uint32_t invalidate_eng0_sem;  ///< 18 engines, 4 bytes apart, as the next two.
  std::uint32_t invalidate_eng0_req;
  std::uint32_t invalidate_eng0_ack;
  std::uint32_t invalidate_eng0_addr_range_lo;  ///< 18 engines, 8 bytes apart.
  std::uint32_t l2_cntl2;                       ///< Bits 0 and 1 invalidate everything.
  std::uint32_t protection_fault_cntl;
  std::uint32_t protection_fault_status;
  std::uint32_t protection_fault_addr_lo;
  std::uint32_t fb_location_base;  ///< In units of 16 MiB, as the AGP registers.
  std::uint32_t fb_location_top;
  std::uint32_t agp_top;
  std::uint32_t agp_bot;
  std::uint32_t agp_base;
};

struct IhRingRegisters {
  std::uint32_t cntl, base, base_hi, rptr, wptr, doorbell_rptr;
};

/// Registers of an SDMA engine, from its UCODE_ADDR register (Chip::sdma_base) on.
struct SdmaEngineRegisters {
  std::uint32_t ucode_addr, ucode_data, cntl, status_reg, f32_cntl, freeze;
  std::uint32_t phase0_quantum, phase1_quantum, phase2_quantum;
};

/// Registers of an SDMA queue, from its RB_CNTL register on; the same for the GFX and the RLC
/// queues.
struct SdmaQueueRegisters {
  std::uint32_t rb_base, rb_base_hi, rb_rptr, rb_rptr_hi, rb_wptr, rb_wptr_hi, rb_wptr_poll_cntl;
  std::uint32_t rb_rptr_addr_hi, rb_rptr_addr_lo, ib_cntl, ib_rptr, ib_offset, ib_base_lo,
      ib_base_hi, ib_size;
  std::uint32_t context_status, doorbell, status, doorbell_offset, csa_addr_lo, csa_addr_hi,
      preempt;
  std::uint32_t rb_wptr_poll_addr_hi, rb_wptr_poll_addr_lo, minor_ptr_update, midcmd_data0,
      midcmd_cntl;
};

/// One kind of chip: identity, sizes, register offsets. Constants, one file a chip; facts from the
/// kernel's headers.
struct Chip {
  const char* name;
  std::uint16_t pci_device_id;  ///< Vendor is always 0x1002.
  std::uint32_t family;         ///< AMDGPU_FAMILY_*.
  std::uint64_t fb_base;        ///< MC address of the first byte of VRAM.
  unsigned sdma_engines;
  unsigned sdma_user_queues;  ///< RLC queues an engine.
  unsigned mec_pipes, queues_per_pipe;

  HubRegisters gfx_hub, mm_hub;
  IhRingRegisters ih[3];
  std::uint32_t ih_wptr_addr_lo, ih_wptr_addr_hi, ih_doorbell_rptr;
  std::uint32_t ih_vmid0_lut, ih_vmid0_lut_mm;  ///< 16 each, 4 bytes apart: the PASID of a VMID.

  /// PASID in bits 15:0, bit 31 valid; 16 VMIDs, 4 bytes apart. VMID16… are the mmhub's.
  std::uint32_t atc_vmid0_pasid_mapping, atc_vmid16_pasid_mapping, atc_pasid_mapping_update_status;

  std::uint32_t
      grbm_gfx_cntl;  ///< Selects the bank of the CP_HQD registers: pipe, me, vmid, queue.
  std::uint32_t cp_mqd_base_addr;  ///< First of the banked registers; kHqdRegisters of them.
  std::uint32_t cp_hqd_active, cp_hqd_vmid, cp_hqd_persistent_state, cp_hqd_quantum;
  std::uint32_t cp_hqd_pq_base, cp_hqd_pq_base_hi, cp_hqd_pq_rptr;
  std::uint32_t cp_hqd_pq_rptr_report_addr, cp_hqd_pq_rptr_report_addr_hi;
  std::uint32_t cp_hqd_pq_wptr_poll_addr, cp_hqd_pq_wptr_poll_addr_hi;
  std::uint32_t cp_hqd_pq_doorbell_control, cp_hqd_pq_control, cp_hqd_ib_control, cp_hqd_iq_timer;
  std::uint32_t cp_hqd_dequeue_request, cp_hqd_hq_status0, cp_mqd_control;
  std::uint32_t cp_hqd_eop_base_addr, cp_hqd_eop_base_addr_hi, cp_hqd_eop_control, cp_hqd_eop_rptr;
  std::uint32_t cp_hqd_ctx_save_base_addr_lo, cp_hqd_ctx_save_size, cp_hqd_error,
      cp_hqd_aql_control;
  std::uint32_t cp_hqd_pq_wptr_lo, cp_hqd_pq_wptr_hi;
  std::uint32_t cp_rb0_base, cp_rb0_base_hi, cp_rb0_cntl, cp_rb0_rptr_addr, cp_rb0_rptr_addr_hi,
      cp_rb0_wptr;
  std::uint32_t cp_rb0_wptr_hi;
  std::uint32_t cp_rb0_rptr;
  std::uint32_t cp_rb_doorbell_control;
  std::uint32_t cp_me_cntl, cp_mec_cntl;  ///< Halt bits of the micro engines.
  std::uint32_t cp_int_cntl_ring0;
  std::uint32_t cp_me1_pipe0_int_cntl;  ///< Four pipes, 4 bytes apart.
  std::uint32_t cp_mec_doorbell_range_lower, cp_mec_doorbell_range_upper;
  std::uint32_t cp_pq_status, cp_stat;
  std::uint32_t cp_pq_wptr_poll_cntl1;  ///< Asks for one read of a write pointer from memory.
  std::uint32_t spi_compute_queue_reset;
  std::uint32_t grbm_gfx_index, grbm_status, grbm_status2, grbm_soft_reset;
  std::uint32_t scratch_reg0;
  std::uint32_t sh_mem_bases, sh_mem_config;  ///< Banked by GRBM_GFX_CNTL's VMID.

  std::uint32_t rlc_cntl, rlc_safe_mode, rlc_cp_schedulers, rlc_stat;
  std::uint32_t rlc_gpu_clock_count_lsb, rlc_gpu_clock_count_msb, rlc_capture_gpu_clock_count;
  std::uint32_t rlc_serdes_cu_master_busy, rlc_serdes_noncu_master_busy;

  std::uint32_t sdma_base[8];         ///< First register of each engine.
  std::uint32_t sdma_gfx_rb_cntl[8];  ///< First register of each engine's GFX queue.
  std::uint32_t sdma_rlc0_offset;  ///< From there to the first RLC queue's, and from one RLC queue
                                   ///< to the next.
  std::uint32_t sdma_rlc_stride;
  SdmaEngineRegisters sdma_engine;
  SdmaQueueRegisters sdma_queue;
  std::uint8_t sdma_ih_client[8];

  std::uint32_t mm_index, mm_data, mm_index_hi;
  std::uint32_t pcie_index, pcie_data, pcie_index2, pcie_data2;
  std::uint32_t rom_index, rom_data;
  std::uint32_t bios_scratch_0;  ///< 16 of them; the VBIOS's firmwareinfo must name the same place,
                                 ///< in dwords.
  std::uint32_t config_memsize;  ///< MiB of VRAM.
  std::uint32_t hdp_flush_req, hdp_flush_done, hdp_mem_flush_cntl, hdp_read_cache_invalidate;
  std::uint32_t remap_hdp_mem_flush_cntl,
      remap_hdp_reg_flush_cntl;  ///< The page that user space maps to flush HDP.
  std::uint32_t mp0_c2pmsg_33;   ///< Bit 31: the boot loader is done.

  std::span<const RegisterName> names;       ///< All that the driver is known to touch, sorted.
  std::span<const RegisterName> dump_names;  ///< Others, for dumps and debuggers, sorted.
};

inline constexpr std::uint32_t kHqdRegisters = 0x40;
inline constexpr unsigned kVmids = 16;
inline constexpr unsigned kInvalidateEngines = 18;

extern const Chip kVega10;

/// Null where there is no chip of that name.
const Chip* FindChip(const char* name);

}  // namespace kfdcts::vgpu
