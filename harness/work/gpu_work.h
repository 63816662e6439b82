#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "harness/gpu/wait.h"
#include "harness/test_support/gpu_node.h"
#include "harness/thunk/thunk.h"
#include "harness/work/work_packets.h"
#include "harness/work/work_queue.h"
#include "harness/work/work_result.h"

namespace kfdcts::harness {

/// Memory accesses of one GPU: a user queue made by hsaKmtCreateQueue, its memory by
/// hsaKmtAllocMemory, and the packets of the GPU's generation. Addresses are this process's, of
/// memory that the GPU may see or (on purpose) not. Everything is given back at the end; a queue
/// whose work never ended is destroyed with it.
///
/// While one exists the process has a queue, so that XNACK's mode cannot change (XNK-2). After a
/// fault without retry the kernel keeps the process's queues evicted: a test that wants to work on
/// runs in a process of its own. One thread at a time. Refers to the thunk's table.
class GpuWork {
 public:
  /// What KFD keeps for one: a queue and two events.
  static constexpr std::size_t kKfdObjects = 3;

  /// Throws std::runtime_error where queue or memory cannot be had.
  GpuWork(const ThunkApi& thunk, const GpuNode& gpu, Engine engine = Engine::kSdma);
  ~GpuWork();
  GpuWork(const GpuWork&) = delete;
  GpuWork& operator=(const GpuWork&) = delete;

  const GpuNode& gpu() const;
  Engine engine() const;

  /// KFD's number of the queue in this process.
  HSA_QUEUEID queue_id() const;

  // Each waits for its end, but no longer than gpu::kGpuTimeout.

  WorkResult Write(void* address, std::uint32_t value);
  WorkResult Write(void* address, std::span<const std::uint32_t> values);
  /// `bytes` is a multiple of four.
  WorkResult Fill(void* address, std::uint32_t value, std::size_t bytes);
  WorkResult Copy(void* destination, const void* source, std::size_t bytes);
  /// `value` is written on success only.
  WorkResult Read(const void* address, std::uint32_t& value);
  /// Copies `out.size()` bytes at `address` to `out` by way of memory of its own.
  WorkResult Read(const void* address, std::span<std::byte> out);
  /// `compare` is used by compare-and-swap only.
  WorkResult Atomic(AtomicOp op, void* address, std::uint64_t operand, std::uint64_t compare = 0);

  // The same in two steps: Start… submits and returns at once. Throws std::runtime_error where the
  // ring is full of work that does not end.

  using Ticket = std::uint32_t;
  Ticket StartWrite(void* address, std::uint32_t value);
  Ticket StartFill(void* address, std::uint32_t value, std::size_t bytes);
  Ticket StartCopy(void* destination, const void* source, std::size_t bytes);
  Ticket StartAtomic(AtomicOp op, void* address, std::uint64_t operand, std::uint64_t compare = 0);
  /// Work that ends when the 32 bits at `address` (GPU-visible) equal `value`.
  Ticket StartWaitFor(const void* address, std::uint32_t value);

  bool Done(Ticket ticket) const;
  /// Waits for all work up to the ticket, and no longer than to the first exception event.
  WorkResult Finish(Ticket ticket, const gpu::Deadline& deadline = gpu::Deadline(gpu::kGpuTimeout));

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace kfdcts::harness
