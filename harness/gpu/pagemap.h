#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kfdcts::gpu {

/// Where the pages of a range are, by /proc/self/pagemap.
struct PageCounts {
  std::size_t present = 0;
  std::size_t swapped = 0;  ///< A swap entry: with swap off, a device-private page.
  std::size_t absent = 0;   ///< Never touched.

  friend bool operator==(const PageCounts&, const PageCounts&) = default;
};

/// Adds one pagemap entry (Documentation/admin-guide/mm/pagemap.rst).
void CountEntry(std::uint64_t entry, PageCounts& counts);

/// Reads the entries of all pages that `range` touches. Throws GpuError.
PageCounts CountPages(std::span<const std::byte> range);

/// One letter a page: 'm' present in system memory, 'v' a swap entry (with swap off: on a GPU), '.'
/// not in the page table. Throws GpuError.
std::string PageLetters(std::span<const std::byte> pages);

/// No swap area is in use. Throws std::runtime_error where /proc/swaps cannot be read.
bool SwapIsOff();

}  // namespace kfdcts::gpu
