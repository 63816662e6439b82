#include "thunk/test/fake/fake_machine.h"

#include <utility>

namespace kfdcts::thunk {
namespace {

constexpr char kTopology[] = "/sys/devices/virtual/kfd/kfd/topology/";
constexpr uint32_t kLinkPcie = 2;

using Properties = std::vector<std::pair<const char*, uint64_t>>;

std::string Lines(const Properties& properties) {
  std::string text;
  for (const auto& [key, value] : properties)
    text += std::string(key) + ' ' + std::to_string(value) + '\n';
  return text;
}

std::string NodeFolder(uint32_t node) {
  return kTopology + std::string("nodes/") + std::to_string(node) + '/';
}

void AddLinks(const FakeMachine& machine, uint32_t node, FakeFiles& files) {
  uint32_t link = 0;
  for (uint32_t to = 0; to < machine.NodeCount(); ++to) {
    if (to == node) continue;
    files[NodeFolder(node) + "io_links/" + std::to_string(link++) + "/properties"] =
        Lines({{"type", kLinkPcie},
               {"version_major", 0},
               {"version_minor", 0},
               {"node_from", node},
               {"node_to", to},
               {"weight", node == 0 || to == 0 ? 20 : 40},
               {"min_latency", 0},
               {"max_latency", 0},
               {"min_bandwidth", 312},
               {"max_bandwidth", 31504},
               {"recommended_transfer_size", 0},
               {"recommended_sdma_engine_id_mask", 0},
               {"flags", 1}});
  }
}

void AddCache(uint32_t node, uint32_t index, uint32_t level, uint32_t kilobytes, uint32_t type,
              uint32_t first_unit, FakeFiles& files) {
  files[NodeFolder(node) + "caches/" + std::to_string(index) + "/properties"] =
      Lines({{"processor_id_low", first_unit},
             {"level", level},
             {"size", kilobytes},
             {"cache_line_size", 64},
             {"cache_lines_per_tag", 1},
             {"association", 16},
             {"latency", 1},
             {"type", type}}) +
      "sibling_map 1,0,0,0\n";
}

void AddBank(uint32_t node, uint64_t bytes, uint32_t heap_type, FakeFiles& files) {
  files[NodeFolder(node) + "mem_banks/0/properties"] = Lines({{"heap_type", heap_type},
                                                              {"size_in_bytes", bytes},
                                                              {"flags", 0},
                                                              {"width", 64},
                                                              {"mem_clk_max", 945}});
}

Properties CpuPart(const FakeMachine& machine) {
  return {{"cpu_cores_count", machine.cpu_cores}, {"cpu_core_id_base", 0}};
}

Properties GpuPart(const FakeGpu& gpu) {
  const uint64_t svm_bit = gpu.svm ? 1ull << 27 : 0;
  Properties properties = {{"simd_count", 256 * gpu.xccs},
                           {"simd_id_base", 2147487744},
                           {"max_waves_per_simd", 10},
                           {"lds_size_in_kb", 64},
                           {"gds_size_in_kb", 0},
                           {"num_gws", 64},
                           {"wave_front_size", 64},
                           {"array_count", 4},
                           {"simd_arrays_per_engine", 1},
                           {"cu_per_simd_array", 16},
                           {"simd_per_cu", 4},
                           {"max_slots_scratch_cu", 32},
                           {"gfx_target_version", gpu.gfx_target_version},
                           {"vendor_id", 0x1002},
                           {"device_id", gpu.device_id},
                           {"location_id", (gpu.render_minor - 127) << 8},
                           {"domain", 0},
                           {"drm_render_minor", gpu.render_minor},
                           {"hive_id", gpu.hive_id},
                           {"num_sdma_engines", kFakeSdmaEngines},
                           {"num_sdma_xgmi_engines", 0},
                           {"num_sdma_queues_per_engine", kFakeSdmaQueuesPerEngine},
                           {"num_cp_queues", 24},
                           {"max_engine_clk_fcompute", 1600},
                           {"local_mem_size", 0},
                           {"fw_version", 464},
                           {"capability", 0x6280 | svm_bit},
                           {"debug_prop", 0},
                           {"sdma_fw_version", 430},
                           {"unique_id", 0x1000ull + gpu.gpu_id},
                           {"num_xcc", gpu.xccs},
                           {"max_engine_clk_ccompute", 2400}};
  if (gpu.tells_cwsr) {
    properties.emplace_back("cwsr_size", gpu.cwsr_bytes);
    properties.emplace_back("ctl_stack_size", gpu.ctl_stack_bytes);
  }
  return properties;
}

void Append(const Properties& more, Properties& all) {
  all.insert(all.end(), more.begin(), more.end());
}

void AddNode(const FakeMachine& machine, uint32_t node, const FakeGpu* gpu, FakeFiles& files) {
  const bool cpu = node == 0;
  Properties properties;
  if (cpu) Append(CpuPart(machine), properties);
  if (gpu) Append(GpuPart(*gpu), properties);
  const uint64_t caches = (cpu ? 2u : 0u) + (gpu ? 2u : 0u);
  Append({{"mem_banks_count", 1},
          {"caches_count", caches},
          {"io_links_count", machine.NodeCount() - 1},
          {"p2p_links_count", 0}},
         properties);

  files[NodeFolder(node) + "gpu_id"] = std::to_string(gpu ? gpu->gpu_id : 0) + '\n';
  files[NodeFolder(node) + "name"] = gpu ? "vega10\n" : "\n";
  files[NodeFolder(node) + "properties"] = Lines(properties);
  if (cpu)
    AddBank(node, machine.system_memory_bytes, 0, files);
  else
    AddBank(node, gpu->vram_bytes, gpu->large_bar ? 1 : 2, files);

  uint32_t cache = 0;
  if (cpu) {
    AddCache(node, cache++, 1, 32, 5, 0, files);
    AddCache(node, cache++, 2, 1024, 5, 0, files);
  }
  if (gpu) {
    AddCache(node, cache++, 1, 16, 9, 2147487744u, files);
    AddCache(node, cache++, 2, 4096, 9, 2147487744u, files);
  }
  AddLinks(machine, node, files);
}

std::string CpuInfo(uint32_t cores) {
  std::string text;
  for (uint32_t core = 0; core < cores; ++core) {
    text +=
        "processor\t: " + std::to_string(core) +
        "\nvendor_id\t: AuthenticAMD\nmodel name\t: Fake CPU\napicid\t\t: " + std::to_string(core) +
        "\n\n";
  }
  return text;
}

}  // namespace

uint32_t FakeMachine::NodeCount() const {
  return static_cast<uint32_t>(gpus.size()) + (merged_apu ? 0 : 1);
}

uint32_t FakeMachine::NodeOf(size_t gpu) const {
  return static_cast<uint32_t>(gpu) + (merged_apu ? 0 : 1);
}

FakeMachine MakeFakeMachine(int gpu_count) {
  FakeMachine machine;
  for (int i = 0; i < gpu_count; ++i) {
    FakeGpu gpu;
    gpu.gpu_id = 0x1d00u + 0x101u * static_cast<uint32_t>(i + 1);
    gpu.render_minor = 128u + static_cast<uint32_t>(i);
    machine.gpus.push_back(gpu);
  }
  return machine;
}

FakeFiles MakeTopologyFiles(const FakeMachine& machine) {
  FakeFiles files;
  files[kTopology + std::string("generation_id")] = "2\n";
  files[kTopology + std::string("system_properties")] =
      "platform_oem 0\nplatform_id 0\nplatform_rev 0\n";
  for (uint32_t node = 0; node < machine.NodeCount(); ++node) {
    const bool has_gpu = node > 0 || machine.merged_apu;
    const size_t gpu = machine.merged_apu ? node : node - 1;
    AddNode(machine, node, has_gpu ? &machine.gpus[gpu] : nullptr, files);
  }
  files["/proc/cpuinfo"] = CpuInfo(machine.cpu_cores);
  return files;
}

}  // namespace kfdcts::thunk
