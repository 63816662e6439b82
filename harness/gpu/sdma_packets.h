#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/gpu/generation.h"
#include "harness/gpu/packet_operations.h"

namespace kfdcts::gpu {

/// Packets for an SDMA queue in the formats of a generation (kernel: vega10_, navi10_,
/// sdma_v6_0_0_ and sdma_v7_1_0_sdma_pkt_open.h, sdma_v7_0.c). Addresses are GPU virtual addresses.
class SdmaPackets {
 public:
  using Compare = gpu::Compare;

  using AtomicOp = gpu::AtomicOp;

  explicit SdmaPackets(Generation generation = Generation::kGfx9) : generation_(generation) {}

  /// What every generation's count field holds.
  static constexpr std::uint64_t kMaxCopyBytes = 1 << 22;

  /// Split into packets of at most kMaxCopyBytes.
  SdmaPackets& Copy(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes);
  /// `bytes` is a multiple of four; split like Copy.
  SdmaPackets& Fill(std::uint64_t destination, std::uint32_t value, std::uint64_t bytes);
  /// At most 2^20 words.
  SdmaPackets& Write(std::uint64_t destination, std::span<const std::uint32_t> words);
  SdmaPackets& Write(std::uint64_t destination, std::uint32_t word) {
    return Write(destination, {&word, 1});
  }
  SdmaPackets& Fence(std::uint64_t address, std::uint32_t value);
  /// Writes the GPU's caches back and invalidates them, over all memory. Nothing on GFX 9, whose
  /// SDMA works beside the caches.
  SdmaPackets& SyncCaches();
  SdmaPackets& Trap(std::uint32_t context_id);
  /// `compare` is used by compare-and-swap only.
  SdmaPackets& Atomic(AtomicOp op, std::uint64_t address, std::uint64_t operand,
                      std::uint64_t compare = 0);
  /// Waits until (memory & mask) compares with `reference`, for ever.
  SdmaPackets& Poll(std::uint64_t address, std::uint32_t reference, std::uint32_t mask = 0xffffffff,
                    Compare compare = Compare::kEqual);
  /// Skips the next `words` words where the word at `address` is not `reference`.
  SdmaPackets& ConditionalExecute(std::uint64_t address, std::uint32_t reference,
                                  std::uint32_t words);
  /// Stores the 64-bit global time. `address` is a multiple of eight.
  SdmaPackets& Timestamp(std::uint64_t address);
  /// `words` words (at least one) that do nothing.
  SdmaPackets& Nop(std::uint32_t words = 1);
  /// A word as it is, for malformed packets.
  SdmaPackets& Raw(std::uint32_t word);

  std::span<const std::uint32_t> words() const { return words_; }

 private:
  SdmaPackets& Append(std::initializer_list<std::uint32_t> words);

  Generation generation_;
  std::vector<std::uint32_t> words_;
};

}  // namespace kfdcts::gpu
