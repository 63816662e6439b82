#include "thunk/src/queues/context_save.h"

#include <algorithm>
#include <cstddef>

#include "thunk/src/kernel/page.h"

namespace kfdcts::thunk {
namespace {

// gfx_target_version: major * 10000 + minor * 100 + step.
constexpr std::uint64_t kTonga = 80002;
constexpr std::uint64_t kFirstWithSave = 80001;
constexpr std::uint64_t kFirstWithEndOfPipe = 80000;
constexpr std::uint64_t kGfx94x = 904;  // without the step
constexpr std::uint64_t kNavi10 = 100100;
constexpr std::uint64_t kGfx1250 = 120500;
constexpr std::uint64_t kGpuPage = 4096;
constexpr std::uint64_t kKiB = 1024;

std::uint64_t AlignUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

bool IsGfx125x(std::uint64_t version) { return version == kGfx1250 || version == kGfx1250 + 1; }

std::uint64_t VectorRegisterBytes(std::uint64_t version) {
  switch (version) {
    case 90008:   // Arcturus
    case 90010:   // Aldebaran
    case 90402:   // Aqua Vanjaram
    case 90500:   // gfx950
    case 120500:  // gfx1250
    case 120501:
      return 512 * kKiB;
    case 110000:  // Plum Bonito
    case 110001:  // Wheat Nas
    case 110501:  // gfx1151
    case 120000:  // gfx1200
    case 120001:
      return 384 * kKiB;
    default:
      return 256 * kKiB;
  }
}

/// Registers and LDS of all waves that one compute unit can hold.
std::uint64_t WaveDataBytes(const NodeNumbers& gpu) {
  const std::uint64_t version = gpu.gfx_target_version;
  const bool big = IsGfx125x(version);
  const std::uint64_t scalars = (big ? 32 : 16) * kKiB;
  const std::uint64_t hardware = (big ? 32 : 4) * kKiB;
  const std::uint64_t lds = (big || version == 90500 ? gpu.lds_size_in_kb : 64) * kKiB;
  return VectorRegisterBytes(version) + scalars + hardware + lds;
}

std::uint64_t Waves(const NodeNumbers& gpu, std::uint64_t units) {
  if (gpu.gfx_target_version >= kGfx1250) return units * 64;
  if (gpu.gfx_target_version >= kNavi10) return units * 32;
  const std::uint64_t engines =
      gpu.array_count / std::max<std::uint64_t>(1, gpu.simd_arrays_per_engine);
  return std::min(units * 40, engines * 512);
}

std::uint64_t ControlStackBytes(std::uint64_t version, std::uint64_t waves) {
  const std::uint64_t a_wave = version >= kNavi10 ? 12 : 8;
  const std::uint64_t bytes =
      AlignUp(sizeof(HsaUserContextSaveAreaHeader) + waves * a_wave + 8, kGpuPage);
  // gfx10's hardware has no more.
  return version / 10000 == 10 ? std::min<std::uint64_t>(bytes, 28 * kKiB) : bytes;
}

}  // namespace

std::uint64_t ContextSaveLayout::MappingBytes() const {
  return RoundUpToPage((std::uint64_t{area} + debugger) * xccs);
}

ContextSaveLayout ContextSaveLayoutOf(const NodeNumbers& gpu) {
  const std::uint64_t version = gpu.gfx_target_version;
  ContextSaveLayout layout;
  layout.xccs = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, gpu.num_xcc));
  if (version < kFirstWithSave || gpu.simd_count == 0 || gpu.simd_per_cu == 0) return layout;
  const std::uint64_t units = gpu.simd_count / gpu.simd_per_cu / layout.xccs;
  const std::uint64_t waves = Waves(gpu, units);
  const std::uint64_t stack =
      gpu.ctl_stack_size != 0 ? gpu.ctl_stack_size : ControlStackBytes(version, waves);
  const std::uint64_t area =
      gpu.cwsr_size != 0 ? gpu.cwsr_size
                         : RoundUpToPage(stack + AlignUp(units * WaveDataBytes(gpu), kGpuPage));
  layout.control_stack = static_cast<std::uint32_t>(stack);
  layout.area = static_cast<std::uint32_t>(area);
  layout.debugger = static_cast<std::uint32_t>(AlignUp(waves * 32, 64));
  return layout;
}

void WriteContextSaveHeaders(const ContextSaveLayout& layout, void* start,
                             std::uint32_t error_event, volatile HSAint64* error_reason) {
  for (std::uint32_t xcc = 0; xcc < layout.xccs; ++xcc) {
    auto* header = reinterpret_cast<HsaUserContextSaveAreaHeader*>(
        static_cast<std::byte*>(start) + std::uint64_t{xcc} * layout.area);
    *header = {};
    header->DebugOffset = (layout.xccs - xcc) * layout.area;
    header->DebugSize = layout.debugger * layout.xccs;
    header->ErrorReason = error_reason;
    header->ErrorEventId = error_event;
  }
}

std::uint32_t EndOfPipeBytes(std::uint64_t gfx_version, bool aql) {
  constexpr std::uint32_t kTongasBytes = 0x8000;
  constexpr std::uint32_t kOthersBytes = 0x1000;
  if (gfx_version == kTonga) return kTongasBytes;
  if (gfx_version / 100 == kGfx94x && aql) return 0;
  return gfx_version >= kFirstWithEndOfPipe ? kOthersBytes : 0;
}

}  // namespace kfdcts::thunk
