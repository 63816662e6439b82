#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/context/gpu.h"
#include "thunk/src/kernel/kfd.h"
#include "thunk/src/memory/memory.h"
#include "thunk/src/queues/context_save.h"

namespace kfdcts::thunk {

/// What a caller of hsaKmtCreateQueueExt wants.
struct QueueRequest {
  HSAuint32 node = 0;
  HSA_QUEUE_TYPE type = HSA_QUEUE_COMPUTE;
  HSAuint32 percentage = 0;  ///< Bits 0…7: 0…100, 0 stops; 8…15: the XCC that runs a PM4 queue.
  HSA_QUEUE_PRIORITY priority = HSA_QUEUE_PRIORITY_NORMAL;
  HSAuint32 sdma_engine = 0;        ///< For HSA_QUEUE_SDMA_BY_ENG_ID.
  void* ring = nullptr;             ///< The caller's, mapped on the node's GPU.
  HSAuint64 ring_bytes = 0;         ///< A power of two below 4 GiB, all of the ring's mapping.
  const HsaEvent* event = nullptr;  ///< Set on the queue's exceptions; may be null.
};

/// A user queue and the memory that it needs besides the caller's ring. Create() once, and before
/// all else; the rest may come from any thread and locks.
class Queue {
 public:
  /// `kfd`, `memory` and `gpu` outlive this.
  Queue(const Kfd& kfd, Memory& memory, const Gpu& gpu) : kfd_(kfd), memory_(memory), gpu_(gpu) {}
  /// Gives back its memory. The kernel must have no queue in it.
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Allocates and makes it. `resource` goes in with an AQL queue's pointers and the error payload;
  /// on success only the pointers of all other queues are filled in, and `doorbell_offset` is the
  /// kernel's. NO_MEMORY; INVALID_PARAMETER: the kernel does not take the arguments; else StatusOf.
  HSAKMT_STATUS Create(const QueueRequest& request, const NodeNumbers& numbers,
                       HsaQueueResource& resource, std::uint64_t& doorbell_offset);

  /// INVALID_HANDLE from here on where the queue is gone. `percentage` and the ring as in a
  /// request; no ring stops the queue. INVALID_PARAMETER: no priority, or 4 GiB and more; ERROR
  /// where the kernel refuses.
  HSAKMT_STATUS Update(HSAuint32 percentage, HSA_QUEUE_PRIORITY priority, const void* ring,
                       HSAuint64 ring_bytes);
  /// On ERROR it may be gone or not: exists() says.
  HSAKMT_STATUS Destroy();
  /// Bits of the kernel's limit and no more are kept.
  HSAKMT_STATUS SetCuMask(std::span<const HSAuint32> mask);
  /// Writes `info` on success only. ERROR also for a queue that saves nothing or runs.
  HSAKMT_STATUS Describe(HsaQueueInfo& info);
  /// INVALID_PARAMETER, OUT_OF_RESOURCES: another queue has it; NOT_SUPPORTED; ERROR.
  HSAKMT_STATUS AllocateGws(HSAuint32 count, HSAuint32* first);

  std::uint32_t id() const { return id_; }
  bool exists() const { return exists_; }
  /// In a forked child nothing is given back.
  void AbandonInChild();

 private:
  /// The greatest mask that the kernel looks at.
  static constexpr std::size_t kMostCuWords = 1024 / 32;

  HSAKMT_STATUS AllocateSystemMemory(const NodeNumbers& numbers, const QueueRequest& request,
                                     HsaQueueResource& resource);
  HSAKMT_STATUS AllocateForCompute(const NodeNumbers& numbers, const QueueRequest& request,
                                   const HsaQueueResource& resource);
  bool Allocate(std::uint64_t bytes, Memory::InternalKind kind, Memory::Internal& memory);
  void SelectAllCus(const NodeNumbers& numbers);

  const Kfd& kfd_;
  Memory& memory_;
  const Gpu& gpu_;

  std::mutex mutex_;
  std::uint32_t id_ = 0;  ///< The kernel's.
  std::atomic<bool> exists_{false};
  Memory::Internal pointers_;  ///< Read and write pointer, a page as the kernel wants them.
  Memory::Internal end_of_pipe_;
  Memory::Internal context_save_;
  ContextSaveLayout layout_;
  std::array<HSAuint32, kMostCuWords> cu_mask_{};  ///< Callers get its address.
  HSAuint32 cu_count_ = 0;                         ///< Bits in it, a multiple of 32.
};

}  // namespace kfdcts::thunk
