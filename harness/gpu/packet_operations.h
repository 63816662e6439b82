#pragma once

#include <cstdint>

namespace kfdcts::gpu {

/// How a packet that waits compares memory with its reference, by the number that WAIT_REG_MEM and
/// POLL_REGMEM have for it.
enum class Compare : std::uint32_t {
  kAlways = 0,
  kLess = 1,
  kLessOrEqual = 2,
  kEqual = 3,
  kNotEqual = 4,
  kGreaterOrEqual = 5,
  kGreater = 6,
};

/// What ATOMIC_MEM and SDMA's ATOMIC do to memory: TC_OP numbers, those that return the old value.
enum class AtomicOp : std::uint32_t {
  kSwap32 = 0x07,
  kCompareSwap32 = 0x08,
  kAdd32 = 0x0f,
  kSub32 = 0x10,
  kSwap64 = 0x27,
  kCompareSwap64 = 0x28,
  kAdd64 = 0x2f,
  kSub64 = 0x30,
};

}  // namespace kfdcts::gpu
