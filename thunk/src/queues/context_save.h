#pragma once

#include <cstdint>

#include "hsakmt/types/queue.h"
#include "thunk/src/topology/node.h"

namespace kfdcts::thunk {

/// Where a compute queue's waves go when it is preempted: an area for each XCC (control stack, then
/// wave data), behind them all the debugger's memory. Bytes, as CREATE_QUEUE checks them (kernel:
/// kfd_queue.c).
struct ContextSaveLayout {
  std::uint32_t control_stack = 0;
  std::uint32_t area = 0;      ///< Of one XCC.
  std::uint32_t debugger = 0;  ///< Of one XCC.
  std::uint32_t xccs = 1;

  /// Of the one mapping that holds it, whole pages; 0: the GPU saves nothing.
  std::uint64_t MappingBytes() const;
};

/// By the sizes that the kernel tells, or its formula where it tells none. GPUs before gfx8 save
/// nothing.
ContextSaveLayout ContextSaveLayoutOf(const NodeNumbers& gpu);

/// Writes the header of each XCC's area; `error_event` 0 and `error_reason` null where the caller
/// has none.
void WriteContextSaveHeaders(const ContextSaveLayout& layout, void* start,
                             std::uint32_t error_event, volatile HSAint64* error_reason);

/// Bytes of the end-of-pipe buffer; 0: the queue needs none.
std::uint32_t EndOfPipeBytes(std::uint64_t gfx_version, bool aql);

}  // namespace kfdcts::thunk
