#include "harness/gpu/kfd.h"

#include <fcntl.h>

#include <string>

namespace kfdcts::gpu {

int Ioctl(int fd, unsigned long request, void* args) {
  int result = 0;
  do {
    result = ioctl(fd, request, args);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? errno : 0;
}

Kfd::Kfd(const char* path) : fd_(open(path, O_RDWR | O_CLOEXEC)) {
  if (!fd_.valid()) throw GpuError(errno, std::string("open ") + path);
}

kfd_ioctl_get_version_args Kfd::Version() const {
  kfd_ioctl_get_version_args args{};
  Do(AMDKFD_IOC_GET_VERSION, args, "GET_VERSION");
  return args;
}

std::uint64_t Kfd::AvailableMemory(std::uint32_t gpu_id) const {
  kfd_ioctl_get_available_memory_args args{};
  args.gpu_id = gpu_id;
  Do(AMDKFD_IOC_AVAILABLE_MEMORY, args, "AVAILABLE_MEMORY");
  return args.available;
}

int Kfd::XnackMode() const {
  kfd_ioctl_set_xnack_mode_args args{};
  args.xnack_enabled = -1;
  return Call(AMDKFD_IOC_SET_XNACK_MODE, args) == 0 ? args.xnack_enabled : -1;
}

int Kfd::SetXnackMode(int mode) const {
  kfd_ioctl_set_xnack_mode_args args{};
  args.xnack_enabled = mode;
  return Call(AMDKFD_IOC_SET_XNACK_MODE, args);
}

}  // namespace kfdcts::gpu
