#pragma once

#include <cstddef>
#include <cstdint>

namespace kfdcts::harness::svm_model {

/// Sets of GPUs by their positions, as bitmaps.
constexpr std::uint64_t Bit(std::size_t position) { return std::uint64_t{1} << position; }
constexpr bool Has(std::uint64_t set, std::size_t position) { return (set & Bit(position)) != 0; }

}  // namespace kfdcts::harness::svm_model
