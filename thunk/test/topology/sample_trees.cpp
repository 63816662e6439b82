#include "thunk/test/topology/sample_trees.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

namespace kfdcts::thunk::test {
namespace {

constexpr const char* kGpuProperties = R"(cpu_cores_count 0
simd_count 256
mem_banks_count 1
caches_count 2
io_links_count 1
p2p_links_count 0
cpu_core_id_base 0
simd_id_base 2147487744
max_waves_per_simd 10
lds_size_in_kb 64
gds_size_in_kb 0
num_gws 64
wave_front_size 64
array_count 4
simd_arrays_per_engine 1
cu_per_simd_array 16
simd_per_cu 4
max_slots_scratch_cu 32
gfx_target_version 90000
vendor_id 4098
device_id 26723
location_id 32
domain 0
drm_render_minor 128
hive_id 0
num_sdma_engines 2
num_sdma_xgmi_engines 0
num_sdma_queues_per_engine 2
num_cp_queues 24
cwsr_size 22302720
ctl_stack_size 20480
max_engine_clk_fcompute 100
local_mem_size 0
fw_version 512
capability 134455936
capability2 0
debug_prop 1494
sdma_fw_version 400
unique_id 0
num_xcc 1
max_engine_clk_ccompute 0
)";

std::string Bank(int type, std::uint64_t size) {
  return "heap_type " + std::to_string(type) + "\nsize_in_bytes " + std::to_string(size) +
         "\nflags 0\nwidth 2048\nmem_clk_max 100\n";
}

std::string GpuCache(std::uint32_t processor, int level, int size) {
  return "processor_id_low " + std::to_string(processor) + "\nlevel " + std::to_string(level) +
         "\nsize " + std::to_string(size) +
         "\ncache_line_size 64\ncache_lines_per_tag 0\nassociation 0\nlatency 0\ntype 9\n"
         "sibling_map 1,0,1,0\n";
}

}  // namespace

std::string Below(const std::string& file) { return std::string(Topology::kRoot) + "/" + file; }

std::string OfNode(std::uint32_t node, const std::string& file) {
  return Below("nodes/" + std::to_string(node) + "/" + file);
}

void AddSystem(FileTree& tree) {
  tree[Below("generation_id")] = "5\n";
  tree[Below("system_properties")] =
      "platform_oem 2314885531408816194\nplatform_id 35542066745154\nplatform_rev 1\n";
}

void AddCpuInfo(FileTree& tree) {
  tree["/proc/cpuinfo"] =
      "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: QEMU TCG CPU version 2.5+\n"
      "apicid\t\t: 0\ninitial apicid\t: 0\n\n"
      "processor\t: 1\nvendor_id\t: AuthenticAMD\nmodel name\t: The other one\n"
      "apicid\t\t: 1\ninitial apicid\t: 1\n\n";
}

void AddCpuNode(FileTree& tree, std::uint32_t node, std::uint32_t links) {
  tree[OfNode(node, "gpu_id")] = "0\n";
  tree[OfNode(node, "properties")] =
      "cpu_cores_count 2\nsimd_count 0\nmem_banks_count 1\ncaches_count 0\nio_links_count " +
      std::to_string(links) + "\np2p_links_count 0\ncpu_core_id_base 0\n";
  tree[OfNode(node, "mem_banks/0/properties")] = Bank(HSA_HEAPTYPE_SYSTEM, 2040975360);
  for (std::uint32_t i = 0; i < links; ++i) AddLink(tree, node, i, i + 1);
}

void AddGpuNode(FileTree& tree, std::uint32_t node, std::uint32_t gpu_id) {
  tree[OfNode(node, "gpu_id")] = std::to_string(gpu_id) + "\n";
  tree[OfNode(node, "name")] = "vega10\n";
  tree[OfNode(node, "properties")] = kGpuProperties;
  tree[OfNode(node, "mem_banks/0/properties")] = Bank(HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC, 256 << 20);
  tree[OfNode(node, "caches/0/properties")] = GpuCache(2147487744, 1, 16);
  tree[OfNode(node, "caches/1/properties")] = GpuCache(2147487744, 2, 4096);
  AddLink(tree, node, 0, 0);
}

void AddLink(FileTree& tree, std::uint32_t from, std::uint32_t index, std::uint32_t to,
             const std::string& kind, std::uint32_t weight, std::uint32_t type) {
  tree[OfNode(from, kind + "/" + std::to_string(index) + "/properties")] =
      "type " + std::to_string(type) + "\nversion_major 3\nversion_minor 4\nnode_from " +
      std::to_string(from) + "\nnode_to " + std::to_string(to) + "\nweight " +
      std::to_string(weight) +
      "\nmin_latency 5\nmax_latency 6\nmin_bandwidth 312\nmax_bandwidth 10000\n"
      "recommended_transfer_size 7\nrecommended_sdma_engine_id_mask 3\nflags 13\n";
}

void SetProperty(FileTree& tree, std::uint32_t node, const std::string& key,
                 const std::string& value) {
  std::string& text = tree[OfNode(node, "properties")];
  const std::string line = value.empty() ? "" : key + " " + value + "\n";
  const std::size_t start = text.find(key + " ");
  if (start == std::string::npos) {
    text += line;
  } else {
    text.replace(start, text.find('\n', start) + 1 - start, line);
  }
}

FileTree TwoGpus() {
  FileTree tree;
  AddSystem(tree);
  AddCpuInfo(tree);
  AddCpuNode(tree, 0, 2);
  AddGpuNode(tree, 1, 52673);
  AddGpuNode(tree, 2, 44485);
  return tree;
}

FileTree LoadTree(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file);
  FileTree tree;
  std::string* content = nullptr;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("== ")) {
      content = &tree[line.substr(3)];
    } else if (content != nullptr) {
      content->append(line).append("\n");
    }
  }
  return tree;
}

Topology ReadAll(FileTree& tree) {
  const TopologyResult result = Topology::Read(tree, [](const Node&) { return GpuVerdict::kUse; });
  EXPECT_EQ(result.status, HSAKMT_STATUS_SUCCESS) << result.error;
  EXPECT_EQ(result.error, "");
  return result.topology ? *result.topology : Topology();
}

HSAKMT_STATUS ReadStatus(FileTree& tree, std::string* text) {
  const TopologyResult result = Topology::Read(tree, [](const Node&) { return GpuVerdict::kUse; });
  EXPECT_EQ(result.topology, nullptr);
  EXPECT_NE(result.error, "");
  if (text != nullptr) *text = result.error;
  return result.status;
}

}  // namespace kfdcts::thunk::test
