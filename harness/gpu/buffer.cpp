#include "harness/gpu/buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <string>
#include <utility>

namespace kfdcts::gpu {

const char* Name(BufferKind kind) {
  switch (kind) {
    case BufferKind::kVram:
      return "Vram";
    case BufferKind::kVramPrivate:
      return "VramPrivate";
    case BufferKind::kGtt:
      return "Gtt";
    case BufferKind::kUserptr:
      return "Userptr";
  }
  return "?";
}

std::uint32_t AllocFlags(BufferKind kind) {
  const std::uint32_t access =
      KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE;
  switch (kind) {
    case BufferKind::kVram:
      return access | KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
    case BufferKind::kVramPrivate:
      return access | KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
    case BufferKind::kGtt:
      return access | KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC |
             KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;
    case BufferKind::kUserptr:
      return access | KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;
  }
  return access;
}

int MapHandle(Kfd& kfd, std::uint64_t handle, std::span<const std::uint32_t> gpu_ids,
              std::uint32_t& done) {
  kfd_ioctl_map_memory_to_gpu_args args{};
  args.handle = handle;
  args.device_ids_array_ptr = reinterpret_cast<std::uint64_t>(gpu_ids.data());
  args.n_devices = static_cast<std::uint32_t>(gpu_ids.size());
  const int error = kfd.Call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, args);
  done = args.n_success;
  return error;
}

int UnmapHandle(Kfd& kfd, std::uint64_t handle, std::span<const std::uint32_t> gpu_ids,
                std::uint32_t& done) {
  kfd_ioctl_unmap_memory_from_gpu_args args{};
  args.handle = handle;
  args.device_ids_array_ptr = reinterpret_cast<std::uint64_t>(gpu_ids.data());
  args.n_devices = static_cast<std::uint32_t>(gpu_ids.size());
  const int error = kfd.Call(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, args);
  done = args.n_success;
  return error;
}

int FreeHandle(Kfd& kfd, std::uint64_t handle) {
  kfd_ioctl_free_memory_of_gpu_args args{};
  args.handle = handle;
  return kfd.Call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, args);
}

Buffer::Buffer(Gpu& gpu, BufferKind kind, std::uint64_t bytes, std::uint32_t extra_flags)
    : gpu_(&gpu),
      kind_(kind),
      memory_(
          kind == BufferKind::kUserptr ? HostMemory::Kind::kAnonymous : HostMemory::Kind::kReserved,
          bytes) {
  kfd_ioctl_alloc_memory_of_gpu_args args{};
  args.va_addr = address();
  args.size = this->bytes();
  args.gpu_id = gpu.id();
  args.flags = AllocFlags(kind) | extra_flags;
  if (kind == BufferKind::kUserptr) args.mmap_offset = address();
  Require(gpu.kfd().Call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, args),
          "ALLOC_MEMORY_OF_GPU of " + std::to_string(this->bytes()) + " bytes " + Name(kind));
  handle_ = args.handle;
  try {
    Require(Map(gpu), std::string("MAP_MEMORY_TO_GPU of ") + Name(kind));
    if (kind == BufferKind::kVram || kind == BufferKind::kGtt) {
      mmap_offset_ = args.mmap_offset;
      MapForCpu();
    }
  } catch (...) {
    Release();
    throw;
  }
}

Buffer::Buffer(Buffer&& other) noexcept
    : gpu_(other.gpu_),
      kind_(other.kind_),
      memory_(std::move(other.memory_)),
      handle_(std::exchange(other.handle_, 0)),
      mmap_offset_(other.mmap_offset_),
      mapped_(std::move(other.mapped_)) {}

Buffer::~Buffer() { Release(); }

void Buffer::MapForCpu() {
  void* map = mmap(data(), bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                   gpu_->render_fd(), static_cast<off_t>(mmap_offset_));
  if (map == MAP_FAILED) throw GpuError(errno, std::string("mmap of ") + Name(kind_));
}

int Buffer::Map(Gpu& gpu) {
  const std::uint32_t id = gpu.id();
  std::uint32_t done = 0;
  const int error = MapHandle(gpu_->kfd(), handle_, {&id, 1}, done);
  if (error == 0) mapped_.push_back(&gpu);
  return error;
}

int Buffer::Unmap(Gpu& gpu) {
  const std::uint32_t id = gpu.id();
  std::uint32_t done = 0;
  const int error = UnmapHandle(gpu_->kfd(), handle_, {&id, 1}, done);
  if (error == 0) std::erase(mapped_, &gpu);
  return error;
}

int Buffer::Free() {
  const int error = FreeHandle(gpu_->kfd(), handle_);
  if (error == 0) handle_ = 0;
  return error;
}

void Buffer::Abandon() {
  handle_ = 0;
  memory_.Abandon();
}

void Buffer::Release() {
  if (handle_ == 0) return;
  const std::string what = std::string(" of a ") + Name(kind_) + " buffer";
  while (!mapped_.empty()) {
    if (const int error = Unmap(*mapped_.back())) {
      ReportReleaseFailure("UNMAP_MEMORY_FROM_GPU" + what, error);
      mapped_.pop_back();
    }
  }
  if (const int error = Free()) ReportReleaseFailure("FREE_MEMORY_OF_GPU" + what, error);
}

}  // namespace kfdcts::gpu
