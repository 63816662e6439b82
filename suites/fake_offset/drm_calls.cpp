#include "suites/fake_offset/drm_calls.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <drm_mode.h>
#include <fcntl.h>
#include <xf86drm.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/gpu/error.h"
#include "harness/gpu/kfd.h"

namespace kfdcts::suites {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSysfs = "/sys/class/drm";

/// The card node that has the same device as a render node, by its name in sysfs.
std::optional<std::string> CardBeside(const std::string& render) {
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator(fs::path(kSysfs) / render / "device/drm", error)) {
    std::string name = entry.path().filename();
    if (name.starts_with("card")) return name;
  }
  return std::nullopt;
}

std::string DriverOf(int fd) {
  const std::unique_ptr<drmVersion, decltype(&drmFreeVersion)> version(drmGetVersion(fd),
                                                                       drmFreeVersion);
  if (!version) return {};
  return {version->name, static_cast<std::size_t>(version->name_len)};
}

}  // namespace

DrmNodes NodesOfRenderMinor(int minor) {
  const std::string render = "renderD" + std::to_string(minor);
  const auto card = CardBeside(render);
  if (!card) throw std::runtime_error(render + " has no card node");
  return {"/dev/dri/" + *card, "/dev/dri/" + render};
}

std::optional<DrmNodes> NodesOfDriver(const std::string& driver) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev/dri", error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("renderD")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const UniqueFd fd(open(("/dev/dri/" + name).c_str(), O_RDWR | O_CLOEXEC));
    const auto card = CardBeside(name);
    if (fd.valid() && card && DriverOf(fd.get()) == driver) {
      return DrmNodes{"/dev/dri/" + *card, "/dev/dri/" + name};
    }
  }
  return std::nullopt;
}

UniqueFd OpenNode(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.valid()) throw std::system_error(errno, std::generic_category(), path);
  return fd;
}

int CloseHandle(int fd, std::uint32_t handle) {
  drm_gem_close args{};
  args.handle = handle;
  return gpu::Ioctl(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

int NameHandle(int fd, std::uint32_t handle, std::uint32_t* name) {
  drm_gem_flink args{};
  args.handle = handle;
  const int error = gpu::Ioctl(fd, DRM_IOCTL_GEM_FLINK, &args);
  *name = args.name;
  return error;
}

int OpenName(int fd, std::uint32_t name, std::uint32_t* handle) {
  drm_gem_open args{};
  args.name = name;
  const int error = gpu::Ioctl(fd, DRM_IOCTL_GEM_OPEN, &args);
  *handle = args.handle;
  return error;
}

int AskDumb(int fd, std::uint32_t handle, std::uint64_t* offset) {
  drm_mode_map_dumb args{};
  args.handle = handle;
  const int error = gpu::Ioctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &args);
  *offset = args.offset;
  return error;
}

int AskAmdgpu(int fd, std::uint32_t handle, std::uint64_t* offset) {
  drm_amdgpu_gem_mmap args{};
  args.in.handle = handle;
  const int error = gpu::Ioctl(fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &args);
  *offset = args.out.addr_ptr;
  return error;
}

int Export(int fd, std::uint32_t handle, UniqueFd* dma_buf) {
  drm_prime_handle args{};
  args.handle = handle;
  args.flags = DRM_CLOEXEC | DRM_RDWR;
  const int error = gpu::Ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);
  if (error == 0) *dma_buf = UniqueFd(args.fd);
  return error;
}

int Import(int fd, int dma_buf, std::uint32_t* handle) {
  drm_prime_handle args{};
  args.fd = dma_buf;
  const int error = gpu::Ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);
  *handle = args.handle;
  return error;
}

int TryMap(int fd, std::uint64_t offset, std::uint64_t bytes, int protection, int flags) {
  void* const map = mmap(nullptr, bytes, protection, flags, fd, static_cast<off_t>(offset));
  if (map == MAP_FAILED) return errno;
  munmap(map, bytes);
  return 0;
}

UniqueFd Exported(int fd, std::uint32_t handle) {
  UniqueFd dma_buf;
  gpu::Require(Export(fd, handle, &dma_buf), "PRIME_HANDLE_TO_FD");
  return dma_buf;
}

Handle Handle::Of(int fd, const UniqueFd& dma_buf) {
  std::uint32_t handle = 0;
  gpu::Require(Import(fd, dma_buf.get(), &handle), "PRIME_FD_TO_HANDLE");
  return {fd, handle};
}

Handle Handle::OfName(int fd, std::uint32_t name) {
  std::uint32_t handle = 0;
  gpu::Require(OpenName(fd, name, &handle), "GEM_OPEN");
  return {fd, handle};
}

Handle::Handle(Handle&& other) noexcept
    : fd_(other.fd_), handle_(std::exchange(other.handle_, 0)) {}

Handle::~Handle() {
  if (handle_ != 0) Close();
}

int Handle::Close() { return CloseHandle(fd_, std::exchange(handle_, 0)); }

}  // namespace kfdcts::suites
