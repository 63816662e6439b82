#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/gpu/kfd.h"

namespace kfdcts::gpu {

using SvmAttribute = kfd_ioctl_svm_attribute;

/// SVM ioctl on [address, address + bytes). `attributes` come back as the kernel left them. 0 or
/// the errno.
int SvmCall(const Kfd& kfd, std::uint32_t operation, const void* address, std::uint64_t bytes,
            std::span<SvmAttribute> attributes);

int SvmSet(const Kfd& kfd, std::span<std::byte> range, std::vector<SvmAttribute> attributes);
int SvmGet(const Kfd& kfd, std::span<std::byte> range, std::span<SvmAttribute> attributes);

/// Sets PREFETCH_LOC: `location` is a gpu_id, or 0 for system memory. 0 or the errno.
int SvmPrefetch(const Kfd& kfd, std::span<std::byte> range, std::uint32_t location);

/// Whether the kernel was built with KFD SVM: without, the whole call is refused with EPERM.
bool HasSvm(const Kfd& kfd);

}  // namespace kfdcts::gpu
