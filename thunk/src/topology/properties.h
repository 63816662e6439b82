#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/context/gpu.h"
#include "thunk/src/topology/gfx_target.h"
#include "thunk/src/topology/topology.h"

/// The API's structures made of the kernel's topology, with the values that libhsakmt gives.
namespace kfdcts::thunk {

/// What a node's properties need that is not in sysfs's folder of the topology.
struct NodeSurroundings {
  std::string marketing_name;           ///< Of libdrm_amdgpu; empty: it has none.
  std::optional<std::uint32_t> family;  ///< Of the DRM device; then sysfs's does not count.
  bool integrated = false;              ///< Of the DRM device.
  bool svm_supported = true;  ///< False hides SVMAPISupported: HSA_USE_SVM=0, or a GPU without it.
  std::optional<GfxVersion> gfx_override;  ///< HSA_OVERRIDE_GFX_VERSION or its form for this node.
  Aperture lds;
  Aperture scratch;
  Aperture svm;
  Aperture mmio;   ///< The page of remapped registers.
  Aperture gpuvm;  ///< Looked at on Kaveri only, whose VRAM is in no bank of sysfs.
};

HsaSystemProperties MakeSystemProperties(const Topology& topology);

/// NumMemoryBanks, NumCaches and NumIOLinks are the lengths of the three lists below.
HsaNodeProperties MakeNodeProperties(const Node& node, const NodeSurroundings& surroundings);

/// The banks of sysfs; on a GPU's node then one for each aperture that there is, in the order LDS,
/// (Kaveri) VRAM, scratch, SVM, MMIO.
std::vector<HsaMemoryProperties> MakeMemoryProperties(const Node& node,
                                                      const NodeSurroundings& surroundings);

std::vector<HsaCacheProperties> MakeCacheProperties(const Node& node);
std::vector<HsaIoLinkProperties> MakeIoLinkProperties(const Node& node);

}  // namespace kfdcts::thunk
