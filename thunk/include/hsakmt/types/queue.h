// Queues and their context save areas.
#pragma once

#include "base.h"

// NOLINTBEGIN(bugprone-reserved-identifier,modernize-use-using): names that callers rely on
#pragma pack(push, 4)

typedef enum _HSA_QUEUE_PRIORITY {
  HSA_QUEUE_PRIORITY_MINIMUM = -3,
  HSA_QUEUE_PRIORITY_LOW = -2,
  HSA_QUEUE_PRIORITY_BELOW_NORMAL = -1,
  HSA_QUEUE_PRIORITY_NORMAL = 0,
  HSA_QUEUE_PRIORITY_ABOVE_NORMAL = 1,
  HSA_QUEUE_PRIORITY_HIGH = 2,
  HSA_QUEUE_PRIORITY_MAXIMUM = 3,
  HSA_QUEUE_PRIORITY_NUM_PRIORITY,
  HSA_QUEUE_PRIORITY_SIZE = 0xFFFFFFFF
} HSA_QUEUE_PRIORITY;

typedef enum _HSA_QUEUE_TYPE {
  HSA_QUEUE_COMPUTE = 1,  // PM4 packets
  HSA_QUEUE_SDMA = 2,
  HSA_QUEUE_MULTIMEDIA_DECODE = 3,
  HSA_QUEUE_MULTIMEDIA_ENCODE = 4,
  HSA_QUEUE_SDMA_XGMI = 5,
  HSA_QUEUE_SDMA_BY_ENG_ID = 6,  // on the engine that hsaKmtCreateQueueExt names

  HSA_QUEUE_COMPUTE_OS = 11,
  HSA_QUEUE_SDMA_OS = 12,
  HSA_QUEUE_MULTIMEDIA_DECODE_OS = 13,
  HSA_QUEUE_MULTIMEDIA_ENCODE_OS = 14,

  HSA_QUEUE_COMPUTE_AQL = 21,
  HSA_QUEUE_DMA_AQL = 22,
  HSA_QUEUE_DMA_AQL_XGMI = 23,

  HSA_QUEUE_TYPE_SIZE = 0xFFFFFFFF
} HSA_QUEUE_TYPE;

// First bytes of a queue's context save area. Offsets count from its start; sizes are bytes.
typedef struct {
  HSAuint32 ControlStackOffset;
  HSAuint32 ControlStackSize;
  HSAuint32 WaveStateOffset;
  HSAuint32 WaveStateSize;
  HSAuint32 DebugOffset;  // 64-byte aligned
  HSAuint32 DebugSize;
  volatile HSAint64* ErrorReason;  // signal payload that gets the queue's exception bits
  HSAuint32 ErrorEventId;
  HSAuint32 Reserved1;
} HsaUserContextSaveAreaHeader;

typedef struct {
  HSAuint32 QueueDetailError;
  HSAuint32 QueueTypeExtended;
  HSAuint32 NumCUAssigned;  // bits in CUMaskInfo, a multiple of 32; 0: not known
  HSAuint32* CUMaskInfo;
  HSAuint32* UserContextSaveArea;
  HSAuint64 SaveAreaSizeInBytes;
  HSAuint32* ControlStackTop;
  HSAuint64 ControlStackUsedInBytes;
  HsaUserContextSaveAreaHeader* SaveAreaHeader;
  HSAuint64 Reserved2;
} HsaQueueInfo;

// Of an AQL queue the read and write pointer go in, each in a mapping of one page on the queue's GPU;
// other queues get the thunk's. ErrorReason goes in and may be null. All else comes back.
typedef struct _HsaQueueResource {
  HSA_QUEUEID QueueId;
  union {
    HSAuint32* Queue_DoorBell;
    HSAuint64* Queue_DoorBell_aql;
    HSAuint64 QueueDoorBell;
  };
  union {
    HSAuint32* Queue_write_ptr;
    HSAuint64* Queue_write_ptr_aql;
    HSAuint64 QueueWptrValue;
  };
  union {
    HSAuint32* Queue_read_ptr;
    HSAuint64* Queue_read_ptr_aql;
    HSAuint64 QueueRptrValue;
  };
  volatile HSAint64* ErrorReason;
} HsaQueueResource;

typedef struct _HsaQueueReport {
  HSAuint32 VMID;
  void* QueueAddress;
  HSAuint64 QueueSize;
} HsaQueueReport;

#pragma pack(pop)
// NOLINTEND(bugprone-reserved-identifier,modernize-use-using)
