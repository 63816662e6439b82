#pragma once

/// What newer kernels added to the KFD interface and older linux/kfd_ioctl.h (Linux 6.1, KFD 1.11)
/// lack; only what is used here. Numbers, sizes and layouts are those of
/// include/uapi/linux/kfd_ioctl.h of Linux 7.3 (KFD 1.23). A system header that has them wins.

#include <linux/kfd_ioctl.h>

// KFD 1.12
#ifndef AMDKFD_IOC_EXPORT_DMABUF
struct kfd_ioctl_export_dmabuf_args {
  __u64 handle;     // to KFD
  __u32 flags;      // to KFD: of open(2), as O_CLOEXEC
  __u32 dmabuf_fd;  // from KFD
};
#define AMDKFD_IOC_EXPORT_DMABUF AMDKFD_IOWR(0x24, struct kfd_ioctl_export_dmabuf_args)
#endif

// KFD 1.13
#ifndef AMDKFD_IOC_RUNTIME_ENABLE
#define KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK 1
#define KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK 2

struct kfd_ioctl_runtime_enable_args {
  __u64 r_debug;
  __u32 mode_mask;
  __u32 capabilities_mask;
};
#define AMDKFD_IOC_RUNTIME_ENABLE AMDKFD_IOWR(0x25, struct kfd_ioctl_runtime_enable_args)

// At the start of a queue's context save area; user space writes the last three before it makes the
// queue.
struct kfd_context_save_area_header {
  struct {
    __u32 control_stack_offset;
    __u32 control_stack_size;
    __u32 wave_state_offset;
    __u32 wave_state_size;
  } wave_state;
  __u32 debug_offset;
  __u32 debug_size;
  __u64 err_payload_addr;  // of a __u64 that collects KFD_EC_MASK bits
  __u32 err_event_id;      // a signal event that is set then
  __u32 reserved1;
};

enum kfd_dbg_trap_exception_code {
  EC_QUEUE_PACKET_DISPATCH_CODE_INVALID = 18,
  EC_QUEUE_PACKET_UNSUPPORTED = 20,
};
#define KFD_EC_MASK(ecode) (1ULL << ((ecode)-1))
#endif

// KFD 1.14: the event data's union begins with this for signal events.
#ifndef KFDCTS_HAS_SIGNAL_EVENT_AGE
struct kfdcts_signal_event_data {
  __u64 last_event_age;  // to and from KFD
};
#endif

// KFD 1.17 added the SDMA engine; an older kernel ignores what is behind its own.
#ifdef KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID
using kfdcts_create_queue_args = kfd_ioctl_create_queue_args;
#else
#define KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID 0x4
struct kfdcts_create_queue_args : kfd_ioctl_create_queue_args {
  __u32 sdma_engine_id;
  __u32 metadata_ring_size;  // for AQL queues of KFD 1.19 and newer; 0: none
};
#endif
static_assert(sizeof(kfdcts_create_queue_args) == 96);
#define KFDCTS_IOC_CREATE_QUEUE AMDKFD_IOWR(0x02, kfdcts_create_queue_args)

// KFD 1.19: from then on a process has further contexts with files of their own.
#ifndef AMDKFD_IOC_CREATE_PROCESS
#define AMDKFD_IOC_CREATE_PROCESS AMDKFD_IO(0x27)
#endif
