#include "thunk/test/fake/mapping_book.h"

#include <iterator>

namespace kfdcts::thunk {

void MappingBook::Add(std::uint64_t start, std::uint64_t end) {
  Remove(start, end);
  if (start < end) ranges_[start] = end;
}

void MappingBook::Remove(std::uint64_t start, std::uint64_t end) {
  auto range = ranges_.lower_bound(start);
  if (range != ranges_.begin()) {
    const auto before = std::prev(range);
    const std::uint64_t before_end = before->second;
    if (before_end > start) {
      before->second = start;
      if (before_end > end) ranges_[end] = before_end;
    }
  }
  while (range != ranges_.end() && range->first < end) {
    const std::uint64_t range_end = range->second;
    range = ranges_.erase(range);
    if (range_end > end) ranges_[end] = range_end;
  }
}

bool MappingBook::Overlaps(std::uint64_t start, std::uint64_t end) const {
  auto range = ranges_.lower_bound(start);
  if (range != ranges_.end() && range->first < end) return true;
  return range != ranges_.begin() && std::prev(range)->second > start;
}

std::uint64_t MappingBook::Bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [start, end] : ranges_) bytes += end - start;
  return bytes;
}

}  // namespace kfdcts::thunk
