#include "harness/gpu/topology.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace kfdcts::gpu {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kHeapFramebufferPublic = 1;
constexpr std::uint64_t kHeapFramebufferPrivate = 2;

std::optional<std::string> ReadText(const fs::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  std::ostringstream text;
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (in.bad()) return std::nullopt;
  return text.str();
}

std::map<std::string, std::uint64_t> ReadProperties(const fs::path& file) {
  std::map<std::string, std::uint64_t> properties;
  std::istringstream text(ReadText(file).value_or(""));
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    std::istringstream fields(line);
    std::string key;
    std::uint64_t value = 0;
    if (!(fields >> key >> value)) {
      throw std::runtime_error(file.string() + ":" + std::to_string(number) +
                               ": not \"key number\": " + line);
    }
    properties[key] = value;
  }
  return properties;
}

void ReadMemoryBanks(const fs::path& node, GpuNode& gpu) {
  for (std::uint64_t bank = 0; bank < gpu.Property("mem_banks_count"); ++bank) {
    const auto properties =
        ReadProperties(node / "mem_banks" / std::to_string(bank) / "properties");
    const auto heap = properties.find("heap_type");
    const auto size = properties.find("size_in_bytes");
    if (heap == properties.end() || size == properties.end()) continue;
    if (heap->second != kHeapFramebufferPublic && heap->second != kHeapFramebufferPrivate) continue;
    gpu.vram_bytes += size->second;
    gpu.vram_is_public = heap->second == kHeapFramebufferPublic;
  }
}

std::optional<GpuNode> ReadGpu(const fs::path& folder) {
  const auto id = ReadText(folder / "gpu_id");
  if (!id || id->empty()) return std::nullopt;
  GpuNode gpu;
  gpu.gpu_id = static_cast<std::uint32_t>(std::stoul(*id));
  if (gpu.gpu_id == 0) return std::nullopt;
  gpu.name = ReadText(folder / "name").value_or("");
  gpu.name.erase(std::find(gpu.name.begin(), gpu.name.end(), '\n'), gpu.name.end());
  gpu.properties = ReadProperties(folder / "properties");
  ReadMemoryBanks(folder, gpu);
  return gpu;
}

}  // namespace

std::uint64_t GpuNode::Property(const std::string& key) const {
  const auto found = properties.find(key);
  return found == properties.end() ? 0 : found->second;
}

Topology ReadTopology(const fs::path& root) {
  Topology topology;
  while (fs::is_directory(root / "nodes" / std::to_string(topology.nodes))) {
    const unsigned node = topology.nodes++;
    if (auto gpu = ReadGpu(root / "nodes" / std::to_string(node))) {
      gpu->node = node;
      topology.gpus.push_back(*std::move(gpu));
    }
  }
  return topology;
}

}  // namespace kfdcts::gpu
