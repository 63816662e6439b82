#include "thunk/src/topology/topology.h"

#include <algorithm>

#include "thunk/src/topology/reader.h"

namespace kfdcts::thunk {

TopologyResult Topology::Read(SystemCalls& calls, const GpuCheck& check, const std::string& root) {
  return TopologyReader(calls, check, root).Read();
}

std::optional<std::uint32_t> Topology::NodeOf(std::uint32_t gpu_id) const {
  const auto found =
      std::lower_bound(node_of_gpu_.begin(), node_of_gpu_.end(), std::pair(gpu_id, 0u));
  if (found == node_of_gpu_.end() || found->first != gpu_id) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> Topology::GpuIdOf(std::uint32_t node) const {
  const Node* found = Find(node);
  if (found == nullptr) return std::nullopt;
  return found->gpu_id;
}

}  // namespace kfdcts::thunk
