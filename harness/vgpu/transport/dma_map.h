#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "harness/vgpu/transport/unique_fd.h"
#include "harness/vgpu/transport/wire.h"

namespace kfdcts::vgpu {

/// Guest memory as the client has given it: ranges of bus addresses, each a piece of a mapped file.
/// Not thread-safe: changed and read under the device's lock.
class DmaMap {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;
  static constexpr std::size_t kMaxRegions = 65535;

  DmaMap() = default;
  ~DmaMap() { Clear(); }
  DmaMap(const DmaMap&) = delete;
  DmaMap& operator=(const DmaMap&) = delete;

  /// Adds a range; 0 or an errno value. Without `fd` the range is known but not accessible (the
  /// client would want it read with messages, which this device does not do). EINVAL: not whole
  /// pages, not readable, unknown flags, past the end of addresses or of the file. EEXIST: overlaps
  /// another range. ENOSPC: too many. EACCES: not a memory file that is sealed against shrinking;
  /// one that its owner can cut short would kill this process with SIGBUS.
  int Map(const wire::DmaMap& request, UniqueFd fd);

  /// Removes exactly the range that was added, or with wire::kDmaUnmapAll all of them.
  /// ENOENT: no range begins there. EINVAL: another size, or unknown flags.
  int Unmap(const wire::DmaUnmap& request);

  void Clear();

  /// Null where any byte of [address, address + size) is not in one accessible range, or not
  /// writable for `write`.
  std::byte* At(std::uint64_t address, std::size_t size, bool write) const;

  std::size_t size() const { return regions_.size(); }

 private:
  struct Region {
    std::uint64_t bytes;
    std::byte* host;  // null: not accessible
    bool writable;
  };
  using Regions = std::map<std::uint64_t, Region>;

  bool Overlaps(std::uint64_t address, std::uint64_t bytes) const;
  static void Release(const Region& region);

  Regions regions_;
};

}  // namespace kfdcts::vgpu
