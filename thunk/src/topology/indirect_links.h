#pragma once

#include <cstddef>
#include <vector>

#include "thunk/src/topology/node.h"

namespace kfdcts::thunk {

/// More nodes than any kernel had that left indirect links to the thunk; with more, none are made.
inline constexpr std::size_t kMaxNodesForIndirectLinks = 256;

/// Adds to each node the links that kernels from before p2p_links do not tell of: GPU-CPU-GPU,
/// GPU-CPU-CPU-GPU and GPU-CPU-CPU either way. Such a link needs a PCIe or XGMI link of weight 20
/// or less between each GPU and its CPU, a destination whose VRAM the CPU can map, and no common
/// hive; over QPI with a weight above 20 (two sockets) GPUs do not reach each other. Its weight is
/// the sum of the parts', its type that of the part that leads away from the GPU's CPU (to it, if
/// the source is a CPU).
void AddIndirectLinks(std::vector<Node>& nodes);

}  // namespace kfdcts::thunk
