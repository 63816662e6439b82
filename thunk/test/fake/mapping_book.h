#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace kfdcts::thunk {

/// Disjoint half-open address ranges [start, end). Neighbours are not merged.
class MappingBook {
 public:
  /// The range is in the book from now on, once, whatever was there.
  void Add(std::uint64_t start, std::uint64_t end);
  void Remove(std::uint64_t start, std::uint64_t end);
  bool Overlaps(std::uint64_t start, std::uint64_t end) const;
  std::uint64_t Bytes() const;
  bool empty() const { return ranges_.empty(); }
  const std::map<std::uint64_t, std::uint64_t>& ranges() const { return ranges_; }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  ///< start -> end
};

}  // namespace kfdcts::thunk
