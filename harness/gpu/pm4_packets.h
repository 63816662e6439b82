#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/gpu/generation.h"
#include "harness/gpu/packet_operations.h"

namespace kfdcts::gpu {

/// Type-3 packets for a PM4 compute queue in the formats of a generation (kernel: soc15d.h, nvd.h).
/// Addresses are GPU virtual addresses.
class Pm4Packets {
 public:
  using Compare = gpu::Compare;
  enum class Width { k32, k64 };
  /// What RELEASE_MEM writes, and whether it interrupts after the write.
  enum class Release : std::uint32_t { kNothing = 0, kData32 = 1, kData64 = 2, kGpuClock = 3 };
  enum class Interrupt : std::uint32_t { kNone = 0, kAlways = 1, kAfterWrite = 2 };

  explicit Pm4Packets(Generation generation = Generation::kGfx9) : generation_(generation) {}

  Pm4Packets& WriteData(std::uint64_t destination, std::span<const std::uint32_t> words);
  Pm4Packets& WriteData(std::uint64_t destination, std::uint32_t word) {
    return WriteData(destination, {&word, 1});
  }
  Pm4Packets& CopyData(std::uint64_t destination, std::uint64_t source, Width width);
  Pm4Packets& CopyImmediate(std::uint64_t destination, std::uint64_t value, Width width);
  /// The GPU's clock counter, 64 bits.
  Pm4Packets& CopyClock(std::uint64_t destination);
  /// Waits until (memory & mask) compares with `reference`.
  Pm4Packets& WaitRegMem(std::uint64_t address, std::uint32_t reference,
                         std::uint32_t mask = 0xffffffff, Compare compare = Compare::kEqual);
  using AtomicOp = gpu::AtomicOp;
  /// `compare` is used by compare-and-swap only.
  Pm4Packets& Atomic(AtomicOp op, std::uint64_t address, std::uint64_t operand,
                     std::uint64_t compare = 0);
  /// At most 2^21 − 1 bytes.
  Pm4Packets& DmaCopy(std::uint64_t destination, std::uint64_t source, std::uint32_t bytes);
  /// `bytes` is a multiple of four.
  Pm4Packets& DmaFill(std::uint64_t destination, std::uint32_t value, std::uint32_t bytes);
  /// End of pipe: caches are written back, then `data` is written and an interrupt with
  /// `context_id` raised.
  Pm4Packets& ReleaseMem(std::uint64_t address, std::uint64_t data, Release what = Release::kData64,
                         Interrupt interrupt = Interrupt::kNone, std::uint32_t context_id = 0);
  /// Invalidates the caches over all memory.
  Pm4Packets& AcquireMem();
  /// `words` words (at least two) that do nothing.
  Pm4Packets& Nop(std::uint32_t words);
  /// A word as it is, for malformed packets.
  Pm4Packets& Raw(std::uint32_t word);

  std::span<const std::uint32_t> words() const { return words_; }

 private:
  Pm4Packets& Packet(std::uint32_t opcode, std::initializer_list<std::uint32_t> payload);

  Generation generation_;
  std::vector<std::uint32_t> words_;
};

}  // namespace kfdcts::gpu
