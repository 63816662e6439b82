#pragma once

#include <amdgpu.h>

#include <map>

#include "suites/fake_offset/offset_source.h"

namespace kfdcts::suites {

/// The offset at which a mapping of this process begins at `address`; throws std::runtime_error
/// where none does.
std::uint64_t OffsetOfMapping(const void* address);

/// libdrm_amdgpu's own calls. It knows one file of a device a process, perhaps since the thunk
/// opened the device: that is what the first Open() gives, and where Create() makes its objects.
class LibdrmSource : public OffsetSource {
 public:
  /// Throws gpu::GpuError.
  explicit LibdrmSource(DrmNodes nodes);
  ~LibdrmSource() override;
  LibdrmSource(const LibdrmSource&) = delete;
  LibdrmSource& operator=(const LibdrmSource&) = delete;

  const std::string& path() const override { return nodes_.render; }
  const std::string& other_path() const override { return nodes_.card; }
  UniqueFd Open() override;
  bool WorksAfterFork() const override { return false; }
  /// `fd` is the first Open()'s.
  std::uint32_t Create(int fd, std::uint64_t bytes) override;
  /// Of an object of its own by amdgpu_bo_cpu_map, which maps; of another one by ioctl.
  int Ask(int fd, std::uint32_t handle, std::uint64_t* offset) override;
  int Close(int fd, std::uint32_t handle) override;

 private:
  DrmNodes nodes_;
  amdgpu_device_handle device_ = nullptr;
  bool opened_ = false;
  std::map<std::uint32_t, amdgpu_bo_handle> objects_;  ///< By GEM handle.
};

}  // namespace kfdcts::suites
