#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "harness/vgpu/memory/gpu_memory.h"

namespace kfdcts::vgpu {

enum class QueueKind : std::uint8_t { kGfx, kCompute, kAql, kSdma };

/// A queue that is off has no ring. A halted one has met a fault without retry or a bad packet and
/// stays so until it is loaded anew.
enum class QueueState : std::uint8_t { kOff, kIdle, kRunnable, kWaiting, kStalled, kHalted };

/// Packets that a ring packet jumped to.
struct IndirectBuffer {
  AddressSpace space;
  std::uint64_t base;
  std::uint32_t dwords;
  std::uint32_t position;  ///< Of the next packet, in dwords.
  std::uint32_t
      packet_dwords;  ///< Length of the packet that jumped here, passed only on the way back.
};

/// The reader of one ring: where it is, what it waits for. Which packets there are is the engine's
/// matter. Pointers count dwords and never wrap; the ring's size is a power of two.
struct Queue {
  static constexpr unsigned kMaxIndirectDepth = 2;
  static constexpr std::uint32_t kNoDoorbell = UINT32_MAX;

  QueueKind kind = QueueKind::kGfx;
  QueueState state = QueueState::kOff;
  bool kernel = true;  ///< The driver's own: may touch registers, is never halted.
  std::uint8_t me = 0, pipe = 0, slot = 0;
  std::uint8_t engine = 0;  ///< SDMA engine.
  AddressSpace space = {Hub::kGfx, 0};
  std::uint32_t doorbell = kNoDoorbell;  ///< Byte offset in the doorbell BAR; 0 is the KIQ's.

  std::uint64_t base = 0, dwords = 0;
  std::uint64_t rptr = 0, wptr = 0;
  std::array<IndirectBuffer, kMaxIndirectDepth> indirect = {};
  unsigned depth = 0;  ///< Of `indirect`; the last is the one being read.
  /// Where a preempted queue was inside the indirect buffer that its next ring packet jumps to;
  /// position 0 for nowhere, dwords 0 where only the position is known.
  IndirectBuffer resume = {};

  std::uint64_t rptr_report = 0;  ///< Where the read pointer is reported, 0 for nowhere.
  std::uint64_t wptr_poll = 0;    ///< Where the write pointer is in memory, 0 for nowhere.
  bool report_due = false;        ///< The read pointer has moved and was not reported yet.
  bool poll_due = false;          ///< The write pointer is to be read from memory first.
  bool polling = false;           ///< It is to be read again and again.
  bool draining = false;          ///< Is switched off once it has left its indirect buffer.

  std::uint64_t progress = 0;  ///< Of the packet at hand, meaning the packet's own; 0 at its start.
  std::uint64_t pre_op = 0;    ///< What the last atomic found (COPY_DATA's ATOMIC_RETURN_DATA).
  bool fenced = false;         ///< A fence was written since the last trap.
  std::uint64_t wake_ns = 0;   ///< When a waiting or stalled queue tries again.
  std::uint64_t interval_ns = 0;
  std::uint64_t stalled_at = 0;  ///< GpuMemory::InvalidationCount at the fault.

  bool on() const { return state != QueueState::kOff; }
  bool empty() const { return depth == 0 && rptr == wptr && !poll_due && !report_due; }
  /// Has work that it could not finish yet.
  bool busy() const { return on() && state != QueueState::kIdle && state != QueueState::kHalted; }
  /// Whether a step may find something to do.
  bool Ready(std::uint64_t now_ns, std::uint64_t invalidations) const;

  /// The space that packets being read live in.
  AddressSpace current_space() const { return depth ? indirect[depth - 1].space : space; }
  /// Dwords left in the buffer being read.
  std::uint64_t available() const;
  /// Reads dwords from `offset` behind the next packet's header on, wrapping around the ring. Never
  /// more than available().
  std::optional<Fault> Fetch(GpuMemory& memory, std::uint64_t offset,
                             std::span<std::uint32_t> out) const;
  /// Goes `count` dwords ahead (at most available()) and leaves indirect buffers that have been
  /// read.
  void Advance(std::uint64_t count);
  /// Jumps to a buffer, or to the place in it where the queue was preempted. False where the
  /// nesting is too deep.
  bool Enter(const IndirectBuffer& buffer);

  /// Sets `wptr` to what a doorbell or register said and wakes the queue.
  void SetWptr(std::uint64_t value);
  void Wake();
  std::string Name() const;
};

/// A 32-bit write pointer, continued to 64 bits so that it is not before `rptr`.
std::uint64_t ExtendPointer(std::uint32_t value, std::uint64_t rptr);

/// The 64-bit read pointer of which only the part inside the ring is known, at or before `wptr`.
std::uint64_t RecoverRptr(std::uint64_t rptr, std::uint64_t wptr, std::uint64_t dwords);

}  // namespace kfdcts::vgpu
