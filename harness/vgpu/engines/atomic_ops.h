#pragma once

#include <cstdint>
#include <optional>

#include "harness/vgpu/engines/outcome.h"

namespace kfdcts::vgpu {

/// An atomic operation of the texture cache (enum TC_OP in vega10_enum.h), which PM4's ATOMIC_MEM
/// and SDMA's ATOMIC name.
struct AtomicOp {
  std::uint32_t code;  ///< Bits 6:0; with and without return are the same here.
  std::uint64_t source, compare;

  bool is_64bit() const { return code & 0x20; }
  /// Compares before it writes: may be repeated until the comparison holds.
  bool is_compare_swap() const { return (code & 0x1f) == 0x08; }
};

/// What is in memory afterwards; none for an operation that is not implemented (the floating-point
/// ones).
std::optional<std::uint64_t> ApplyAtomic(const AtomicOp& op, std::uint64_t old);

/// Executes `op` in memory as one atomic step. `pre_op` gets what was there. Exception for an
/// unknown operation.
Outcome ExecuteAtomic(GpuMemory& memory, AddressSpace space, std::uint64_t address,
                      const AtomicOp& op, std::uint64_t& pre_op);

}  // namespace kfdcts::vgpu
