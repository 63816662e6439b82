#include "suites/support/graphics_buffer.h"

#include <amdgpu_drm.h>
#include <fcntl.h>
#include <unistd.h>
#include <xf86drm.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace kfdcts::suites {
namespace {

[[noreturn]] void Fail(const std::string& step) {
  throw std::system_error(errno, std::generic_category(), step);
}

}  // namespace

GraphicsBuffer::GraphicsBuffer(int render_minor, std::size_t size, bool in_vram) : size_(size) {
  const std::string path = "/dev/dri/renderD" + std::to_string(render_minor);
  render_fd_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (render_fd_ < 0) Fail(path);
  union drm_amdgpu_gem_create create {};
  create.in.bo_size = size;
  create.in.alignment = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  create.in.domains = in_vram ? AMDGPU_GEM_DOMAIN_VRAM : AMDGPU_GEM_DOMAIN_GTT;
  if (drmIoctl(render_fd_, DRM_IOCTL_AMDGPU_GEM_CREATE, &create) != 0) {
    const int error = errno;
    Close();
    errno = error;
    Fail("DRM_IOCTL_AMDGPU_GEM_CREATE");
  }
  handle_ = create.out.handle;
  if (drmPrimeHandleToFD(render_fd_, handle_, DRM_CLOEXEC | DRM_RDWR, &dma_buf_) != 0) {
    const int error = errno;
    Close();
    errno = error;
    Fail("DRM_IOCTL_PRIME_HANDLE_TO_FD");
  }
}

GraphicsBuffer::~GraphicsBuffer() { Close(); }

void GraphicsBuffer::SetMetadata(std::span<const std::uint32_t> words) {
  struct drm_amdgpu_gem_metadata metadata {};
  if (words.size() > std::size(metadata.data.data)) throw std::length_error("metadata");
  metadata.handle = handle_;
  metadata.op = AMDGPU_GEM_METADATA_OP_SET_METADATA;
  metadata.data.data_size_bytes = static_cast<std::uint32_t>(words.size_bytes());
  std::copy(words.begin(), words.end(), metadata.data.data);
  if (drmIoctl(render_fd_, DRM_IOCTL_AMDGPU_GEM_METADATA, &metadata) != 0) {
    Fail("DRM_IOCTL_AMDGPU_GEM_METADATA");
  }
}

void GraphicsBuffer::Close() {
  if (dma_buf_ >= 0) close(dma_buf_);
  if (handle_ != 0) drmCloseBufferHandle(render_fd_, handle_);
  if (render_fd_ >= 0) close(render_fd_);
}

}  // namespace kfdcts::suites
