#pragma once

#include <cstdint>

#include "harness/gpu/topology.h"

namespace kfdcts::gpu {

/// Sizes of a compute queue's context save area, as CREATE_QUEUE wants them (kernel: kfd_queue.c).
struct ContextSaveSizes {
  std::uint32_t control_stack = 0;  ///< ctl_stack_size: must match exactly.
  std::uint32_t save_restore =
      0;                       ///< ctx_save_restore_size: one XCC's control stack and wave data.
  std::uint32_t debugger = 0;  ///< Behind it, one XCC.
  std::uint64_t mapping = 0;   ///< Bytes of the one mapping that holds it all, for all XCCs.
};

/// From the node's cwsr_size and ctl_stack_size where the kernel gives them, else by the kernel's
/// formula. GPUs older than gfx8 save nothing: all 0.
ContextSaveSizes ContextSaveSizesOf(const GpuNode& gpu);

/// Bytes of the end-of-pipe buffer that a PM4 queue needs.
std::uint32_t EndOfPipeBytes(const GpuNode& gpu);

}  // namespace kfdcts::gpu
