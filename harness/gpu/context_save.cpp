#include "harness/gpu/context_save.h"

#include <algorithm>

namespace kfdcts::gpu {
namespace {

constexpr std::uint32_t kPage = 4096;
constexpr std::uint32_t kHeaderBytes = 40;  // struct kfd_context_save_area_header

constexpr std::uint64_t AlignUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::uint32_t XccCount(const GpuNode& gpu) {
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(gpu.Property("num_xcc")));
}

std::uint64_t ComputeUnits(const GpuNode& gpu) {
  const std::uint64_t simd_per_cu = std::max<std::uint64_t>(1, gpu.Property("simd_per_cu"));
  return gpu.Property("simd_count") / simd_per_cu / XccCount(gpu);
}

std::uint64_t Waves(const GpuNode& gpu, std::uint64_t version, std::uint64_t compute_units) {
  if (version < 100100) {
    const std::uint64_t arrays = std::max<std::uint64_t>(1, gpu.Property("simd_arrays_per_engine"));
    return std::min(compute_units * 40, gpu.Property("array_count") / arrays * 512);
  }
  return compute_units * (version < 120500 ? 32 : 64);
}

std::uint64_t VectorRegisterBytes(std::uint64_t version) {
  switch (version) {
    case 90008:
    case 90010:
    case 90402:
    case 90500:
    case 120500:
    case 120501:
      return 0x80000;
    case 110000:
    case 110001:
    case 110501:
    case 120000:
    case 120001:
      return 0x60000;
    default:
      return 0x40000;
  }
}

/// Vector and scalar registers, LDS and hardware registers.
std::uint64_t WaveDataBytesPerUnit(const GpuNode& gpu, std::uint64_t version) {
  const bool gfx125 = version == 120500 || version == 120501;
  const std::uint64_t lds =
      gfx125 || version == 90500 ? gpu.Property("lds_size_in_kb") << 10 : 0x10000;
  return VectorRegisterBytes(version) + (gfx125 ? 0x8000 : 0x4000) + lds +
         (gfx125 ? 0x8000 : 0x1000);
}

std::uint64_t ControlStackBytes(std::uint64_t version, std::uint64_t waves) {
  const std::uint64_t bytes =
      AlignUp(kHeaderBytes + waves * (version >= 100100 ? 12 : 8) + 8, kPage);
  return version / 10000 == 10 ? std::min<std::uint64_t>(bytes, 0x7000) : bytes;
}

}  // namespace

ContextSaveSizes ContextSaveSizesOf(const GpuNode& gpu) {
  const std::uint64_t version = gpu.Property("gfx_target_version");
  ContextSaveSizes sizes;
  if (version < 80001) return sizes;
  const std::uint64_t units = ComputeUnits(gpu);
  const std::uint64_t waves = Waves(gpu, version, units);
  const std::uint64_t stack = gpu.Has("ctl_stack_size") ? gpu.Property("ctl_stack_size")
                                                        : ControlStackBytes(version, waves);
  const std::uint64_t area =
      gpu.Has("cwsr_size") ? gpu.Property("cwsr_size")
                           : stack + AlignUp(units * WaveDataBytesPerUnit(gpu, version), kPage);
  sizes.control_stack = static_cast<std::uint32_t>(stack);
  sizes.save_restore = static_cast<std::uint32_t>(area);
  sizes.debugger = static_cast<std::uint32_t>(AlignUp(waves * 32, 64));
  sizes.mapping = AlignUp((area + sizes.debugger) * XccCount(gpu), kPage);
  return sizes;
}

std::uint32_t EndOfPipeBytes(const GpuNode& gpu) {
  return gpu.Property("gfx_target_version") == 80002 ? 0x8000 : kPage;
}

}  // namespace kfdcts::gpu
