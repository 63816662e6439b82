// Events, and the system management interface's event stream.
#pragma once

#include "base.h"

// NOLINTBEGIN(bugprone-reserved-identifier,modernize-use-using): names that callers rely on
#pragma pack(push, 4)

typedef enum _HSA_DEVICE { HSA_DEVICE_CPU = 0, HSA_DEVICE_GPU = 1, MAX_HSA_DEVICE = 2 } HSA_DEVICE;

typedef enum _HSA_EVENTTYPE {
  HSA_EVENTTYPE_SIGNAL = 0,
  HSA_EVENTTYPE_NODECHANGE = 1,
  HSA_EVENTTYPE_DEVICESTATECHANGE = 2,
  HSA_EVENTTYPE_HW_EXCEPTION = 3,
  HSA_EVENTTYPE_SYSTEM_EVENT = 4,
  HSA_EVENTTYPE_DEBUG_EVENT = 5,
  HSA_EVENTTYPE_PROFILE_EVENT = 6,
  HSA_EVENTTYPE_QUEUE_EVENT = 7,
  HSA_EVENTTYPE_MEMORY = 8,
  HSA_EVENTTYPE_MAXID,
  HSA_EVENTTYPE_TYPE_SIZE = 0xFFFFFFFF
} HSA_EVENTTYPE;

typedef enum _HSA_DEBUG_EVENT_TYPE {
  HSA_DEBUG_EVENT_TYPE_NONE = 0,
  HSA_DEBUG_EVENT_TYPE_TRAP = 1,
  HSA_DEBUG_EVENT_TYPE_VMFAULT = 2,
  HSA_DEBUG_EVENT_TYPE_TRAP_VMFAULT = 3
} HSA_DEBUG_EVENT_TYPE;

typedef HSAuint32 HSA_EVENTID;

typedef struct _HsaSyncVar {
  union {
    void* UserData;
    HSAuint64 UserDataPtrValue;
  } SyncVar;
  HSAuint64 SyncVarSize;
} HsaSyncVar;

typedef enum _HSA_EVENTTYPE_NODECHANGE_FLAGS {
  HSA_EVENTTYPE_NODECHANGE_ADD = 0,
  HSA_EVENTTYPE_NODECHANGE_REMOVE = 1,
  HSA_EVENTTYPE_NODECHANGE_SIZE = 0xFFFFFFFF
} HSA_EVENTTYPE_NODECHANGE_FLAGS;

typedef struct _HsaNodeChange {
  HSA_EVENTTYPE_NODECHANGE_FLAGS Flags;
} HsaNodeChange;

typedef enum _HSA_EVENTTYPE_DEVICESTATECHANGE_FLAGS {
  HSA_EVENTTYPE_DEVICESTATUSCHANGE_START = 0,
  HSA_EVENTTYPE_DEVICESTATUSCHANGE_STOP = 1,
  HSA_EVENTTYPE_DEVICESTATUSCHANGE_SIZE = 0xFFFFFFFF
} HSA_EVENTTYPE_DEVICESTATECHANGE_FLAGS;

typedef struct _HsaDeviceStateChange {
  HSAuint32 NodeId;
  HSA_DEVICE Device;
  HSA_EVENTTYPE_DEVICESTATECHANGE_FLAGS Flags;
} HsaDeviceStateChange;

typedef enum _HSA_EVENTID_MEMORYFLAGS {
  HSA_EVENTID_MEMORY_RECOVERABLE = 0,
  HSA_EVENTID_MEMORY_FATAL_PROCESS = 1,
  HSA_EVENTID_MEMORY_FATAL_VM = 2,
} HSA_EVENTID_MEMORYFLAGS;

// Why an access failed.
typedef struct _HsaAccessAttributeFailure {
  unsigned int NotPresent : 1;
  unsigned int ReadOnly : 1;
  unsigned int NoExecute : 1;
  unsigned int GpuAccess : 1;
  unsigned int ECC : 1;
  unsigned int Imprecise : 1;
  unsigned int ErrorType : 3;  // 0 none, 1 SRAM ECC, 2 link poison, 3 hang
  unsigned int Reserved : 23;
} HsaAccessAttributeFailure;

typedef struct _HsaMemoryAccessFault {
  HSAuint32 NodeId;
  HSAuint64 VirtualAddress;
  HsaAccessAttributeFailure Failure;
  HSA_EVENTID_MEMORYFLAGS Flags;
} HsaMemoryAccessFault;

typedef enum _HSA_EVENTID_HW_EXCEPTION_CAUSE {
  HSA_EVENTID_HW_EXCEPTION_GPU_HANG = 0,
  HSA_EVENTID_HW_EXCEPTION_ECC = 1,
} HSA_EVENTID_HW_EXCEPTION_CAUSE;

typedef struct _HsaHwException {
  HSAuint32 NodeId;
  HSAuint32 ResetType;
  HSAuint32 MemoryLost;
  HSA_EVENTID_HW_EXCEPTION_CAUSE ResetCause;
} HsaHwException;

typedef struct _HsaEventData {
  HSA_EVENTTYPE EventType;
  union {
    HsaSyncVar SyncVar;
    HsaNodeChange NodeChangeState;
    HsaDeviceStateChange DeviceState;
    HsaMemoryAccessFault MemoryAccessFault;
    HsaHwException HwException;
  } EventData;
  // What the GPU needs to signal the event: trigger address or page offset, slot, trigger data.
  HSAuint64 HWData1;
  HSAuint64 HWData2;
  HSAuint32 HWData3;
} HsaEventData;

typedef struct _HsaEventDescriptor {
  HSA_EVENTTYPE EventType;
  HSAuint32 NodeId;
  HsaSyncVar SyncVar;
} HsaEventDescriptor;

typedef struct _HsaEvent {
  HSA_EVENTID EventId;
  HsaEventData EventData;
} HsaEvent;

typedef enum _HsaEventTimeout {
  HSA_EVENTTIMEOUT_IMMEDIATE = 0,
  HSA_EVENTTIMEOUT_INFINITE = 0xFFFFFFFF
} HsaEventTimeOut;

// Events of the file that hsaKmtOpenSMI opens; a bit's number in the mask is one less.
typedef enum _HSA_SMI_EVENT {
  HSA_SMI_EVENT_NONE = 0,
  HSA_SMI_EVENT_VMFAULT = 1,
  HSA_SMI_EVENT_THERMAL_THROTTLE = 2,
  HSA_SMI_EVENT_GPU_PRE_RESET = 3,
  HSA_SMI_EVENT_GPU_POST_RESET = 4,
  HSA_SMI_EVENT_MIGRATE_START = 5,
  HSA_SMI_EVENT_MIGRATE_END = 6,
  HSA_SMI_EVENT_PAGE_FAULT_START = 7,
  HSA_SMI_EVENT_PAGE_FAULT_END = 8,
  HSA_SMI_EVENT_QUEUE_EVICTION = 9,
  HSA_SMI_EVENT_QUEUE_RESTORE = 10,
  HSA_SMI_EVENT_UNMAP_FROM_GPU = 11,
  HSA_SMI_EVENT_INDEX_MAX = 12,
  HSA_SMI_EVENT_ALL_PROCESS = 64  // events of every process; needs privilege
} HSA_EVENT_TYPE;

typedef enum _HSA_MIGRATE_TRIGGERS {
  HSA_MIGRATE_TRIGGER_PREFETCH,
  HSA_MIGRATE_TRIGGER_PAGEFAULT_GPU,
  HSA_MIGRATE_TRIGGER_PAGEFAULT_CPU,
  HSA_MIGRATE_TRIGGER_TTM_EVICTION
} HSA_MIGRATE_TRIGGERS;

typedef enum _HSA_QUEUE_EVICTION_TRIGGERS {
  HSA_QUEUE_EVICTION_TRIGGER_SVM,
  HSA_QUEUE_EVICTION_TRIGGER_USERPTR,
  HSA_QUEUE_EVICTION_TRIGGER_TTM,
  HSA_QUEUE_EVICTION_TRIGGER_SUSPEND,
  HSA_QUEUE_EVICTION_CRIU_CHECKPOINT,
  HSA_QUEUE_EVICTION_CRIU_RESTORE
} HSA_QUEUE_EVICTION_TRIGGERS;

typedef enum _HSA_SVM_UNMAP_TRIGGERS {
  HSA_SVM_UNMAP_TRIGGER_MMU_NOTIFY,
  HSA_SVM_UNMAP_TRIGGER_MMU_NOTIFY_MIGRATE,
  HSA_SVM_UNMAP_TRIGGER_UNMAP_FROM_CPU
} HSA_SVM_UNMAP_TRIGGERS;

#define HSA_SMI_EVENT_MASK_FROM_INDEX(i) (1ULL << ((i)-1))
#define HSA_SMI_EVENT_MSG_SIZE 96

#pragma pack(pop)
// NOLINTEND(bugprone-reserved-identifier,modernize-use-using)
