#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kfdcts::thunk {

/// A file mem_banks/B/properties. Numbers are the kernel's, unchanged; 0 where it tells none.
struct MemoryBank {
  std::uint64_t heap_type = 0;  ///< HSA_HEAPTYPE.
  std::uint64_t size_in_bytes = 0;
  std::uint64_t flags = 0;
  std::uint64_t width = 0;        ///< Bits.
  std::uint64_t mem_clk_max = 0;  ///< MHz.
};

/// A file caches/C/properties, or a cache of /sys/devices/system/cpu in the same terms.
struct Cache {
  std::uint64_t processor_id_low = 0;
  std::uint64_t level = 0;
  std::uint64_t size = 0;  ///< KiB where KFD tells it, bytes where the CPU's folder does.
  std::uint64_t cache_line_size = 0;
  std::uint64_t cache_lines_per_tag = 0;
  std::uint64_t association = 0;
  std::uint64_t latency = 0;  ///< ns.
  std::uint64_t type = 0;     ///< HsaCacheType.
  /// Element i is 1 where the processor with id processor_id_low + i (KFD) or i (CPU) shares it.
  std::vector<std::uint32_t> sibling_map;
};

/// A file io_links/L/properties or p2p_links/L/properties.
struct IoLink {
  std::uint64_t type = 0;  ///< HSA_IOLINKTYPE.
  std::uint64_t version_major = 0;
  std::uint64_t version_minor = 0;
  std::uint64_t node_from = 0;  ///< API node number, not sysfs's.
  std::uint64_t node_to = 0;    ///< API node number, not sysfs's.
  std::uint64_t weight = 0;
  std::uint64_t min_latency = 0;    ///< ns.
  std::uint64_t max_latency = 0;    ///< ns.
  std::uint64_t min_bandwidth = 0;  ///< MB/s.
  std::uint64_t max_bandwidth = 0;  ///< MB/s.
  std::uint64_t recommended_transfer_size = 0;
  std::uint64_t recommended_sdma_engine_id_mask = 0;
  std::uint64_t flags = 0;  ///< HSA_LINKPROPERTY.
};

/// A file nodes/N/properties under the kernel's own names; 0 where it tells none.
struct NodeNumbers {
  std::uint64_t cpu_cores_count = 0;
  std::uint64_t simd_count = 0;
  std::uint64_t mem_banks_count = 0;
  std::uint64_t caches_count = 0;
  std::uint64_t io_links_count = 0;
  std::uint64_t p2p_links_count = 0;
  std::uint64_t cpu_core_id_base = 0;
  std::uint64_t simd_id_base = 0;
  std::uint64_t capability = 0;
  std::uint64_t capability2 = 0;
  std::uint64_t debug_prop = 0;
  std::uint64_t max_waves_per_simd = 0;
  std::uint64_t lds_size_in_kb = 0;
  std::uint64_t gds_size_in_kb = 0;
  std::uint64_t wave_front_size = 0;
  std::uint64_t array_count = 0;
  std::uint64_t simd_arrays_per_engine = 0;
  std::uint64_t cu_per_simd_array = 0;
  std::uint64_t simd_per_cu = 0;
  std::uint64_t max_slots_scratch_cu = 0;
  std::uint64_t fw_version = 0;
  std::uint64_t vendor_id = 0;
  std::uint64_t device_id = 0;
  std::uint64_t location_id = 0;
  std::uint64_t domain = 0;
  std::uint64_t max_engine_clk_fcompute = 0;
  std::uint64_t max_engine_clk_ccompute = 0;
  std::uint64_t local_mem_size = 0;
  std::uint64_t drm_render_minor = 0;
  std::uint64_t sdma_fw_version = 0;
  std::uint64_t hive_id = 0;
  std::uint64_t unique_id = 0;
  std::uint64_t num_sdma_engines = 0;
  std::uint64_t num_sdma_xgmi_engines = 0;
  std::uint64_t num_gws = 0;
  std::uint64_t num_sdma_queues_per_engine = 0;
  std::uint64_t num_cp_queues = 0;
  std::uint64_t cwsr_size = 0;
  std::uint64_t ctl_stack_size = 0;
  std::uint64_t num_xcc = 0;
  std::uint64_t family_id = 0;
  std::uint64_t gfx_target_version = 0;
};

/// One node as the API numbers it.
struct Node {
  /// The folder's number in sysfs, which ioctls that take a node mean. The API's own number is the
  /// node's index in Topology::nodes(); they differ once a node before it was left out.
  std::uint32_t sysfs_id = 0;
  std::uint32_t gpu_id = 0;  ///< 0: a CPU's node.
  NodeNumbers numbers;
  std::string cpu_model;  ///< Empty: no CPU, or /proc/cpuinfo does not tell it.
  std::vector<MemoryBank> banks;
  std::vector<Cache> caches;
  /// io_links, then p2p_links, then those made up for kernels that tell of no p2p_links.
  std::vector<IoLink> links;

  bool is_gpu() const { return gpu_id != 0; }
};

/// The file system_properties.
struct System {
  std::uint64_t platform_oem = 0;
  std::uint64_t platform_id = 0;
  std::uint64_t platform_rev = 0;
};

}  // namespace kfdcts::thunk
