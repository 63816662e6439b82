#include "thunk/src/topology/gfx_target.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace kfdcts::thunk {
namespace {

/// PCI device ids of one chip, `first` to `last`.
struct DeviceRange {
  std::uint16_t first;
  std::uint16_t last;
  const char* name;
  GfxVersion version;
};

/// Ascending. The ids that libhsakmt of August 2025 knows; later chips tell all by sysfs.
constexpr DeviceRange kDevices[] = {
    // clang-format off
    {0x1304, 0x1307, "Spectre", {7, 0, 0}},
    {0x1309, 0x1311, "Spectre", {7, 0, 0}},
    {0x1312, 0x1312, "Spooky", {7, 0, 0}},
    {0x1313, 0x1313, "Spectre", {7, 0, 0}},
    {0x1315, 0x1315, "Spectre", {7, 0, 0}},
    {0x1316, 0x1317, "Spooky", {7, 0, 0}},
    {0x1318, 0x1318, "Spectre", {7, 0, 0}},
    {0x131b, 0x131d, "Spectre", {7, 0, 0}},
    {0x13f9, 0x13fc, "cyan_skillfish", {10, 1, 3}},
    {0x13fe, 0x13fe, "cyan_skillfish", {10, 1, 3}},
    {0x143f, 0x143f, "cyan_skillfish", {10, 1, 3}},
    {0x15d8, 0x15d8, "Raven", {9, 0, 2}},
    {0x15dd, 0x15dd, "Raven", {9, 0, 2}},
    {0x15e7, 0x15e7, "Renoir", {9, 0, 12}},
    {0x1636, 0x1636, "Renoir", {9, 0, 12}},
    {0x1638, 0x1638, "Renoir", {9, 0, 12}},
    {0x163f, 0x163f, "VanGogh", {10, 3, 3}},
    {0x164c, 0x164c, "Renoir", {9, 0, 12}},
    {0x164d, 0x164d, "YELLOW_CARP", {10, 3, 5}},
    {0x1681, 0x1681, "YELLOW_CARP", {10, 3, 5}},
    {0x66a0, 0x66a4, "Vega20", {9, 0, 6}},
    {0x66a7, 0x66a7, "Vega20", {9, 0, 6}},
    {0x66af, 0x66af, "Vega20", {9, 0, 6}},
    {0x67a0, 0x67a2, "Hawaii", {7, 0, 1}},
    {0x67a8, 0x67aa, "Hawaii", {7, 0, 1}},
    {0x67b0, 0x67b1, "Hawaii", {7, 0, 1}},
    {0x67b8, 0x67ba, "Hawaii", {7, 0, 1}},
    {0x67be, 0x67be, "Hawaii", {7, 0, 1}},
    {0x67c0, 0x67c2, "Polaris10", {8, 0, 3}},
    {0x67c4, 0x67c4, "Polaris10", {8, 0, 3}},
    {0x67c7, 0x67ca, "Polaris10", {8, 0, 3}},
    {0x67cc, 0x67cc, "Polaris10", {8, 0, 3}},
    {0x67cf, 0x67d0, "Polaris10", {8, 0, 3}},
    {0x67df, 0x67df, "Polaris10", {8, 0, 3}},
    {0x67e0, 0x67e1, "Polaris11", {8, 0, 3}},
    {0x67e3, 0x67e3, "Polaris11", {8, 0, 3}},
    {0x67e7, 0x67e9, "Polaris11", {8, 0, 3}},
    {0x67eb, 0x67eb, "Polaris11", {8, 0, 3}},
    {0x67ef, 0x67ef, "Polaris11", {8, 0, 3}},
    {0x67ff, 0x67ff, "Polaris11", {8, 0, 3}},
    {0x6860, 0x6864, "Vega10", {9, 0, 0}},
    {0x6867, 0x686e, "Vega10", {9, 0, 0}},
    {0x687f, 0x687f, "Vega10", {9, 0, 0}},
    {0x6920, 0x6921, "Tonga", {8, 0, 2}},
    {0x6928, 0x6929, "Tonga", {8, 0, 2}},
    {0x692b, 0x692b, "Tonga", {8, 0, 2}},
    {0x692f, 0x6930, "Tonga", {8, 0, 2}},
    {0x6938, 0x6939, "Tonga", {8, 0, 2}},
    {0x694c, 0x694c, "VegaM", {8, 0, 3}},
    {0x694e, 0x694f, "VegaM", {8, 0, 3}},
    {0x6980, 0x6981, "Polaris12", {8, 0, 3}},
    {0x6985, 0x6987, "Polaris12", {8, 0, 3}},
    {0x6995, 0x6995, "Polaris12", {8, 0, 3}},
    {0x6997, 0x6997, "Polaris12", {8, 0, 3}},
    {0x699f, 0x699f, "Polaris12", {8, 0, 3}},
    {0x69a0, 0x69a3, "Vega12", {9, 0, 4}},
    {0x69af, 0x69af, "Vega12", {9, 0, 4}},
    {0x6fdf, 0x6fdf, "Polaris10", {8, 0, 3}},
    {0x7300, 0x7300, "Fiji", {8, 0, 3}},
    {0x730f, 0x730f, "Fiji", {8, 0, 3}},
    {0x7310, 0x7310, "Navi10", {10, 1, 0}},
    {0x7312, 0x7312, "Navi10", {10, 1, 0}},
    {0x7318, 0x7318, "Navi10", {10, 1, 0}},
    {0x731a, 0x731a, "Navi10", {10, 1, 0}},
    {0x731e, 0x731f, "Navi10", {10, 1, 0}},
    {0x7340, 0x7341, "Navi14", {10, 1, 2}},
    {0x7347, 0x7347, "Navi14", {10, 1, 2}},
    {0x7360, 0x7360, "Navi12", {10, 1, 1}},
    {0x7362, 0x7362, "Navi12", {10, 1, 1}},
    {0x7388, 0x7388, "Arcturus", {9, 0, 8}},
    {0x738c, 0x738c, "Arcturus", {9, 0, 8}},
    {0x738e, 0x738e, "Arcturus", {9, 0, 8}},
    {0x7390, 0x7390, "Arcturus", {9, 0, 8}},
    {0x73a0, 0x73a3, "SIENNA_CICHLID", {10, 3, 0}},
    {0x73a5, 0x73a5, "SIENNA_CICHLID", {10, 3, 0}},
    {0x73a8, 0x73a9, "SIENNA_CICHLID", {10, 3, 0}},
    {0x73ab, 0x73ae, "SIENNA_CICHLID", {10, 3, 0}},
    {0x73bf, 0x73bf, "SIENNA_CICHLID", {10, 3, 0}},
    {0x73c0, 0x73c1, "NAVY_FLOUNDER", {10, 3, 1}},
    {0x73c3, 0x73c3, "NAVY_FLOUNDER", {10, 3, 1}},
    {0x73da, 0x73df, "NAVY_FLOUNDER", {10, 3, 1}},
    {0x73e0, 0x73e2, "DIMGREY_CAVEFISH", {10, 3, 2}},
    {0x73e8, 0x73ed, "DIMGREY_CAVEFISH", {10, 3, 2}},
    {0x73ef, 0x73ef, "DIMGREY_CAVEFISH", {10, 3, 2}},
    {0x73ff, 0x73ff, "DIMGREY_CAVEFISH", {10, 3, 2}},
    {0x7408, 0x7408, "Aldebaran", {9, 0, 10}},
    {0x740c, 0x740c, "Aldebaran", {9, 0, 10}},
    {0x740f, 0x7410, "Aldebaran", {9, 0, 10}},
    {0x7420, 0x7423, "BEIGE_GOBY", {10, 3, 4}},
    {0x743f, 0x743f, "BEIGE_GOBY", {10, 3, 4}},
    {0x9870, 0x9870, "Carrizo", {8, 0, 1}},
    {0x9874, 0x9877, "Carrizo", {8, 0, 1}},
    // clang-format on
};

static_assert(std::is_sorted(std::begin(kDevices), std::end(kDevices),
                             [](const DeviceRange& a, const DeviceRange& b) {
                               return a.last < b.first;
                             }));

constexpr std::uint32_t kLastMajorOfTable = 10;

const DeviceRange* FindDevice(std::uint64_t device_id) {
  const auto* found =
      std::lower_bound(std::begin(kDevices), std::end(kDevices), device_id,
                       [](const DeviceRange& range, std::uint64_t id) { return range.last < id; });
  return found == std::end(kDevices) || device_id < found->first ? nullptr : found;
}

}  // namespace

std::optional<GfxTarget> FindGfxTarget(std::uint64_t gfx_target_version, std::uint64_t device_id) {
  const GfxVersion version = {
      .major = static_cast<std::uint32_t>(gfx_target_version / 10000 & 0x3f),
      .minor = static_cast<std::uint32_t>(gfx_target_version / 100 % 100),
      .step = static_cast<std::uint32_t>(gfx_target_version % 100),
  };
  if (version.major <= kLastMajorOfTable) {
    if (const DeviceRange* device = FindDevice(device_id)) return {{device->version, device->name}};
  }
  if (gfx_target_version == 0) return std::nullopt;
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), "GFX%06x",
                version.major << 16 | version.minor << 8 | version.step);
  return {{version, name.data()}};
}

std::optional<GfxVersion> ParseGfxOverride(std::string_view text) {
  std::array<std::uint32_t, 3> numbers{};
  const char* place = text.data();
  const char* end = text.data() + text.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && (place == end || *place++ != '.')) return std::nullopt;
    const auto [stop, error] = std::from_chars(place, end, numbers[i]);
    if (error != std::errc{} || numbers[i] > (i == 0 ? 63u : 255u)) return std::nullopt;
    place = stop;
  }
  if (place != end) return std::nullopt;
  return GfxVersion{numbers[0], numbers[1], numbers[2]};
}

std::uint32_t VgprBytesPerCu(const GfxVersion& version) {
  constexpr GfxVersion kArcturus = {9, 0, 8};
  constexpr GfxVersion kAldebaran = {9, 0, 10};
  if (version == kArcturus || version == kAldebaran) return 0x80000;
  const bool aqua_vanjaram = version.major == 9 && version.minor == 4;
  const bool gfx950 = version == GfxVersion{9, 5, 0};
  if (aqua_vanjaram || gfx950) return 0x80000;
  const bool plum_bonito = version == GfxVersion{11, 0, 0};
  const bool wheat_nas = version == GfxVersion{11, 0, 1};
  const bool gfx12 = version == GfxVersion{12, 0, 0} || version == GfxVersion{12, 0, 1};
  if (plum_bonito || wheat_nas || gfx12) return 0x60000;
  return 0x40000;
}

}  // namespace kfdcts::thunk
