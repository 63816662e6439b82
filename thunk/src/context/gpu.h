#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kfdcts::thunk {

/// An inclusive range of GPU addresses; limit 0: there is none.
struct Aperture {
  std::uint64_t base = 0;
  std::uint64_t limit = 0;

  bool Contains(std::uint64_t address) const {
    return limit != 0 && address >= base && address <= limit;
  }
};

/// A GPU of a context: what topology, apertures and the render node say about it.
struct Gpu {
  std::uint32_t node_id = 0;
  std::uint32_t gpu_id = 0;  ///< The kernel's, never 0.
  int drm_fd = -1;           ///< The render node's open file whose VM this context uses. Not owned.
  void* drm_handle = nullptr;     ///< amdgpu_device_handle; null where libdrm refused.
  std::uint32_t gfx_version = 0;  ///< major * 10000 + minor * 100 + step, as sysfs gives it.
  bool has_cpu = false;  ///< An APU's node with CPU cores: CPU and GPU share memory (old form).
  bool has_svm = false;  ///< Capability bit SVMAPISupported.
  Aperture lds;
  Aperture scratch;
  Aperture gpuvm;
  /// Nodes that have a link to this one: where its VRAM is mapped by default besides itself.
  std::vector<std::uint32_t> linked_nodes;
};

/// Null where the node is none of these GPUs'.
inline const Gpu* FindGpu(std::span<const Gpu> gpus, std::uint32_t node) {
  for (const Gpu& gpu : gpus) {
    if (gpu.node_id == node) return &gpu;
  }
  return nullptr;
}

}  // namespace kfdcts::thunk
