#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "thunk/src/context/gpu.h"
#include "thunk/src/kernel/kfd.h"
#include "thunk/src/memory/memory.h"

namespace kfdcts::thunk {

/// The process's doorbells of each GPU: one mapping a GPU, made for its first queue and kept for
/// later ones. Any thread may call.
class Doorbells {
 public:
  /// Both outlive this.
  Doorbells(const Kfd& kfd, Memory& memory) : kfd_(kfd), memory_(memory) {}
  ~Doorbells() { Release(); }
  Doorbells(const Doorbells&) = delete;
  Doorbells& operator=(const Doorbells&) = delete;

  /// The doorbell of a queue, by what CREATE_QUEUE answered. Null where it cannot be mapped.
  void* Find(const Gpu& gpu, std::uint64_t doorbell_offset, std::uint32_t queue_id);

  /// Unmaps all. No queue is left.
  void Release();
  /// In a forked child: they are not in its address space.
  void AbandonInChild() { mappings_.clear(); }

 private:
  struct Mapping {
    void* address = nullptr;
    std::size_t size = 0;
    Memory::Internal memory;  ///< Where it is mapped for the GPU as well.
  };

  bool Map(const Gpu& gpu, std::uint64_t offset, Mapping& mapping);

  const Kfd& kfd_;
  Memory& memory_;
  std::mutex mutex_;
  std::map<std::uint32_t, Mapping> mappings_;  ///< By node.
};

}  // namespace kfdcts::thunk
