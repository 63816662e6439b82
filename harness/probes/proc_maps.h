#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kfdcts::harness {

/// A line of /proc/PID/maps.
struct MappedRegion {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;     ///< One past the last byte.
  std::string permissions;   ///< "rw-p".
  std::uint64_t offset = 0;  ///< In the file, bytes.
  std::string name;          ///< Path or "[heap]"; empty for anonymous memory.

  std::uint64_t size() const { return end - begin; }
  bool operator==(const MappedRegion&) const = default;
};

/// Reads this process's mappings, or those of another `file` of the same form. Throws
/// std::runtime_error where it cannot be read or has a line of another form.
std::vector<MappedRegion> ReadMaps(const std::string& file = "/proc/self/maps");

/// The parts of `after` that no region of the same name in `before` covers.
std::vector<MappedRegion> NewRegions(const std::vector<MappedRegion>& before,
                                     const std::vector<MappedRegion>& after);

}  // namespace kfdcts::harness
