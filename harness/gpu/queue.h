#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/gpu/aql_packets.h"
#include "harness/gpu/buffer.h"
#include "harness/gpu/wait.h"

namespace kfdcts::gpu {

enum class QueueType { kSdma, kPm4, kAql };

const char* Name(QueueType type);

/// All memory of a user queue, each piece a mapping of exactly the size that CREATE_QUEUE of newer
/// kernels checks.
struct QueueMemory {
  static constexpr std::uint64_t kWritePointer = 0, kReadPointer = 128;  ///< Offsets in `pointers`.

  /// `ring_bytes` is a power of two and at least a page; the context save area, which is large, is
  /// of `save_kind`. Throws GpuError.
  QueueMemory(Gpu& gpu, QueueType queue_type, std::uint32_t ring_bytes,
              BufferKind save_kind = BufferKind::kVramPrivate);

  /// CREATE_QUEUE's arguments for a queue in this memory.
  kfd_ioctl_create_queue_args Arguments() const;

  Gpu& gpu;
  QueueType type;
  Buffer ring, pointers;
  std::optional<Buffer> end_of_pipe, context_save;  ///< Compute queues only.
};

/// A user queue of one GPU. Destroyed at the end. Refers to its Gpu. One thread at a time.
class Queue {
 public:
  struct Options {
    std::uint32_t ring_bytes = 64 * 1024;
    std::uint32_t percentage = 100;
    std::uint32_t priority = 7;
    BufferKind save_kind = BufferKind::kVramPrivate;  ///< See QueueMemory.
  };

  /// Throws GpuError.
  Queue(Gpu& gpu, QueueType type) : Queue(gpu, type, Options{}) {}
  Queue(Gpu& gpu, QueueType type, const Options& options)
      : Queue(QueueMemory(gpu, type, options.ring_bytes, options.save_kind), options) {}
  Queue(QueueMemory memory, const Options& options);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  QueueType type() const { return memory_.type; }
  std::uint32_t id() const { return id_; }
  const QueueMemory& memory() const { return memory_; }

  /// Puts whole packets into the ring once the GPU has made room for all of them, then rings the
  /// doorbell. False where it made none before the deadline; nothing was put then. Throws
  /// std::length_error for more than the ring holds.
  bool Submit(std::span<const std::uint32_t> words,
              const Deadline& deadline = Deadline(kGpuTimeout));
  template <class Packets>
  requires requires(const Packets& packets) { packets.words(); }
  bool Submit(const Packets& packets, const Deadline& deadline = Deadline(kGpuTimeout)) {
    return Submit(packets.words(), deadline);
  }

  /// The GPU's read pointer has come to the write pointer.
  bool Idle() const;
  bool WaitIdle(const Deadline& deadline = Deadline(kGpuTimeout)) const;

  /// UPDATE_QUEUE with the same ring: 0 or the errno. A percentage of 0 stops the queue.
  int Update(std::uint32_t percentage, std::uint32_t priority);
  /// 0 or the errno.
  int Destroy();

 private:
  std::uint64_t Used() const;
  void Ring();

  QueueMemory memory_;
  std::uint32_t id_ = 0;
  bool exists_ = false;
  volatile std::uint64_t* doorbell_ = nullptr;
  std::uint64_t written_ = 0;  // words since the queue was made
};

}  // namespace kfdcts::gpu
