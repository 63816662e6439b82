#pragma once

#include <cstdint>
#include <span>

#include "harness/gpu/wait.h"
#include "harness/work/thunk_memory.h"

namespace kfdcts::harness {

/// What executes the packets. No shaders: every GPU since gfx9 does both.
enum class Engine { kSdma, kPm4 };
const char* NameOf(Engine engine);

/// The queue alone: ring, pointers and doorbell, by hsaKmtCreateQueue. Destroyed at the end. Refers
/// to the thunk's table.
class WorkQueue {
 public:
  /// Throws std::runtime_error.
  WorkQueue(const ThunkApi& thunk, const GpuNode& gpu, Engine engine);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  HSA_QUEUEID id() const { return resource_.QueueId; }

  /// Puts whole packets into the ring once the GPU has made room for them, then rings the doorbell.
  /// False where there was no room before the deadline; nothing was put then. Throws
  /// std::length_error for more than the ring ever holds.
  bool Submit(std::span<const std::uint32_t> words, const gpu::Deadline& deadline);

  /// Most words of one Submit.
  std::size_t capacity() const;

 private:
  std::uint64_t Used() const;
  void Ring();

  const ThunkApi& thunk_;
  Engine engine_;
  ThunkMemory ring_;
  HsaQueueResource resource_{};
  std::uint64_t written_ = 0;  // words since the queue was made
};

}  // namespace kfdcts::harness
