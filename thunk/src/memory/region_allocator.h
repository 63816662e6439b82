#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "thunk/src/context/gpu.h"

namespace kfdcts::thunk {

/// Gives out parts of a range of addresses. Makes no system call; not synchronised.
class RegionAllocator {
 public:
  RegionAllocator() = default;
  /// `guard` bytes stay free behind each part. All of `region` may be given out.
  RegionAllocator(Aperture region, std::uint64_t guard) : region_(region), guard_(guard) {}

  const Aperture& region() const { return region_; }
  bool exists() const { return region_.limit != 0; }

  /// A free part of `size` > 0 bytes, aligned to a power of two.
  std::optional<std::uint64_t> Allocate(std::uint64_t size, std::uint64_t alignment);
  /// The part at `address`, if all of it is free; false if not.
  bool AllocateAt(std::uint64_t address, std::uint64_t size);
  /// Gives back a part that was given out.
  void Free(std::uint64_t address) noexcept;

 private:
  using Parts = std::map<std::uint64_t, std::uint64_t>;  // start -> end, the guard included

  std::optional<std::uint64_t> FirstFit(Parts::const_iterator behind, std::uint64_t from,
                                        std::uint64_t size, std::uint64_t alignment) const;
  bool Fits(std::uint64_t start, std::uint64_t end_of_hole, std::uint64_t size) const;

  Aperture region_;
  std::uint64_t guard_ = 0;
  Parts used_;
  std::uint64_t next_ = 0;  ///< Where the search begins: behind the part given out last.
};

}  // namespace kfdcts::thunk
