#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kfdcts::thunk {

/// Version of a graphics core, as gfx90a is 9, 0, 10.
struct GfxVersion {
  std::uint32_t major = 0;  ///< 0..63
  std::uint32_t minor = 0;  ///< 0..255
  std::uint32_t step = 0;   ///< 0..255

  friend auto operator<=>(const GfxVersion&, const GfxVersion&) = default;
};

/// A GPU's identity: what to call it and which instruction set it has.
struct GfxTarget {
  GfxVersion version;
  std::string name;
};

/// Of sysfs's gfx_target_version (major * 10000 + minor * 100 + step) and PCI device id. A device
/// id up to the gfx10 generation that is known by itself tells the version and the chip's name,
/// whatever sysfs says, as users of libhsakmt know them; all others are called "GFX" and six
/// hexadecimal digits. Nothing where sysfs tells no version and the id is not known.
std::optional<GfxTarget> FindGfxTarget(std::uint64_t gfx_target_version, std::uint64_t device_id);

/// HSA_OVERRIDE_GFX_VERSION's "major.minor.step", each decimal and in range; nothing for anything
/// else.
std::optional<GfxVersion> ParseGfxOverride(std::string_view text);

/// Bytes of vector registers in a compute unit.
std::uint32_t VgprBytesPerCu(const GfxVersion& version);

/// Bytes of scalar registers in a compute unit, of all chips.
inline constexpr std::uint32_t kSgprBytesPerCu = 0x4000;

}  // namespace kfdcts::thunk
