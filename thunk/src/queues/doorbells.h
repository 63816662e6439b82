#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "thunk/src/context/gpu.h"
#include "thunk/src/kernel/kfd.h"
#include "thunk/src/memory/memory.h"

namespace kfdcts::thunk {

/// The process's doorbells of each GPU: one mapping a GPU, made for its first queue and kept for
/// later ones, at an address that the GPU rings them by as well where it can. Any thread may call.
class Doorbells {
 public:
  /// All outlive this.
  Doorbells(const Kfd& kfd, Memory& memory, std::span<const Gpu> gpus)
      : kfd_(kfd), memory_(memory), gpus_(gpus), mappings_(gpus.size()) {}
  ~Doorbells() { Release(); }
  Doorbells(const Doorbells&) = delete;
  Doorbells& operator=(const Doorbells&) = delete;

  /// The doorbell of a queue of one of the GPUs, by what CREATE_QUEUE answered. Null where it
  /// cannot be mapped.
  void* Find(const Gpu& gpu, std::uint64_t doorbell_offset, std::uint32_t queue_id) noexcept;

  /// Unmaps all. No queue is left.
  void Release();
  /// In a forked child: they are not in its address space.
  void AbandonInChild();

 private:
  struct Mapping {
    void* address = nullptr;  ///< Null: not mapped.
    std::size_t size = 0;
    Memory::Internal memory;  ///< Where it is mapped for the GPU as well.
  };

  bool Map(const Gpu& gpu, std::uint64_t offset, Mapping& mapping) noexcept;
  bool MapForGpu(const Gpu& gpu, std::uint64_t offset, Mapping& mapping) noexcept;

  const Kfd& kfd_;
  Memory& memory_;
  std::span<const Gpu> gpus_;
  std::mutex mutex_;
  std::vector<Mapping> mappings_;  ///< By place of the GPU.
};

}  // namespace kfdcts::thunk
