#include "thunk/src/memory/region_allocator.h"

#include <algorithm>

namespace kfdcts::thunk {

bool RegionAllocator::Fits(std::uint64_t start, std::uint64_t end_of_hole,
                           std::uint64_t size) const {
  return start < end_of_hole && end_of_hole - start >= size &&
         end_of_hole - start - size >= (end_of_hole == region_.limit + 1 ? 0 : guard_);
}

std::optional<std::uint64_t> RegionAllocator::FirstFit(Parts::const_iterator behind,
                                                       std::uint64_t from, std::uint64_t size,
                                                       std::uint64_t alignment) const {
  for (;; ++behind) {
    const std::uint64_t start = (from + alignment - 1) / alignment * alignment;
    const bool last = behind == used_.end();
    const std::uint64_t end_of_hole = last ? region_.limit + 1 : behind->first;
    if (start >= from && Fits(start, end_of_hole, size)) return start;
    if (last) return std::nullopt;
    from = behind->second;
  }
}

std::optional<std::uint64_t> RegionAllocator::Allocate(std::uint64_t size,
                                                       std::uint64_t alignment) {
  if (!exists()) return std::nullopt;
  std::optional<std::uint64_t> found;
  if (next_ != 0) found = FirstFit(used_.lower_bound(next_), next_, size, alignment);
  if (!found) found = FirstFit(used_.begin(), region_.base, size, alignment);
  if (!found) return std::nullopt;
  const std::uint64_t end = std::min(*found + size + guard_, region_.limit + 1);
  used_.emplace(*found, end);
  next_ = end;
  return found;
}

bool RegionAllocator::AllocateAt(std::uint64_t address, std::uint64_t size) {
  if (!region_.Contains(address) || region_.limit - address < size - 1) return false;
  const auto behind = used_.lower_bound(address);
  const std::uint64_t end_of_hole = behind == used_.end() ? region_.limit + 1 : behind->first;
  if (!Fits(address, end_of_hole, size)) return false;
  if (behind != used_.begin() && std::prev(behind)->second > address) return false;
  used_.emplace(address, std::min(address + size + guard_, region_.limit + 1));
  return true;
}

void RegionAllocator::Free(std::uint64_t address) noexcept {
  const auto found = used_.find(address);
  if (found == used_.end()) return;
  // The search cannot begin inside a part, and what is freed at the end is used again.
  if (next_ == found->second) next_ = found->first;
  used_.erase(found);
}

}  // namespace kfdcts::thunk
