#include "harness/gpu/generation.h"

namespace kfdcts::gpu {

Generation GenerationOf(const GpuNode& gpu) {
  const std::uint64_t version = gpu.Property("gfx_target_version");
  if (version >= 120500) return Generation::kGfx125;
  if (version >= 120000) return Generation::kGfx12;
  return version >= 100000 ? Generation::kGfx10 : Generation::kGfx9;
}

}  // namespace kfdcts::gpu
