#pragma once

#include "harness/uapi/kfd_compat.h"

// Flags that older headers lack (include/uapi/linux/kfd_ioctl.h of KFD 1.13 and 1.16).
#ifndef KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT
#define KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT (1 << 24)
#endif
#ifndef KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS
#define KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS (1 << 23)
#endif
#ifndef KFD_IOCTL_SVM_FLAG_EXT_COHERENT
#define KFD_IOCTL_SVM_FLAG_EXT_COHERENT 0x00000080
#endif
