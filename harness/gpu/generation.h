#pragma once

#include "harness/gpu/topology.h"

namespace kfdcts::gpu {

/// GPUs whose packets have the same formats.
enum class Generation {
  kGfx9,
  kGfx10,   ///< GFX 10 and 11.
  kGfx12,   ///< GFX 12.0: SDMA 7.0, whose copies have a word for compression.
  kGfx125,  ///< GFX 12.5: SDMA 7.1.
};

/// By the node's gfx_target_version (GFX 9 where there is none).
Generation GenerationOf(const GpuNode& gpu);

}  // namespace kfdcts::gpu
