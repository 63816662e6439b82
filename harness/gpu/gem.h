#pragma once

#include <cstdint>
#include <span>

#include "harness/gpu/unique_fd.h"

namespace kfdcts::gpu {

/// A DRM buffer object of a render node, by its handle. Closed at the end. Refers to the render
/// node's descriptor.
class GemObject {
 public:
  /// `domain` is AMDGPU_GEM_DOMAIN_*, `flags` AMDGPU_GEM_CREATE_*. Throws GpuError.
  GemObject(int render_fd, std::uint64_t bytes, std::uint32_t domain, std::uint64_t flags);
  /// From a dma-buf. Throws GpuError.
  GemObject(int render_fd, int dmabuf_fd, std::uint64_t bytes);
  GemObject(GemObject&& other) noexcept;
  GemObject& operator=(GemObject&&) = delete;
  ~GemObject();

  std::uint32_t handle() const { return handle_; }
  std::uint64_t bytes() const { return bytes_; }

  /// The fake offset by which it is mapped. Throws GpuError.
  std::uint64_t MmapOffset() const;
  /// Throws GpuError.
  UniqueFd ExportDmabuf() const;

 private:
  int render_fd_;
  std::uint32_t handle_ = 0;
  std::uint64_t bytes_;
};

/// A shared, readable and writable mapping of a file. Unmapped at the end.
class FileMapping {
 public:
  /// Throws GpuError.
  FileMapping(int fd, std::uint64_t offset, std::uint64_t bytes);
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping();

  std::span<std::byte> span() const { return {data_, bytes_}; }

 private:
  std::byte* data_;
  std::uint64_t bytes_;
};

}  // namespace kfdcts::gpu
