#include "suites/fake_offset/libdrm_source.h"

#include <amdgpu_drm.h>
#include <fcntl.h>

#include <cerrno>
#include <stdexcept>

#include "harness/gpu/error.h"
#include "harness/probes/proc_maps.h"

namespace kfdcts::suites {

std::uint64_t OffsetOfMapping(const void* address) {
  const auto start = reinterpret_cast<std::uint64_t>(address);
  for (const auto& region : harness::ReadMaps()) {
    if (region.begin == start) return region.offset;
  }
  throw std::runtime_error("no mapping begins there");
}

LibdrmSource::LibdrmSource(DrmNodes nodes) : nodes_(std::move(nodes)) {
  const UniqueFd file = OpenNode(nodes_.render);
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  gpu::Require(-amdgpu_device_initialize(file.get(), &major, &minor, &device_),
               "amdgpu_device_initialize");
}

LibdrmSource::~LibdrmSource() {
  for (const auto& [handle, object] : objects_) amdgpu_bo_free(object);
  amdgpu_device_deinitialize(device_);
}

UniqueFd LibdrmSource::Open() {
  if (opened_) return OpenNode(nodes_.render);
  opened_ = true;
  UniqueFd file(fcntl(amdgpu_device_get_fd(device_), F_DUPFD_CLOEXEC, 0));
  if (!file.valid()) throw gpu::GpuError(errno, "dup of libdrm's file");
  return file;
}

std::uint32_t LibdrmSource::Create(int /*fd*/, std::uint64_t bytes) {
  amdgpu_bo_alloc_request request{};
  request.alloc_size = bytes;
  request.phys_alignment = 4096;
  request.preferred_heap = AMDGPU_GEM_DOMAIN_GTT;
  amdgpu_bo_handle object = nullptr;
  gpu::Require(-amdgpu_bo_alloc(device_, &request, &object), "amdgpu_bo_alloc");
  std::uint32_t handle = 0;
  gpu::Require(-amdgpu_bo_export(object, amdgpu_bo_handle_type_kms, &handle), "amdgpu_bo_export");
  objects_.emplace(handle, object);
  return handle;
}

int LibdrmSource::Ask(int fd, std::uint32_t handle, std::uint64_t* offset) {
  const auto found = objects_.find(handle);
  if (found == objects_.end()) return AskAmdgpu(fd, handle, offset);
  void* address = nullptr;
  if (const int error = amdgpu_bo_cpu_map(found->second, &address); error != 0) return -error;
  *offset = OffsetOfMapping(address);
  return -amdgpu_bo_cpu_unmap(found->second);
}

int LibdrmSource::Close(int fd, std::uint32_t handle) {
  const auto found = objects_.find(handle);
  if (found == objects_.end()) return CloseHandle(fd, handle);
  const int error = -amdgpu_bo_free(found->second);
  objects_.erase(found);
  return error;
}

}  // namespace kfdcts::suites
