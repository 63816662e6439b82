#include "harness/gpu/svm.h"

#include <cstddef>
#include <cstring>

#include "harness/gpu/memory.h"

namespace kfdcts::gpu {

int SvmCall(const Kfd& kfd, std::uint32_t operation, const void* address, std::uint64_t bytes,
            std::span<SvmAttribute> attributes) {
  const std::size_t size = sizeof(kfd_ioctl_svm_args) + attributes.size_bytes();
  std::vector<std::uint64_t> storage((size + 7) / 8);
  auto* const args = reinterpret_cast<kfd_ioctl_svm_args*>(storage.data());
  args->start_addr = reinterpret_cast<std::uint64_t>(address);
  args->size = bytes;
  args->op = operation;
  args->nattr = static_cast<std::uint32_t>(attributes.size());
  auto* const list = reinterpret_cast<std::byte*>(args) + sizeof(kfd_ioctl_svm_args);
  if (!attributes.empty()) std::memcpy(list, attributes.data(), attributes.size_bytes());
  // The attributes count into the size that the request number carries.
  const unsigned long request =
      _IOC(_IOC_READ | _IOC_WRITE, AMDKFD_IOCTL_BASE, _IOC_NR(AMDKFD_IOC_SVM), size);
  const int error = Ioctl(kfd.fd(), request, args);
  if (!attributes.empty()) std::memcpy(attributes.data(), list, attributes.size_bytes());
  return error;
}

int SvmSet(const Kfd& kfd, std::span<std::byte> range, std::vector<SvmAttribute> attributes) {
  return SvmCall(kfd, KFD_IOCTL_SVM_OP_SET_ATTR, range.data(), range.size(), attributes);
}

int SvmGet(const Kfd& kfd, std::span<std::byte> range, std::span<SvmAttribute> attributes) {
  return SvmCall(kfd, KFD_IOCTL_SVM_OP_GET_ATTR, range.data(), range.size(), attributes);
}

int SvmPrefetch(const Kfd& kfd, std::span<std::byte> range, std::uint32_t location) {
  return SvmSet(kfd, range, {{KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, location}});
}

bool HasSvm(const Kfd& kfd) {
  const HostMemory page(HostMemory::Kind::kAnonymous, kPageBytes);
  SvmAttribute attribute{KFD_IOCTL_SVM_ATTR_GRANULARITY, 0};
  return SvmGet(kfd, page.span(), {&attribute, 1}) != EPERM;
}

}  // namespace kfdcts::gpu
