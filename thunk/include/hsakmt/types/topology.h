// Nodes of the system, their memory banks, caches and links, as the kernel's topology describes
// them.
#pragma once

#include "base.h"

// NOLINTBEGIN(bugprone-reserved-identifier,modernize-use-using): names that callers rely on
#pragma pack(push, 4)

typedef struct _HsaSystemProperties {
  HSAuint32 NumNodes;
  HSAuint32 PlatformOem;
  HSAuint32 PlatformId;
  HSAuint32 PlatformRev;
} HsaSystemProperties;

// GFX IP version of a GPU, with the version of its compute firmware.
typedef union {
  HSAuint32 Value;
  struct {
    unsigned int uCode : 10;
    unsigned int Major : 6;
    unsigned int Minor : 8;
    unsigned int Stepping : 8;
  } ui32;
} HSA_ENGINE_ID;

typedef union {
  HSAuint32 Value;
  struct {
    unsigned int uCodeSDMA : 10;  // version of the SDMA firmware
    unsigned int uCodeRes : 10;
    unsigned int Reserved : 12;
  };
} HSA_ENGINE_VERSION;

// "capability" of a node in sysfs, bit by bit.
typedef union {
  HSAuint32 Value;
  struct {
    unsigned int HotPluggable : 1;
    unsigned int HSAMMUPresent : 1;
    unsigned int SharedWithGraphics : 1;
    unsigned int QueueSizePowerOfTwo : 1;
    unsigned int QueueSize32bit : 1;
    unsigned int QueueIdleEvent : 1;
    unsigned int VALimit : 1;
    unsigned int WatchPointsSupported : 1;
    unsigned int WatchPointsTotalBits : 4;  // log2 of their number
    unsigned int DoorbellType : 2;
    unsigned int AQLQueueDoubleMap : 1;  // AQL rings are mapped twice in a row
    unsigned int DebugTrapSupported : 1;
    unsigned int WaveLaunchTrapOverrideSupported : 1;
    unsigned int WaveLaunchModeSupported : 1;
    unsigned int PreciseMemoryOperationsSupported : 1;
    unsigned int DEPRECATED_SRAM_EDCSupport : 1;  // stays 0
    unsigned int Mem_EDCSupport : 1;
    unsigned int RASEventNotify : 1;
    unsigned int ASICRevision : 4;
    unsigned int SRAM_EDCSupport : 1;
    unsigned int SVMAPISupported : 1;
    unsigned int CoherentHostAccess : 1;  // the CPU reaches device memory coherently
    unsigned int DebugSupportedFirmware : 1;
    unsigned int PreciseALUOperationsSupported : 1;
    unsigned int PerQueueResetSupported : 1;
  } ui32;
} HSA_CAPABILITY;

// "capability2" of a node in sysfs.
typedef union {
  HSAuint32 Value;
  struct {
    unsigned int PerSDMAQueueResetSupported : 1;
    unsigned int AqlEmulationPm4_ : 1;  // AQL packets are run as PM4
    unsigned int Reserved : 30;
  } ui32;
} HSA_CAPABILITY2;

// "debug_prop" of a node in sysfs.
typedef union {
  HSAuint64 Value;
  struct {
    HSAuint64 WatchAddrMaskLoBit : 4;  // lowest and highest bit of a watch mask that counts
    HSAuint64 WatchAddrMaskHiBit : 6;
    HSAuint64 DispatchInfoAlwaysValid : 1;     // trap temporaries need no per-process set-up
    HSAuint64 AddressWatchpointShareKind : 1;  // 1: watch points are per process
    HSAuint64 Reserved : 52;
  };
} HSA_DEBUG_PROPERTIES;

#define HSA_PUBLIC_NAME_SIZE 64

// Properties of one node. Members were inserted in the middle over the years (NumNeuralCores,
// Capability2, OverrideEngineId), with no version that a caller could ask: a library of 2022 and
// one of 2025 fill this structure differently and say so only by how many bytes they write.
typedef struct _HsaNodeProperties {
  HSAuint32 NumCPUCores;       // 0 on a discrete GPU's node
  HSAuint32 NumFComputeCores;  // SIMDs; 0 on a CPU node
  HSAuint32 NumNeuralCores;
  HSAuint32 NumMemoryBanks;
  HSAuint32 NumCaches;
  HSAuint32 NumIOLinks;
  HSAuint32 CComputeIdLo;  // first logical processor of the node
  HSAuint32 FComputeIdLo;  // first SIMD of the node
  HSA_CAPABILITY Capability;
  HSA_CAPABILITY2 Capability2;
  HSAuint32 MaxWavesPerSIMD;
  HSAuint32 LDSSizeInKB;
  HSAuint32 GDSSizeInKB;
  HSAuint32 WaveFrontSize;
  HSAuint32 NumShaderBanks;
  HSAuint32 NumArrays;  // per shader engine
  HSAuint32 NumCUPerArray;
  HSAuint32 NumSIMDPerCU;
  HSAuint32 MaxSlotsScratchCU;
  HSA_ENGINE_ID EngineId;
  HSA_ENGINE_ID OverrideEngineId;  // what HSA_OVERRIDE_GFX_VERSION asks for, else 0
  HSAuint16 VendorId;
  HSAuint16 DeviceId;
  HSAuint32 LocationId;  // PCI bus, device and function
  HSAuint64 LocalMemSize;
  HSAuint32 MaxEngineClockMhzFCompute;
  HSAuint32 MaxEngineClockMhzCCompute;
  HSAint32 DrmRenderMinor;
  HSAuint16 MarketingName[HSA_PUBLIC_NAME_SIZE];  // one code unit an element
  HSAuint8 AMDName[HSA_PUBLIC_NAME_SIZE];         // gfx target name, ASCII
  HSA_ENGINE_VERSION uCodeEngineVersions;
  HSA_DEBUG_PROPERTIES DebugProperties;
  HSAuint64 HiveID;  // 0: in no XGMI hive
  HSAuint32 NumSdmaEngines;
  HSAuint32 NumSdmaXgmiEngines;
  HSAuint8 NumSdmaQueuesPerEngine;
  HSAuint8 NumCpQueues;
  HSAuint8 NumGws;
  HSAuint8 Integrated;  // 1: the GPU of an APU
  HSAuint32 Domain;     // PCI domain
  HSAuint64 UniqueID;
  HSAuint32 VGPRSizePerCU;  // bytes
  HSAuint32 SGPRSizePerCU;  // bytes
  HSAuint32 NumXcc;
  HSAuint32 KFDGpuID;  // the kernel's gpu_id
  HSAuint32 FamilyID;
  HSAuint32 CwsrSize;      // bytes of a queue's context save area
  HSAuint32 CtlStackSize;  // bytes of the control stack in it
} HsaNodeProperties;

typedef enum _HSA_HEAPTYPE {
  HSA_HEAPTYPE_SYSTEM = 0,
  HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC = 1,   // VRAM that the CPU can map
  HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE = 2,  // VRAM that it cannot
  HSA_HEAPTYPE_GPU_GDS = 3,
  HSA_HEAPTYPE_GPU_LDS = 4,
  HSA_HEAPTYPE_GPU_SCRATCH = 5,
  HSA_HEAPTYPE_DEVICE_SVM = 6,
  HSA_HEAPTYPE_MMIO_REMAP = 7,
  HSA_HEAPTYPE_NUMHEAPTYPES,
  HSA_HEAPTYPE_SIZE = 0xFFFFFFFF
} HSA_HEAPTYPE;

typedef union {
  HSAuint32 MemoryProperty;
  struct {
    unsigned int HotPluggable : 1;
    unsigned int NonVolatile : 1;
    unsigned int Reserved : 30;
  } ui32;
} HSA_MEMORYPROPERTY;

typedef struct _HsaMemoryProperties {
  HSA_HEAPTYPE HeapType;
  union {
    HSAuint64 SizeInBytes;
    struct {
      HSAuint32 SizeInBytesLow;
      HSAuint32 SizeInBytesHigh;
    } ui32;
  };
  HSA_MEMORYPROPERTY Flags;
  HSAuint32 Width;               // bits of the memory interface
  HSAuint32 MemoryClockMax;      // MHz
  HSAuint64 VirtualBaseAddress;  // 0: at no fixed address
} HsaMemoryProperties;

#define HSA_CPU_SIBLINGS 256
#define HSA_PROCESSORID_ALL 0xFFFFFFFF

typedef union {
  HSAuint32 Value;
  struct {
    unsigned int Data : 1;
    unsigned int Instruction : 1;
    unsigned int CPU : 1;
    unsigned int HSACU : 1;
    unsigned int Reserved : 28;
  } ui32;
} HsaCacheType;

typedef struct _HaCacheProperties {
  HSAuint32 ProcessorIdLow;
  HSAuint32 CacheLevel;
  HSAuint32 CacheSize;  // KiB of a GPU, bytes of a CPU (as libhsakmt has it)
  HSAuint32 CacheLineSize;
  HSAuint32 CacheLinesPerTag;
  HSAuint32 CacheAssociativity;
  HSAuint32 CacheLatency;  // ns
  HsaCacheType CacheType;
  HSAuint32 SiblingMap[HSA_CPU_SIBLINGS];
} HsaCacheProperties;

typedef struct _HsaCComputeProperties {
  HSAuint32 SiblingMap[HSA_CPU_SIBLINGS];
} HsaCComputeProperties;

typedef enum _HSA_IOLINKTYPE {
  HSA_IOLINKTYPE_UNDEFINED = 0,
  HSA_IOLINKTYPE_HYPERTRANSPORT = 1,
  HSA_IOLINKTYPE_PCIEXPRESS = 2,
  HSA_IOLINKTYPE_AMBA = 3,
  HSA_IOLINKTYPE_MIPI = 4,
  HSA_IOLINK_TYPE_QPI_1_1 = 5,
  HSA_IOLINK_TYPE_RESERVED1 = 6,
  HSA_IOLINK_TYPE_RESERVED2 = 7,
  HSA_IOLINK_TYPE_RAPID_IO = 8,
  HSA_IOLINK_TYPE_INFINIBAND = 9,
  HSA_IOLINK_TYPE_RESERVED3 = 10,
  HSA_IOLINK_TYPE_XGMI = 11,
  HSA_IOLINK_TYPE_XGOP = 12,
  HSA_IOLINK_TYPE_GZ = 13,
  HSA_IOLINK_TYPE_ETHERNET_RDMA = 14,
  HSA_IOLINK_TYPE_RDMA_OTHER = 15,
  HSA_IOLINK_TYPE_OTHER = 16,
  HSA_IOLINKTYPE_NUMIOLINKTYPES,
  HSA_IOLINKTYPE_SIZE = 0xFFFFFFFF
} HSA_IOLINKTYPE;

typedef union {
  HSAuint32 LinkProperty;
  struct {
    unsigned int Override : 1;  // the other bits count only if this is set
    unsigned int NonCoherent : 1;
    unsigned int NoAtomics32bit : 1;
    unsigned int NoAtomics64bit : 1;
    unsigned int NoPeerToPeerDMA : 1;
    unsigned int Reserved : 27;
  } ui32;
} HSA_LINKPROPERTY;

typedef struct _HsaIoLinkProperties {
  HSA_IOLINKTYPE IoLinkType;
  HSAuint32 VersionMajor;
  HSAuint32 VersionMinor;
  HSAuint32 NodeFrom;
  HSAuint32 NodeTo;
  HSAuint32 Weight;
  HSAuint32 MinimumLatency;  // ns
  HSAuint32 MaximumLatency;
  HSAuint32 MinimumBandwidth;  // MB/s
  HSAuint32 MaximumBandwidth;
  HSAuint32 RecTransferSize;   // bytes
  HSAuint32 RecSdmaEngIdMask;  // SDMA engines that serve this link best; not in libraries of 2022
  HSA_LINKPROPERTY Flags;
} HsaIoLinkProperties;

#pragma pack(pop)
// NOLINTEND(bugprone-reserved-identifier,modernize-use-using)
