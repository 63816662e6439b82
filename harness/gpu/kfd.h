#pragma once

#include <sys/ioctl.h>

#include <cerrno>

#include "harness/gpu/error.h"
#include "harness/gpu/unique_fd.h"
#include "harness/uapi/kfd_compat.h"

namespace kfdcts::gpu {

/// One ioctl, again where a signal interrupted it. 0 or the errno.
int Ioctl(int fd, unsigned long request, void* args);

/// An open /dev/kfd. Belongs to the process that opened it: a forked child gets EBADF.
class Kfd {
 public:
  /// Throws GpuError where it cannot be opened.
  explicit Kfd(const char* path = "/dev/kfd");

  int fd() const { return fd_.get(); }

  /// 0 or the errno.
  template <class Args>
  int Call(unsigned long request, Args& args) const {
    return Ioctl(fd_.get(), request, &args);
  }

  /// As Call; throws GpuError with `name` where the call fails.
  template <class Args>
  void Do(unsigned long request, Args& args, const char* name) const {
    Require(Call(request, args), name);
  }

  /// Major and minor of the interface, as 1.23 → {1, 23}.
  kfd_ioctl_get_version_args Version() const;

  /// VRAM in bytes that KFD would still give out on this GPU.
  std::uint64_t AvailableMemory(std::uint32_t gpu_id) const;

  /// 1 on, 0 off, −1 where the kernel has no XNACK mode (no KFD SVM).
  int XnackMode() const;

  /// 0 or the errno.
  int SetXnackMode(int mode) const;

 private:
  UniqueFd fd_;
};

}  // namespace kfdcts::gpu
