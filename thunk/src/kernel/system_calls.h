#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kfdcts::thunk {

/// What libdrm_amdgpu knows of a render node.
struct DrmDevice {
  void* handle = nullptr;  ///< amdgpu_device_handle; null where libdrm refused the node.
  int fd = -1;             ///< The handle's own duplicate of the descriptor; belongs to the handle.
  std::string marketing_name;
  std::uint32_t family_id = 0;
  bool integrated = false;  ///< AMDGPU_IDS_FLAGS_FUSION.
};

/// Every system call that the thunk makes, one function each and no policy; unit tests and
/// benchmarks put a kernel of their own behind it. Results are Linux's: a value, or -errno. Calls
/// may come from any thread.
class SystemCalls {
 public:
  virtual ~SystemCalls() = default;

  virtual int Open(const char* path, int flags) = 0;
  virtual int Close(int fd) = 0;
  /// One call, never repeated: what a signal does to it is the caller's to decide.
  virtual int Ioctl(int fd, unsigned long request, void* argument) = 0;

  /// `*mapped` is written on success only.
  virtual int Mmap(void* address, std::size_t size, int protection, int flags, int fd, off_t offset,
                   void** mapped) = 0;
  virtual int Munmap(void* address, std::size_t size) = 0;
  virtual int Madvise(void* address, std::size_t size, int advice) = 0;
  /// mbind(2) with MPOL_* and one bit a NUMA node.
  virtual int Mbind(void* address, std::size_t size, int mode,
                    std::span<const unsigned long> nodes) = 0;

  virtual int PidfdOpen(pid_t process) = 0;
  virtual int PidfdGetfd(int pidfd, int fd) = 0;
  /// Lets any process of the user take descriptors of this one, where Yama asks for that
  /// (PR_SET_PTRACER_ANY); -EINVAL where it does not exist.
  virtual int AllowTracers() = 0;

  /// Replaces `content` by the file's; files of sysfs and procfs, which tell no size.
  virtual int ReadFile(const std::string& path, std::string& content) = 0;
  /// Names in a folder without "." and "..", in no order.
  virtual int ListFolder(const std::string& path, std::vector<std::string>& names) = 0;

  /// amdgpu_device_initialize on a render node and what it then knows. On failure the device is
  /// empty; a device that was given out is taken back by CloseDrmDevice.
  virtual int OpenDrmDevice(int render_fd, DrmDevice& device) = 0;
  virtual void CloseDrmDevice(DrmDevice& device) = 0;
};

/// The real ones.
SystemCalls& LinuxSystemCalls();

}  // namespace kfdcts::thunk
