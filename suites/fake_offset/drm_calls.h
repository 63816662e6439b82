#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <optional>
#include <string>

#include "harness/gpu/unique_fd.h"

namespace kfdcts::suites {

using gpu::UniqueFd;

/// The two device files of a DRM device.
struct DrmNodes {
  std::string card;    ///< "/dev/dri/card0".
  std::string render;  ///< "/dev/dri/renderD128".
};

/// Those of the device with this render minor. Throws std::runtime_error where there is no card.
DrmNodes NodesOfRenderMinor(int minor);

/// Those of the first device of a driver; none: there is no such device.
std::optional<DrmNodes> NodesOfDriver(const std::string& driver);

/// A new open file. Throws std::system_error.
UniqueFd OpenNode(const std::string& path);

// Below: 0 or the errno, so that a test can name the one that it expects.

int CloseHandle(int fd, std::uint32_t handle);
/// A handle's name for GEM_OPEN, of a card node.
int NameHandle(int fd, std::uint32_t handle, std::uint32_t* name);
int OpenName(int fd, std::uint32_t name, std::uint32_t* handle);
int AskDumb(int fd, std::uint32_t handle, std::uint64_t* offset);
int AskAmdgpu(int fd, std::uint32_t handle, std::uint64_t* offset);
int Export(int fd, std::uint32_t handle, UniqueFd* dma_buf);
int Import(int fd, int dma_buf, std::uint32_t* handle);

/// Maps and unmaps at once.
int TryMap(int fd, std::uint64_t offset, std::uint64_t bytes,
           int protection = PROT_READ | PROT_WRITE, int flags = MAP_SHARED);

/// The dma-buf of a handle. Throws std::system_error.
UniqueFd Exported(int fd, std::uint32_t handle);

/// A handle that came by import or by name; closed in the end.
class Handle {
 public:
  Handle(int fd, std::uint32_t handle) : fd_(fd), handle_(handle) {}
  /// Of a dma-buf. Throws std::system_error.
  static Handle Of(int fd, const UniqueFd& dma_buf);
  /// Of a name. Throws std::system_error.
  static Handle OfName(int fd, std::uint32_t name);
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&&) = delete;
  ~Handle();

  std::uint32_t get() const { return handle_; }
  /// Now; 0 or the errno.
  int Close();

 private:
  int fd_;
  std::uint32_t handle_;
};

}  // namespace kfdcts::suites
