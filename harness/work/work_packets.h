#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "harness/gpu/pm4_packets.h"
#include "harness/gpu/sdma_packets.h"
#include "harness/test_support/gpu_node.h"
#include "harness/work/work_queue.h"

namespace kfdcts::harness {

/// What the GPU does to a value in memory, atomically.
using AtomicOp = gpu::AtomicOp;

/// The packets of some memory accesses, for one engine of one GPU. Addresses are the GPU's.
class WorkPackets {
 public:
  WorkPackets(const GpuNode& gpu, Engine engine);

  WorkPackets& Write(std::uint64_t address, std::span<const std::uint32_t> words);
  /// `bytes` is a multiple of four.
  WorkPackets& Fill(std::uint64_t address, std::uint32_t value, std::uint64_t bytes);
  WorkPackets& Copy(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes);
  WorkPackets& Atomic(AtomicOp op, std::uint64_t address, std::uint64_t operand,
                      std::uint64_t compare);
  /// Waits for ever until the 32 bits at `address` equal `value`.
  WorkPackets& WaitFor(std::uint64_t address, std::uint32_t value);
  /// Writes `value` once all before is done and seen by the CPU.
  WorkPackets& Fence(std::uint64_t address, std::uint32_t value);

  std::span<const std::uint32_t> words() const;

 private:
  std::variant<gpu::SdmaPackets, gpu::Pm4Packets> packets_;
};

}  // namespace kfdcts::harness
