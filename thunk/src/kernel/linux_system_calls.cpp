#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "thunk/src/kernel/system_calls.h"

namespace kfdcts::thunk {
namespace {

int ResultOf(long result) { return result < 0 ? -errno : static_cast<int>(result); }

class Linux final : public SystemCalls {
 public:
  int Open(const char* path, int flags) override {
    long fd;
    do {
      fd = ::open(path, flags);
    } while (fd < 0 && errno == EINTR);
    return ResultOf(fd);
  }

  // Linux closes the descriptor also where it answers EINTR.
  int Close(int fd) override { return ResultOf(::close(fd)); }

  int Ioctl(int fd, unsigned long request, void* argument) override {
    return ResultOf(::ioctl(fd, request, argument));
  }

  int Mmap(void* address, std::size_t size, int protection, int flags, int fd, off_t offset,
           void** mapped) override {
    void* result = ::mmap(address, size, protection, flags, fd, offset);
    if (result == MAP_FAILED) return -errno;
    *mapped = result;
    return 0;
  }

  int Munmap(void* address, std::size_t size) override { return ResultOf(::munmap(address, size)); }

  int Madvise(void* address, std::size_t size, int advice) override {
    return ResultOf(::madvise(address, size, advice));
  }

  int Mbind(void* address, std::size_t size, int mode,
            std::span<const unsigned long> nodes) override {
    // The kernel reads one bit less than it is told.
    const unsigned long bits = nodes.empty() ? 0 : nodes.size_bytes() * 8 + 1;
    return ResultOf(::syscall(SYS_mbind, address, size, mode, nodes.data(), bits, 0U));
  }

  int PidfdOpen(pid_t process) override { return ResultOf(::syscall(SYS_pidfd_open, process, 0U)); }

  int PidfdGetfd(int pidfd, int fd) override {
    return ResultOf(::syscall(SYS_pidfd_getfd, pidfd, fd, 0U));
  }

  int AllowTracers() override {
    return ResultOf(::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0));
  }

  int ReadFile(const std::string& path, std::string& content) override;
  int ListFolder(const std::string& path, std::vector<std::string>& names) override;
  int OpenDrmDevice(int render_fd, DrmDevice& device) override;
  void CloseDrmDevice(DrmDevice& device) override;
};

int Linux::ReadFile(const std::string& path, std::string& content) {
  content.clear();
  const int fd = Open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fd;
  char block[4096];
  int result;
  do {
    result = ResultOf(::read(fd, block, sizeof(block)));
    if (result > 0) content.append(block, static_cast<std::size_t>(result));
  } while (result > 0 || result == -EINTR);
  ::close(fd);
  return result;
}

int Linux::ListFolder(const std::string& path, std::vector<std::string>& names) {
  names.clear();
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (!folder) return -errno;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) return -errno;
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
}

int Linux::OpenDrmDevice(int render_fd, DrmDevice& device) {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  amdgpu_device_handle handle = nullptr;
  device = {};
  const int error = amdgpu_device_initialize(render_fd, &major, &minor, &handle);
  if (error != 0) return error < 0 ? error : -error;
  device.handle = handle;
  device.fd = amdgpu_device_get_fd(handle);
  if (const char* name = amdgpu_get_marketing_name(handle)) device.marketing_name = name;
  amdgpu_gpu_info info{};
  if (amdgpu_query_gpu_info(handle, &info) == 0) {
    device.family_id = info.family_id;
    device.integrated = (info.ids_flags & AMDGPU_IDS_FLAGS_FUSION) != 0;
  }
  return 0;
}

void Linux::CloseDrmDevice(DrmDevice& device) {
  if (device.handle != nullptr) {
    amdgpu_device_deinitialize(static_cast<amdgpu_device_handle>(device.handle));
  }
  device = {};
}

}  // namespace

SystemCalls& LinuxSystemCalls() {
  static Linux calls;
  return calls;
}

}  // namespace kfdcts::thunk
