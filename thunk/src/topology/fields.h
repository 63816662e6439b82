#pragma once

#include "thunk/src/topology/node.h"
#include "thunk/src/topology/property_text.h"

/// Which keys of sysfs go to which members: all that the thunk reads of the kernel's topology
/// (drivers/gpu/drm/amd/amdkfd/kfd_topology.c writes them).
namespace kfdcts::thunk {

#define KFDCTS_FIELD(Object, member) \
  PropertyField<Object> { #member, &Object::member }

inline constexpr PropertyField<System> kSystemFields[] = {
    KFDCTS_FIELD(System, platform_oem),
    KFDCTS_FIELD(System, platform_id),
    KFDCTS_FIELD(System, platform_rev),
};

inline constexpr PropertyField<MemoryBank> kBankFields[] = {
    KFDCTS_FIELD(MemoryBank, heap_type),   KFDCTS_FIELD(MemoryBank, size_in_bytes),
    KFDCTS_FIELD(MemoryBank, flags),       KFDCTS_FIELD(MemoryBank, width),
    KFDCTS_FIELD(MemoryBank, mem_clk_max),
};

/// Without sibling_map, which is a list.
inline constexpr PropertyField<Cache> kCacheFields[] = {
    KFDCTS_FIELD(Cache, processor_id_low),
    KFDCTS_FIELD(Cache, level),
    KFDCTS_FIELD(Cache, size),
    KFDCTS_FIELD(Cache, cache_line_size),
    KFDCTS_FIELD(Cache, cache_lines_per_tag),
    KFDCTS_FIELD(Cache, association),
    KFDCTS_FIELD(Cache, latency),
    KFDCTS_FIELD(Cache, type),
};

inline constexpr PropertyField<IoLink> kLinkFields[] = {
    KFDCTS_FIELD(IoLink, type),
    KFDCTS_FIELD(IoLink, version_major),
    KFDCTS_FIELD(IoLink, version_minor),
    KFDCTS_FIELD(IoLink, node_from),
    KFDCTS_FIELD(IoLink, node_to),
    KFDCTS_FIELD(IoLink, weight),
    KFDCTS_FIELD(IoLink, min_latency),
    KFDCTS_FIELD(IoLink, max_latency),
    KFDCTS_FIELD(IoLink, min_bandwidth),
    KFDCTS_FIELD(IoLink, max_bandwidth),
    KFDCTS_FIELD(IoLink, recommended_transfer_size),
    KFDCTS_FIELD(IoLink, recommended_sdma_engine_id_mask),
    KFDCTS_FIELD(IoLink, flags),
};

inline constexpr PropertyField<NodeNumbers> kNodeFields[] = {
    KFDCTS_FIELD(NodeNumbers, cpu_cores_count),
    KFDCTS_FIELD(NodeNumbers, simd_count),
    KFDCTS_FIELD(NodeNumbers, mem_banks_count),
    KFDCTS_FIELD(NodeNumbers, caches_count),
    KFDCTS_FIELD(NodeNumbers, io_links_count),
    KFDCTS_FIELD(NodeNumbers, p2p_links_count),
    KFDCTS_FIELD(NodeNumbers, cpu_core_id_base),
    KFDCTS_FIELD(NodeNumbers, simd_id_base),
    KFDCTS_FIELD(NodeNumbers, capability),
    KFDCTS_FIELD(NodeNumbers, capability2),
    KFDCTS_FIELD(NodeNumbers, debug_prop),
    KFDCTS_FIELD(NodeNumbers, max_waves_per_simd),
    KFDCTS_FIELD(NodeNumbers, lds_size_in_kb),
    KFDCTS_FIELD(NodeNumbers, gds_size_in_kb),
    KFDCTS_FIELD(NodeNumbers, wave_front_size),
    KFDCTS_FIELD(NodeNumbers, array_count),
    KFDCTS_FIELD(NodeNumbers, simd_arrays_per_engine),
    KFDCTS_FIELD(NodeNumbers, cu_per_simd_array),
    KFDCTS_FIELD(NodeNumbers, simd_per_cu),
    KFDCTS_FIELD(NodeNumbers, max_slots_scratch_cu),
    KFDCTS_FIELD(NodeNumbers, fw_version),
    KFDCTS_FIELD(NodeNumbers, vendor_id),
    KFDCTS_FIELD(NodeNumbers, device_id),
    KFDCTS_FIELD(NodeNumbers, location_id),
    KFDCTS_FIELD(NodeNumbers, domain),
    KFDCTS_FIELD(NodeNumbers, max_engine_clk_fcompute),
    KFDCTS_FIELD(NodeNumbers, max_engine_clk_ccompute),
    KFDCTS_FIELD(NodeNumbers, local_mem_size),
    KFDCTS_FIELD(NodeNumbers, drm_render_minor),
    KFDCTS_FIELD(NodeNumbers, sdma_fw_version),
    KFDCTS_FIELD(NodeNumbers, hive_id),
    KFDCTS_FIELD(NodeNumbers, unique_id),
    KFDCTS_FIELD(NodeNumbers, num_sdma_engines),
    KFDCTS_FIELD(NodeNumbers, num_sdma_xgmi_engines),
    KFDCTS_FIELD(NodeNumbers, num_gws),
    KFDCTS_FIELD(NodeNumbers, num_sdma_queues_per_engine),
    KFDCTS_FIELD(NodeNumbers, num_cp_queues),
    KFDCTS_FIELD(NodeNumbers, cwsr_size),
    KFDCTS_FIELD(NodeNumbers, ctl_stack_size),
    KFDCTS_FIELD(NodeNumbers, num_xcc),
    KFDCTS_FIELD(NodeNumbers, family_id),
    KFDCTS_FIELD(NodeNumbers, gfx_target_version),
};

#undef KFDCTS_FIELD

}  // namespace kfdcts::thunk
