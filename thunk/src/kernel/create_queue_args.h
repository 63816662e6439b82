#pragma once

#include "harness/uapi/kfd_compat.h"

namespace kfdcts::thunk {

/// CREATE_QUEUE's arguments as of KFD 1.17, which added the SDMA engine; an older kernel ignores
/// what is behind its own. System headers may have either form.
#ifdef KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID
using CreateQueueArgs = kfd_ioctl_create_queue_args;
#else
struct CreateQueueArgs : kfd_ioctl_create_queue_args {
  __u32 sdma_engine_id;
  __u32 metadata_ring_size;  ///< For AQL queues of KFD 1.19 and newer; 0: none.
};
#define KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID 0x4
#endif
static_assert(sizeof(CreateQueueArgs) == 96);

inline constexpr unsigned long kCreateQueue = AMDKFD_IOWR(0x02, CreateQueueArgs);

}  // namespace kfdcts::thunk
