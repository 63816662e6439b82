#include "harness/gpu/gem.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <utility>

#include "harness/gpu/error.h"
#include "harness/gpu/kfd.h"

namespace kfdcts::gpu {

GemObject::GemObject(int render_fd, std::uint64_t bytes, std::uint32_t domain, std::uint64_t flags)
    : render_fd_(render_fd), bytes_(bytes) {
  drm_amdgpu_gem_create args{};
  args.in.bo_size = bytes;
  args.in.alignment = 4096;
  args.in.domains = domain;
  args.in.domain_flags = flags;
  Require(Ioctl(render_fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &args), "GEM_CREATE");
  handle_ = args.out.handle;
}

GemObject::GemObject(int render_fd, int dmabuf_fd, std::uint64_t bytes)
    : render_fd_(render_fd), bytes_(bytes) {
  drm_prime_handle args{};
  args.fd = dmabuf_fd;
  Require(Ioctl(render_fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args), "PRIME_FD_TO_HANDLE");
  handle_ = args.handle;
}

GemObject::GemObject(GemObject&& other) noexcept
    : render_fd_(other.render_fd_),
      handle_(std::exchange(other.handle_, 0)),
      bytes_(other.bytes_) {}

GemObject::~GemObject() {
  if (handle_ == 0) return;
  drm_gem_close args{};
  args.handle = handle_;
  Ioctl(render_fd_, DRM_IOCTL_GEM_CLOSE, &args);
}

std::uint64_t GemObject::MmapOffset() const {
  drm_amdgpu_gem_mmap args{};
  args.in.handle = handle_;
  Require(Ioctl(render_fd_, DRM_IOCTL_AMDGPU_GEM_MMAP, &args), "GEM_MMAP");
  return args.out.addr_ptr;
}

UniqueFd GemObject::ExportDmabuf() const {
  drm_prime_handle args{};
  args.handle = handle_;
  args.flags = DRM_CLOEXEC | DRM_RDWR;
  Require(Ioctl(render_fd_, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args), "PRIME_HANDLE_TO_FD");
  return UniqueFd(args.fd);
}

FileMapping::FileMapping(int fd, std::uint64_t offset, std::uint64_t bytes) : bytes_(bytes) {
  void* map =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (map == MAP_FAILED) throw GpuError(errno, "mmap of a file");
  data_ = static_cast<std::byte*>(map);
}

FileMapping::~FileMapping() { munmap(data_, bytes_); }

}  // namespace kfdcts::gpu
