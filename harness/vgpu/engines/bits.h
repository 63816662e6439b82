#pragma once

#include <cstdint>

namespace kfdcts::vgpu {

/// Bits [high:low] of a dword.
constexpr std::uint32_t Bits(std::uint32_t dword, unsigned high, unsigned low) {
  return (dword >> low) & static_cast<std::uint32_t>((std::uint64_t{1} << (high - low + 1)) - 1);
}

constexpr std::uint64_t Join(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

/// How WAIT_REG_MEM and POLL_REGMEM compare: 0 always, then <, <=, ==, !=, >=, >; 7 is not defined
/// and holds.
constexpr bool CompareFunction(std::uint32_t function, std::uint32_t value,
                               std::uint32_t reference) {
  switch (function) {
    case 1:
      return value < reference;
    case 2:
      return value <= reference;
    case 3:
      return value == reference;
    case 4:
      return value != reference;
    case 5:
      return value >= reference;
    case 6:
      return value > reference;
    default:
      return true;
  }
}

}  // namespace kfdcts::vgpu
