#pragma once

#include <cstdint>
#include <span>

namespace kfdcts::vgpu {

struct RegisterName {
  std::uint32_t offset;  ///< Byte offset in BAR5.
  const char* name;      ///< As in the kernel's asic_reg headers, without mm/reg prefix.
};

/// Registers of one VM hub, as byte offsets (kernel: gc_*_offset.h and mmhub_*_offset.h).
struct HubRegisters {
  std::uint32_t context0_cntl;                 ///< 16 contexts, 4 bytes apart.
  std::uint32_t context0_page_table_base_lo;   ///< 16 contexts, 8 bytes apart, as the next two.
  std::uint32_t context0_page_table_start_lo;
  std::uint32_t context0_page_table_end_lo;
  std::uint32_t invalidate_eng0_sem;           ///< 18 engines, 4 bytes apart, as the next two.
  std::uint32_t invalidate_eng0_req;
  std::uint32_t invalidate_eng0_ack;
  std::uint32_t protection_fault_cntl;
  std::uint32_t protection_fault_status;
  std::uint32_t protection_fault_addr_lo;
  std::uint32_t fb_location_base;              ///< In units of 16 MiB, as the AGP registers.
  std::uint32_t fb_location_top;
  std::uint32_t agp_top;
  std::uint32_t agp_bot;
  std::uint32_t agp_base;
};

struct IhRingRegisters {
  std::uint32_t cntl, base, base_hi, rptr, wptr;
};

/// One kind of chip: identity, sizes, register offsets. Constants, one file a chip; facts from the kernel's headers.
struct Chip {
  const char* name;
  std::uint16_t pci_device_id;  ///< Vendor is always 0x1002.
  std::uint32_t family;
  std::uint64_t fb_base;        ///< MC address of the first byte of VRAM.
  unsigned sdma_engines;
  unsigned sdma_user_queues;    ///< RLC queues an engine.
  unsigned mec_pipes, queues_per_pipe;

  HubRegisters gfx_hub, mm_hub;
  IhRingRegisters ih[3];
  std::uint32_t ih_wptr_addr_lo, ih_wptr_addr_hi, ih_doorbell_rptr;
  std::uint32_t ih_vmid0_lut, ih_vmid0_lut_mm;

  std::uint32_t atc_vmid0_pasid_mapping, atc_vmid16_pasid_mapping, atc_pasid_mapping_update_status;

  std::uint32_t grbm_gfx_cntl;          ///< Selects the bank of the CP_HQD registers: pipe, me, vmid, queue.
  std::uint32_t cp_mqd_base_addr;       ///< First of the banked registers; kHqdRegisters of them.
  std::uint32_t cp_hqd_active, cp_hqd_vmid, cp_hqd_pq_base, cp_hqd_pq_base_hi, cp_hqd_pq_rptr;
  std::uint32_t cp_hqd_pq_rptr_report_addr, cp_hqd_pq_rptr_report_addr_hi;
  std::uint32_t cp_hqd_pq_doorbell_control, cp_hqd_pq_control, cp_hqd_dequeue_request, cp_hqd_aql_control;
  std::uint32_t cp_hqd_pq_wptr_lo, cp_hqd_pq_wptr_hi;
  std::uint32_t cp_rb0_base, cp_rb0_base_hi, cp_rb0_cntl, cp_rb0_rptr_addr, cp_rb0_rptr_addr_hi, cp_rb0_wptr;
  std::uint32_t cp_rb_doorbell_control;

  std::uint32_t sdma_gfx_rb_cntl[8];    ///< First register of each engine's GFX queue.
  std::uint32_t sdma_rlc0_offset;       ///< From there to the first RLC queue's, and from one RLC queue to the next.
  std::uint32_t sdma_rlc_stride;
  std::uint8_t sdma_ih_client[8];

  std::span<const RegisterName> names;  ///< Every register that the driver is known to touch, sorted by offset.
};

inline constexpr std::uint32_t kHqdRegisters = 0x40;

extern const Chip kVega10;

/// Null where there is no chip of that name.
const Chip* FindChip(const char* name);

}  // namespace kfdcts::vgpu
