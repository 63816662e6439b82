#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kfdcts::gpu {

/// A GPU of the KFD topology.
struct GpuNode {
  unsigned node = 0;                                ///< Folder number in nodes/.
  std::uint32_t gpu_id = 0;                         ///< Never 0.
  std::string name;                                 ///< The file "name"; empty where it is missing.
  std::map<std::string, std::uint64_t> properties;  ///< The file "properties".
  std::uint64_t vram_bytes = 0;
  bool vram_is_public = false;  ///< All of it can be mapped by the CPU (large BAR).

  /// 0 where the kernel does not give it.
  std::uint64_t Property(const std::string& key) const;
  bool Has(const std::string& key) const { return properties.contains(key); }
};

struct Topology {
  std::vector<GpuNode> gpus;  ///< In the order of their nodes.
  unsigned nodes = 0;         ///< All of them, CPUs too.
};

inline constexpr const char* kTopologyPath = "/sys/devices/virtual/kfd/kfd/topology";

/// Reads the topology below `root`. Nodes that may not be read (a device cgroup) are left out;
/// without the folder the topology is empty. Throws std::runtime_error with file and line for text
/// that is not "key number" a line.
Topology ReadTopology(const std::filesystem::path& root = kTopologyPath);

}  // namespace kfdcts::gpu
