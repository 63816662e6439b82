#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "harness/test_support/gpu_node.h"
#include "harness/thunk/thunk.h"
#include "suites/fake_offset/drm_calls.h"

namespace kfdcts::suites {

/// A way to make buffer objects of one DRM device and to ask for their mmap offsets.
class OffsetSource {
 public:
  virtual ~OffsetSource() = default;

  /// Where its buffers are made.
  virtual const std::string& path() const = 0;
  /// The device's other node.
  virtual const std::string& other_path() const = 0;

  /// New open files, allowed to do what a test does. Throw std::system_error, or
  /// harness::CapabilityMissing where the card node has another master, who does not allow it.
  virtual UniqueFd Open() { return OpenPath(path()); }
  UniqueFd OpenOther() { return OpenPath(other_path()); }
  UniqueFd OpenCard() { return OpenPath(PathsAreSwapped() ? other_path() : path()); }
  UniqueFd OpenRender() { return OpenPath(PathsAreSwapped() ? path() : other_path()); }

  /// A new object's handle of `fd`. Throws std::system_error or ThunkFailure.
  virtual std::uint32_t Create(int fd, std::uint64_t bytes) = 0;

  /// 0 or the errno.
  virtual int Ask(int fd, std::uint32_t handle, std::uint64_t* offset) = 0;

  /// Whether Create() takes sizes that are no multiple of a page.
  virtual bool TakesPartialPages() const { return true; }

  /// Whether it is plain ioctls, for any file and thread.
  virtual bool IsStateless() const { return false; }

  /// Whether a forked child can Create().
  virtual bool WorksAfterFork() const { return true; }

  /// Gives up a handle of Create(). 0 or the errno.
  virtual int Close(int fd, std::uint32_t handle) { return CloseHandle(fd, handle); }

 private:
  bool PathsAreSwapped() const { return !IsCard(path()); }
  static bool IsCard(const std::string& path) { return path.starts_with("/dev/dri/card"); }
  UniqueFd OpenPath(const std::string& path);

  UniqueFd master_;  ///< Opened before the first other file of the card node: it lets those in.
};

/// Names of the sources of a GPU, as they stand in names of tests.
struct SourceCase {
  std::string_view name;
  std::unique_ptr<OffsetSource> (*make)(const harness::GpuNode& gpu,
                                        const harness::ThunkApi& thunk);
};

/// Every source of a GPU. make() throws harness::CapabilityMissing where it does not work here.
inline constexpr std::size_t kGpuSourceCount = 5;
extern const SourceCase kGpuSources[kGpuSourceCount];

/// vgem's dumb buffers. Throws harness::CapabilityMissing.
std::unique_ptr<OffsetSource> MakeVgemSource();

/// DRM_IOCTL_MODE_CREATE_DUMB on a card node.
class DumbSource : public OffsetSource {
 public:
  /// Throws std::system_error.
  explicit DumbSource(DrmNodes nodes);

  const std::string& path() const override { return nodes_.card; }
  const std::string& other_path() const override { return nodes_.render; }
  std::uint32_t Create(int fd, std::uint64_t bytes) override;
  bool IsStateless() const override { return true; }
  int Ask(int fd, std::uint32_t handle, std::uint64_t* offset) override {
    return AskDumb(fd, handle, offset);
  }

 private:
  DrmNodes nodes_;
};

/// DRM_IOCTL_AMDGPU_GEM_CREATE and _MMAP on a render node.
class GemSource : public OffsetSource {
 public:
  /// AMDGPU_GEM_DOMAIN_* and AMDGPU_GEM_CREATE_*.
  GemSource(DrmNodes nodes, std::uint64_t domain, std::uint64_t flags);

  const std::string& path() const override { return nodes_.render; }
  const std::string& other_path() const override { return nodes_.card; }
  std::uint32_t Create(int fd, std::uint64_t bytes) override;
  bool IsStateless() const override { return true; }
  int Ask(int fd, std::uint32_t handle, std::uint64_t* offset) override {
    return AskAmdgpu(fd, handle, offset);
  }

 private:
  DrmNodes nodes_;
  std::uint64_t domain_;
  std::uint64_t flags_;
};

/// An object of a source; its handle is closed in the end. Throws as OffsetSource::Create.
class Buffer {
 public:
  Buffer(OffsetSource& source, const UniqueFd& file, std::uint64_t bytes);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();

  std::uint32_t handle() const { return handle_; }
  int fd() const { return fd_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Asks. Throws std::system_error.
  std::uint64_t Offset() const;
  /// Now; 0 or the errno.
  int Close();

 private:
  OffsetSource& source_;
  int fd_;
  std::uint32_t handle_;
  std::uint64_t bytes_;
};

}  // namespace kfdcts::suites
