#pragma once

#include <cstdint>

namespace kfdcts::thunk {

/// Bytes of a CPU page.
std::uint64_t PageSize();
/// Up to the next page; 0 where that overflows.
std::uint64_t RoundUpToPage(std::uint64_t size);
/// The offset of an address in its page.
std::uint64_t OffsetInPage(std::uint64_t address);

}  // namespace kfdcts::thunk
