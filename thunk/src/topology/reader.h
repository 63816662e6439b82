#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "thunk/src/topology/cpu_info.h"
#include "thunk/src/topology/topology.h"

namespace kfdcts::thunk {

/// What ends a read of the topology; does not leave Topology::Read.
struct TopologyFailure {
  HSAKMT_STATUS status;
  std::string text;
};

/// Reads one snapshot: the working part of Topology::Read.
class TopologyReader {
 public:
  TopologyReader(SystemCalls& calls, const GpuCheck& check, const std::string& root)
      : calls_(calls), check_(check), root_(root) {}

  TopologyResult Read();

 private:
  void ReadOnce(Topology& topology);
  std::uint64_t Generation();
  System ReadSystem();
  std::vector<std::uint32_t> ListNodes();
  /// False: the node is left out.
  bool ReadNode(std::uint32_t sysfs_id, Node& node);
  void ReadParts(Node& node);
  std::vector<MemoryBank> ReadBanks(const Node& node);
  std::vector<Cache> ReadCaches(const Node& node);
  void ReadLinks(Node& node, const char* kind, std::uint64_t count);
  void TranslateLinks(std::vector<Node>& nodes);

  std::string NodePath(std::uint32_t sysfs_id, std::string_view file) const;
  /// Throws TopologyFailure unless there is something in the file.
  const std::string& ReadPromised(const std::string& path);

  SystemCalls& calls_;
  const GpuCheck& check_;
  const std::string& root_;
  CpuInfo cpus_;
  bool peer_links_told_ = false;  ///< Some node has the key p2p_links_count.
  std::string text_;              ///< The file just read.
};

}  // namespace kfdcts::thunk
