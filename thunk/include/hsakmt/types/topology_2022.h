// Node and link properties as libhsakmt laid them out before 2023 (ROCm 5), for callers in C++ that
// load libraries of either age. A library of that time writes sizeof these structures, so that a
// caller can tell: hand hsaKmtGetNodeProperties a buffer filled with a pattern and see how far it
// was overwritten.
#pragma once

#include "topology.h"

namespace hsakmt_2022 {

#pragma pack(push, 4)

struct HsaNodeProperties {
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
  HSAuint8 Reserved[12];
};

struct HsaIoLinkProperties {
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

static_assert(sizeof(HsaNodeProperties) == 356 && sizeof(::HsaNodeProperties) == 376);
static_assert(sizeof(HsaIoLinkProperties) == 48 && sizeof(::HsaIoLinkProperties) == 52);

}  // namespace hsakmt_2022
