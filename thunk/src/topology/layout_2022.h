#pragma once

#include <cstddef>

#include "hsakmt/hsakmttypes.h"

/// The structures of libhsakmt 5.2.3 that have another layout today. Members mean what they mean in
/// hsakmt/types/topology.h.
namespace kfdcts::thunk::layout_2022 {

#pragma pack(push, 4)

struct NodeProperties {
  HSAuint32 NumCPUCores;
  HSAuint32 NumFComputeCores;
  HSAuint32 NumMemoryBanks;
  HSAuint32 NumCaches;
  HSAuint32 NumIOLinks;
  HSAuint32 CComputeIdLo;
  HSAuint32 FComputeIdLo;
  HSA_CAPABILITY Capability;
  HSAuint32 MaxWavesPerSIMD;
  HSAuint32 LDSSizeInKB;
  HSAuint32 GDSSizeInKB;
  HSAuint32 WaveFrontSize;
  HSAuint32 NumShaderBanks;
  HSAuint32 NumArrays;
  HSAuint32 NumCUPerArray;
  HSAuint32 NumSIMDPerCU;
  HSAuint32 MaxSlotsScratchCU;
  HSA_ENGINE_ID EngineId;
  HSAuint16 VendorId;
  HSAuint16 DeviceId;
  HSAuint32 LocationId;
  HSAuint64 LocalMemSize;
  HSAuint32 MaxEngineClockMhzFCompute;
  HSAuint32 MaxEngineClockMhzCCompute;
  HSAint32 DrmRenderMinor;
  HSAuint16 MarketingName[HSA_PUBLIC_NAME_SIZE];
  HSAuint8 AMDName[HSA_PUBLIC_NAME_SIZE];
  HSA_ENGINE_VERSION uCodeEngineVersions;
  HSA_DEBUG_PROPERTIES DebugProperties;
  HSAuint64 HiveID;
  HSAuint32 NumSdmaEngines;
  HSAuint32 NumSdmaXgmiEngines;
  HSAuint8 NumSdmaQueuesPerEngine;
  HSAuint8 NumCpQueues;
  HSAuint8 NumGws;
  HSAuint8 Reserved2;
  HSAuint32 Domain;
  HSAuint64 UniqueID;
  HSAuint32 VGPRSizePerCU;
  HSAuint32 SGPRSizePerCU;
  HSAuint32 NumXcc;  // these three reserved, and 0, in 5.2.3; named in the last of ROCT's versions
  HSAuint32 KFDGpuID;
  HSAuint32 FamilyID;
};

struct IoLinkProperties {
  HSA_IOLINKTYPE IoLinkType;
  HSAuint32 VersionMajor;
  HSAuint32 VersionMinor;
  HSAuint32 NodeFrom;
  HSAuint32 NodeTo;
  HSAuint32 Weight;
  HSAuint32 MinimumLatency;
  HSAuint32 MaximumLatency;
  HSAuint32 MinimumBandwidth;
  HSAuint32 MaximumBandwidth;
  HSAuint32 RecTransferSize;
  HSA_LINKPROPERTY Flags;
};

#pragma pack(pop)

static_assert(sizeof(NodeProperties) == 356 && sizeof(IoLinkProperties) == 48);
static_assert(offsetof(NodeProperties, EngineId) == 68);
static_assert(offsetof(NodeProperties, MarketingName) == 100);
static_assert(offsetof(NodeProperties, DebugProperties) == 296);
static_assert(offsetof(NodeProperties, NumXcc) == 344);

}  // namespace kfdcts::thunk::layout_2022
