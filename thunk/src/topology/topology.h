#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/kernel/system_calls.h"
#include "thunk/src/topology/node.h"

namespace kfdcts::thunk {

/// What becomes of a GPU whose node can be read.
enum class GpuVerdict {
  kUse,
  kDrop,  ///< Left out, as if it were not there: its render node is not this process's (container).
  kFail,  ///< The whole read fails with HSAKMT_STATUS_ERROR.
};

/// Decides on a GPU by its gpu_id and numbers (drm_render_minor); links and banks are not read yet.
/// Called once a GPU node, in order of sysfs number, and again if the kernel's topology changed
/// meanwhile.
using GpuCheck = std::function<GpuVerdict(const Node&)>;

struct TopologyResult;

/// The kernel's topology at one moment. Never changes; threads may share it.
///
/// What is odd in sysfs and what becomes of it:
/// - an entry of nodes/ whose name is not a decimal number as the kernel writes it: ignored.
///   Numbers may have gaps: the API's node numbers are those of the nodes in use, counted from 0;
/// - a node whose gpu_id the kernel refuses with EPERM (the cgroup's device list): left out;
/// - a GPU on which the check says kDrop: left out;
/// - a link to a node that is left out or does not exist, or whose file is refused with EPERM:
///   skipped;
/// - a link whose node_from is another node: HSAKMT_STATUS_INVALID_NODE_UNIT;
/// - system_properties, a node's gpu_id or properties, or a bank's, cache's or link's file that a
///   count promises: HSAKMT_STATUS_ERROR if it is missing, unreadable or empty;
/// - generation_id missing or not a number, gpu_id not a number of 32 bits: HSAKMT_STATUS_ERROR;
/// - two nodes of one gpu_id: NodeOf gives the first;
/// - anything else within a file: see FillProperties. Counts are believed only as far as there are
///   files;
/// - generation_id is another after the read than before: all is read again, up to kMaxAttempts
///   times, then HSAKMT_STATUS_ERROR. An error on the way counts only if it is the same.
class Topology {
 public:
  static constexpr const char* kRoot = "/sys/devices/virtual/kfd/kfd/topology";
  static constexpr int kMaxAttempts = 100;

  /// Reads each file of sysfs once. Where a CPU's node has no caches in KFD's folder, they come
  /// from /sys/devices/system. Throws only std::bad_alloc and what the check throws.
  static TopologyResult Read(SystemCalls& calls, const GpuCheck& check,
                             const std::string& root = kRoot);

  const System& system() const { return system_; }
  /// By the API's node number.
  const std::vector<Node>& nodes() const { return nodes_; }
  /// Null where there is no such node.
  const Node* Find(std::uint32_t node) const {
    return node < nodes_.size() ? &nodes_[node] : nullptr;
  }
  /// All folders of sysfs that are nodes, those left out too: room that
  /// AMDKFD_IOC_GET_PROCESS_APERTURES_NEW may need.
  std::size_t sysfs_node_count() const { return sysfs_node_count_; }

  /// The API's number of the node with this GPU. Logarithmic. Nothing for 0 or an unknown one.
  std::optional<std::uint32_t> NodeOf(std::uint32_t gpu_id) const;
  /// 0 for a CPU's node; nothing where there is no such node.
  std::optional<std::uint32_t> GpuIdOf(std::uint32_t node) const;

 private:
  friend class TopologyReader;

  System system_;
  std::vector<Node> nodes_;
  std::size_t sysfs_node_count_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> node_of_gpu_;  ///< Sorted by gpu_id.
};

struct TopologyResult {
  HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
  std::string error;                         ///< Which file and what about it; empty on success.
  std::shared_ptr<const Topology> topology;  ///< Null on failure.
};

}  // namespace kfdcts::thunk
