// Memory: allocation and mapping flags, pointer information, sharing, SVM attributes.
#pragma once

#include "base.h"

// NOLINTBEGIN(bugprone-reserved-identifier,modernize-use-using): names that callers rely on
#pragma pack(push, 4)

typedef struct _HsaMemFlags {
  union {
    struct {
      unsigned int NonPaged : 1;  // device memory; unset: pageable system memory
      unsigned int CachePolicy : 2;
      unsigned int ReadOnly : 1;
      unsigned int PageSize : 2;
      unsigned int HostAccess : 1;    // the CPU may reach it too
      unsigned int NoSubstitute : 1;  // fail rather than fall back to other memory
      unsigned int GDSMemory : 1;
      unsigned int Scratch : 1;
      unsigned int AtomicAccessFull : 1;
      unsigned int AtomicAccessPartial : 1;
      unsigned int ExecuteAccess : 1;
      unsigned int CoarseGrain : 1;
      unsigned int AQLQueueMemory : 1;
      unsigned int FixedAddress : 1;  // at the address passed in, or fail
      unsigned int NoNUMABind : 1;
      unsigned int Uncached : 1;
      unsigned int NoAddress : 1;    // memory without a virtual address (since 2023)
      unsigned int OnlyAddress : 1;  // virtual address without memory (since 2023)
      unsigned int ExtendedCoherent : 1;
      unsigned int GTTAccess : 1;
      unsigned int Contiguous : 1;
      unsigned int ExecuteBlit : 1;
      unsigned int QueueObject : 1;
      unsigned int Reserved : 7;
    } ui32;
    HSAuint32 Value;
  };
} HsaMemFlags;

typedef struct _HsaMemMapFlags {
  union {
    struct {
      unsigned int Reserved1 : 1;
      unsigned int CachePolicy : 2;
      unsigned int ReadOnly : 1;
      unsigned int PageSize : 2;
      unsigned int HostAccess : 1;
      unsigned int Migrate : 1;
      unsigned int Probe : 1;
      unsigned int Reserved : 23;
    } ui32;
    HSAuint32 Value;
  };
} HsaMemMapFlags;

// What hsaKmtRegisterGraphicsHandleToNodes found out about a dma-buf.
typedef struct _HsaGraphicsResourceInfo {
  void* MemoryAddress;
  HSAuint64 SizeInBytes;
  const void* Metadata;  // belongs to the library, lives as long as the registration
  HSAuint32 MetadataSizeInBytes;
  HSAuint32 NodeId;  // node that exported it; "Reserved" and 0 in libraries of 2022
} HsaGraphicsResourceInfo;

typedef enum _HSA_CACHING_TYPE {
  HSA_CACHING_CACHED = 0,
  HSA_CACHING_NONCACHED = 1,
  HSA_CACHING_WRITECOMBINED = 2,
  HSA_CACHING_RESERVED = 3,
  HSA_CACHING_NUM_CACHING,
  HSA_CACHING_SIZE = 0xFFFFFFFF
} HSA_CACHING_TYPE;

typedef enum _HSA_PAGE_SIZE {
  HSA_PAGE_SIZE_4KB = 0,
  HSA_PAGE_SIZE_64KB = 1,
  HSA_PAGE_SIZE_2MB = 2,
  HSA_PAGE_SIZE_1GB = 3,
} HSA_PAGE_SIZE;

// What stands behind an address.
typedef enum _HSA_POINTER_TYPE {
  HSA_POINTER_UNKNOWN = 0,
  HSA_POINTER_ALLOCATED = 1,            // hsaKmtAllocMemory
  HSA_POINTER_REGISTERED_USER = 2,      // hsaKmtRegisterMemory*
  HSA_POINTER_REGISTERED_GRAPHICS = 3,  // hsaKmtRegisterGraphicsHandleToNodes
  HSA_POINTER_REGISTERED_SHARED = 4,    // hsaKmtRegisterSharedHandle*
  HSA_POINTER_RESERVED_ADDR = 5         // OnlyAddress (since 2023)
} HSA_POINTER_TYPE;

typedef struct _HsaPointerInfo {
  HSA_POINTER_TYPE Type;
  HSAuint32 Node;         // where the memory is
  HsaMemFlags MemFlags;   // as given to the allocation
  void* CPUAddress;       // start, for the CPU
  HSAuint64 GPUAddress;   // start, for the GPU
  HSAuint64 SizeInBytes;  // of the whole object
  HSAuint32 NRegisteredNodes;
  HSAuint32 NMappedNodes;
  const HSAuint32* RegisteredNodes;  // node ids; valid until the registration changes
  const HSAuint32* MappedNodes;      // node ids; valid until the mapping changes
  void* UserData;                    // last hsaKmtSetMemoryUserData
} HsaPointerInfo;

typedef HSAuint32 HsaSharedMemoryHandle[8];

typedef struct _HsaMemoryRange {
  void* MemoryAddress;
  HSAuint64 SizeInBytes;
} HsaMemoryRange;

typedef enum _HSA_SVM_FLAGS {
  HSA_SVM_FLAG_HOST_ACCESS = 0x00000001,
  HSA_SVM_FLAG_COHERENT = 0x00000002,
  HSA_SVM_FLAG_HIVE_LOCAL = 0x00000004,
  HSA_SVM_FLAG_GPU_RO = 0x00000008,
  HSA_SVM_FLAG_GPU_EXEC = 0x00000010,
  HSA_SVM_FLAG_GPU_READ_MOSTLY = 0x00000020,
  HSA_SVM_FLAG_GPU_ALWAYS_MAPPED = 0x00000040,
  HSA_SVM_FLAG_EXT_COHERENT = 0x00000080,
} HSA_SVM_FLAGS;

// The value is a node id for the locations and the accesses, a mask of HSA_SVM_FLAGS for the flags,
// log2 of pages for the granularity.
typedef enum _HSA_SVM_ATTR_TYPE {
  HSA_SVM_ATTR_PREFERRED_LOC,
  HSA_SVM_ATTR_PREFETCH_LOC,
  HSA_SVM_ATTR_ACCESS,
  HSA_SVM_ATTR_ACCESS_IN_PLACE,
  HSA_SVM_ATTR_NO_ACCESS,
  HSA_SVM_ATTR_SET_FLAGS,
  HSA_SVM_ATTR_CLR_FLAGS,
  HSA_SVM_ATTR_GRANULARITY
} HSA_SVM_ATTR_TYPE;

typedef struct _HSA_SVM_ATTRIBUTE {
  HSAuint32 type;  // HSA_SVM_ATTR_TYPE
  HSAuint32 value;
} HSA_SVM_ATTRIBUTE;

// An amdgpu_device_handle of libdrm_amdgpu.
typedef void* HsaAMDGPUDeviceHandle;

typedef union {
  HSAuint32 Value;
  struct {
    unsigned int requiresVAddr : 1;  // the imported buffer shall get a virtual address
  } ui32;
} HSA_REGISTER_MEM_FLAGS;

typedef enum _HsaAisFlags { HSA_AIS_READ = 0x1, HSA_AIS_WRITE = 0x2 } HsaAisFlags;

#pragma pack(pop)
// NOLINTEND(bugprone-reserved-identifier,modernize-use-using)
