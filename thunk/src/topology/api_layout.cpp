#include "thunk/src/topology/api_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "thunk/src/topology/layout_2022.h"
#include "thunk/src/topology/loaded_object.h"

namespace kfdcts::thunk {
namespace {

constexpr std::string_view kRuntime = "libhsa-runtime64.so";
constexpr std::string_view kNeededByAll = "hsaKmtGetNodeProperties";
constexpr std::string_view kNeededSinceNewLayout = "hsaKmtCreateQueueExt";

layout_2022::NodeProperties In2022(const HsaNodeProperties& now) {
  layout_2022::NodeProperties old{};
  old.NumCPUCores = now.NumCPUCores;
  old.NumFComputeCores = now.NumFComputeCores;
  old.NumMemoryBanks = now.NumMemoryBanks;
  old.NumCaches = now.NumCaches;
  old.NumIOLinks = now.NumIOLinks;
  old.CComputeIdLo = now.CComputeIdLo;
  old.FComputeIdLo = now.FComputeIdLo;
  old.Capability = now.Capability;
  old.MaxWavesPerSIMD = now.MaxWavesPerSIMD;
  old.LDSSizeInKB = now.LDSSizeInKB;
  old.GDSSizeInKB = now.GDSSizeInKB;
  old.WaveFrontSize = now.WaveFrontSize;
  old.NumShaderBanks = now.NumShaderBanks;
  old.NumArrays = now.NumArrays;
  old.NumCUPerArray = now.NumCUPerArray;
  old.NumSIMDPerCU = now.NumSIMDPerCU;
  old.MaxSlotsScratchCU = now.MaxSlotsScratchCU;
  old.EngineId = now.EngineId;
  old.VendorId = now.VendorId;
  old.DeviceId = now.DeviceId;
  old.LocationId = now.LocationId;
  old.LocalMemSize = now.LocalMemSize;
  old.MaxEngineClockMhzFCompute = now.MaxEngineClockMhzFCompute;
  old.MaxEngineClockMhzCCompute = now.MaxEngineClockMhzCCompute;
  old.DrmRenderMinor = now.DrmRenderMinor;
  old.uCodeEngineVersions = now.uCodeEngineVersions;
  old.DebugProperties = now.DebugProperties;
  old.HiveID = now.HiveID;
  old.NumSdmaEngines = now.NumSdmaEngines;
  old.NumSdmaXgmiEngines = now.NumSdmaXgmiEngines;
  old.NumSdmaQueuesPerEngine = now.NumSdmaQueuesPerEngine;
  old.NumCpQueues = now.NumCpQueues;
  old.NumGws = now.NumGws;
  old.Domain = now.Domain;
  old.UniqueID = now.UniqueID;
  old.VGPRSizePerCU = now.VGPRSizePerCU;
  old.SGPRSizePerCU = now.SGPRSizePerCU;
  old.NumXcc = now.NumXcc;
  old.KFDGpuID = now.KFDGpuID;
  old.FamilyID = now.FamilyID;
  std::copy(std::begin(now.MarketingName), std::end(now.MarketingName), old.MarketingName);
  std::copy(std::begin(now.AMDName), std::end(now.AMDName), old.AMDName);
  if (now.OverrideEngineId.Value != 0) {
    old.EngineId = now.OverrideEngineId;
    old.EngineId.ui32.uCode = now.EngineId.ui32.uCode;
  }
  return old;
}

layout_2022::IoLinkProperties In2022(const HsaIoLinkProperties& now) {
  layout_2022::IoLinkProperties old{};
  old.IoLinkType = now.IoLinkType;
  old.VersionMajor = now.VersionMajor;
  old.VersionMinor = now.VersionMinor;
  old.NodeFrom = now.NodeFrom;
  old.NodeTo = now.NodeTo;
  old.Weight = now.Weight;
  old.MinimumLatency = now.MinimumLatency;
  old.MaximumLatency = now.MaximumLatency;
  old.MinimumBandwidth = now.MinimumBandwidth;
  old.MaximumBandwidth = now.MaximumBandwidth;
  old.RecTransferSize = now.RecTransferSize;
  old.Flags = now.Flags;
  return old;
}

}  // namespace

std::optional<ApiLayout> ParseApiLayout(std::string_view text) {
  if (text == "2022") return ApiLayout::k2022;
  if (text == "2025") return ApiLayout::k2025;
  return std::nullopt;
}

ApiLayout LayoutOfCaller(const void* return_address) {
  if (const char* text = std::getenv("HSAKMT_API_LAYOUT")) {
    if (const auto layout = ParseApiLayout(text)) return *layout;
  }
  const auto caller = LoadedObject::At(return_address);
  const bool old_runtime = caller && caller->soname().starts_with(kRuntime) &&
                           caller->Imports(kNeededByAll) && !caller->Imports(kNeededSinceNewLayout);
  return old_runtime ? ApiLayout::k2022 : ApiLayout::k2025;
}

void StoreNodeProperties(const HsaNodeProperties& properties, ApiLayout layout, void* destination) {
  if (layout == ApiLayout::k2025) {
    std::memcpy(destination, &properties, sizeof properties);
    return;
  }
  const layout_2022::NodeProperties old = In2022(properties);
  std::memcpy(destination, &old, sizeof old);
}

void StoreIoLinkProperties(std::span<const HsaIoLinkProperties> links, ApiLayout layout,
                           void* destination) {
  if (layout == ApiLayout::k2025) {
    if (!links.empty()) std::memcpy(destination, links.data(), links.size_bytes());
    return;
  }
  auto* place = static_cast<std::byte*>(destination);
  for (const HsaIoLinkProperties& link : links) {
    const layout_2022::IoLinkProperties old = In2022(link);
    std::memcpy(place, &old, sizeof old);
    place += sizeof old;
  }
}

}  // namespace kfdcts::thunk
