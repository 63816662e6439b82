// Integer types, identifiers and status codes of the hsaKmt API.
//
// Every structure of this API is laid out with 4-byte packing, so 64-bit members may sit on a
// 4-byte boundary: take copies of members, never references or pointers to them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// NOLINTBEGIN(bugprone-reserved-identifier,modernize-use-using): names that callers rely on

#define HSAKMT_VERSION_MAJOR 0
#define HSAKMT_VERSION_MINOR 99

// How the calls are declared: they are what a library of hidden symbols shows.
#define HSAKMTAPI __attribute__((visibility("default")))

typedef uint8_t HSAuint8;
typedef int8_t HSAint8;
typedef uint16_t HSAuint16;
typedef int16_t HSAint16;
typedef uint32_t HSAuint32;
typedef int32_t HSAint32;
typedef uint64_t HSAuint64;
typedef int64_t HSAint64;

typedef void* HSA_HANDLE;
typedef HSAuint64 HSA_QUEUEID;

// Values that no queue, process or node ever has.
#define INVALID_QUEUEID 0xFFFFFFFFFFFFFFFFULL
#define INVALID_PID 0xFFFFFFFF
#define INVALID_NODEID 0xFFFFFFFF

#pragma pack(push, 4)

typedef enum _HSAKMT_STATUS {
  HSAKMT_STATUS_SUCCESS = 0,
  HSAKMT_STATUS_ERROR = 1,  // failed, and no other code says it better
  HSAKMT_STATUS_DRIVER_MISMATCH = 2,

  HSAKMT_STATUS_INVALID_PARAMETER = 3,
  HSAKMT_STATUS_INVALID_HANDLE = 4,
  HSAKMT_STATUS_INVALID_NODE_UNIT = 5,

  HSAKMT_STATUS_NO_MEMORY = 6,
  HSAKMT_STATUS_BUFFER_TOO_SMALL = 7,

  HSAKMT_STATUS_NOT_IMPLEMENTED = 10,
  HSAKMT_STATUS_NOT_SUPPORTED = 11,
  HSAKMT_STATUS_UNAVAILABLE = 12,  // not now; may be later
  HSAKMT_STATUS_OUT_OF_RESOURCES = 13,

  HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED = 20,  // hsaKmtOpenKFD is missing or failed
  HSAKMT_STATUS_KERNEL_COMMUNICATION_ERROR = 21,
  HSAKMT_STATUS_KERNEL_ALREADY_OPENED = 22,  // a second open: it counts, and needs its own close
  HSAKMT_STATUS_HSAMMU_UNAVAILABLE = 23,

  HSAKMT_STATUS_WAIT_FAILURE = 30,
  HSAKMT_STATUS_WAIT_TIMEOUT = 31,

  HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED = 35,
  HSAKMT_STATUS_MEMORY_NOT_REGISTERED = 36,
  HSAKMT_STATUS_MEMORY_ALIGNMENT = 37,
} HSAKMT_STATUS;

// Version of the kernel's KFD interface.
typedef struct _HsaVersionInfo {
  HSAuint32 KernelInterfaceMajorVersion;
  HSAuint32 KernelInterfaceMinorVersion;
} HsaVersionInfo;

#pragma pack(pop)
// NOLINTEND(bugprone-reserved-identifier,modernize-use-using)
