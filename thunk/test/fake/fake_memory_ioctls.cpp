#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "thunk/test/fake/fake_ioctls.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint32_t kVram = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
constexpr std::uint32_t kUserptr = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
constexpr std::uint32_t kDoorbell = KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL;
constexpr std::uint32_t kMmio = KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP;
constexpr std::uint32_t kKinds = kVram | KFD_IOC_ALLOC_MEM_FLAGS_GTT | kUserptr | kDoorbell | kMmio;
constexpr std::uint64_t kAvailabilityAlignment = 2ull << 20;
constexpr int kMmapGpuShift = 46;

std::uint64_t WholePages(std::uint64_t bytes) {
  return (bytes + kFakePage - 1) / kFakePage * kFakePage;
}

std::span<const std::uint32_t> Ids(std::uint64_t pointer, std::uint32_t count) {
  return {reinterpret_cast<const std::uint32_t*>(pointer), count};
}

/// What dma_buf_get says of a descriptor that is no dma-buf.
int NoDmabuf(int fd) { return fcntl(fd, F_GETFD) < 0 ? -EBADF : -EINVAL; }

}  // namespace

bool AllPagesMapped(std::uint64_t start, std::uint64_t end) {
  constexpr std::uint64_t kStep = 1024 * kFakePage;
  unsigned char resident[1024];
  for (start = start / kFakePage * kFakePage; start < end; start += kStep) {
    const std::uint64_t bytes = std::min(kStep, end - start);
    if (mincore(reinterpret_cast<void*>(start), bytes, resident) != 0) return false;
  }
  return true;
}

int FakeKernel::Ioctls::CheckAlloc(const kfd_ioctl_alloc_memory_of_gpu_args& arguments,
                                   std::size_t gpu) const {
  const std::uint32_t kind = arguments.flags & kKinds;
  if (kind == 0) return -EINVAL;
  if (kind == kMmio && arguments.size != kFakePage) return -EINVAL;
  const FakeGpu& model = kernel_.machine_.gpus[gpu];
  if (kind == kDoorbell && arguments.size != DoorbellSlice(model)) return -EINVAL;
  if (!(kind & kVram)) return 0;
  if ((arguments.flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC) && !model.large_bar) return -EINVAL;
  return arguments.size > model.vram_bytes - kernel_.vram_in_use_[gpu] ? -ENOMEM : 0;
}

int FakeKernel::Ioctls::AllocMemory(kfd_ioctl_alloc_memory_of_gpu_args& arguments) {
  const std::uint32_t flags = arguments.flags;
  const std::uint64_t end = arguments.va_addr + arguments.size;
  if (!process_->primary && (flags & kUserptr)) return -EOPNOTSUPP;
  const std::uint64_t user = arguments.mmap_offset;
  if ((arguments.va_addr != 0 || !(flags & kVram)) &&
      process_->svm.Overlaps(arguments.va_addr, end))
    return -EADDRINUSE;
  if ((flags & kUserptr) && process_->svm.Overlaps(user, user + arguments.size)) return -EADDRINUSE;
  std::size_t gpu;
  if (const int error = BoundGpu(arguments.gpu_id, gpu)) return error;
  if (const int error = CheckAlloc(arguments, gpu)) return error;
  if (flags & kUserptr) {
    if (user == 0) return -EINVAL;
    if (kernel_.behaviour_.check_user_pages && !AllPagesMapped(user, user + arguments.size))
      return -EFAULT;
  }

  const bool twice = (flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM) != 0;
  const std::uint64_t bytes = WholePages(twice ? arguments.size / 2 : arguments.size);
  if (bytes == 0) return -EINVAL;
  FakeBuffer buffer;
  buffer.memory = std::make_shared<FakeMemory>(gpu, bytes, flags, &kernel_.vram_in_use_);
  buffer.memory->mmap_offset =
      std::exchange(kernel_.next_mmap_offset_, kernel_.next_mmap_offset_ + bytes);
  buffer.address = arguments.va_addr;
  buffer.bytes = twice ? 2 * bytes : bytes;
  kernel_.AllowMmap(*process_, gpu, buffer.memory);
  arguments.mmap_offset = buffer.memory->mmap_offset;
  // Doorbells keep the render node's, which maps none.
  if (flags & kMmio)
    arguments.mmap_offset = static_cast<std::uint64_t>(arguments.gpu_id) << kMmapGpuShift;
  arguments.handle = process_->Keep(std::move(buffer), gpu);
  return 0;
}

int FakeKernel::Ioctls::FreeMemory(kfd_ioctl_free_memory_of_gpu_args& arguments) {
  const FakeBuffer* buffer = process_->Find(arguments.handle);
  if (!buffer) return -EINVAL;
  const std::shared_ptr<FakeMemory> memory = buffer->memory;
  const int error = process_->Free(arguments.handle);
  if (error == 0) kernel_.ForbidMmap(*process_, GpuOf(arguments.handle >> 32), *memory);
  return error;
}

int FakeKernel::Ioctls::MapMemory(kfd_ioctl_map_memory_to_gpu_args& arguments) {
  if (arguments.n_devices == 0 || arguments.n_success > arguments.n_devices) return -EINVAL;
  std::size_t gpu;
  if (const int error = BoundGpu(arguments.handle >> 32, gpu)) return error;
  FakeBuffer* buffer = process_->Find(arguments.handle);
  if (!buffer) return -ENOMEM;
  const auto ids = Ids(arguments.device_ids_array_ptr, arguments.n_devices);
  for (std::uint32_t i = arguments.n_success; i < ids.size(); ++i) {
    if (const int error = BoundGpu(ids[i], gpu)) return error;
    const auto failure = kernel_.map_failures_.find(ids[i]);
    if (failure != kernel_.map_failures_.end() && failure->second != 0) return -failure->second;
    if (const int error = process_->Map(*buffer, gpu)) return error;
    arguments.n_success = i + 1;
  }
  return 0;
}

int FakeKernel::Ioctls::UnmapMemory(kfd_ioctl_unmap_memory_from_gpu_args& arguments) {
  if (arguments.n_devices == 0 || arguments.n_success > arguments.n_devices) return -EINVAL;
  if (GpuOf(arguments.handle >> 32) == kernel_.machine_.gpus.size()) return -EINVAL;
  FakeBuffer* buffer = process_->Find(arguments.handle);
  if (!buffer) return -ENOMEM;
  const auto ids = Ids(arguments.device_ids_array_ptr, arguments.n_devices);
  for (std::uint32_t i = arguments.n_success; i < ids.size(); ++i) {
    const std::size_t gpu = GpuOf(ids[i]);
    if (gpu == kernel_.machine_.gpus.size()) return -EINVAL;
    if (const int error = process_->Unmap(*buffer, gpu)) return error;
    arguments.n_success = i + 1;
  }
  return 0;
}

int FakeKernel::Ioctls::AvailableMemory(kfd_ioctl_get_available_memory_args& arguments) {
  const std::size_t gpu = GpuOf(arguments.gpu_id);
  if (gpu == kernel_.machine_.gpus.size()) return -EINVAL;
  const std::uint64_t free = kernel_.machine_.gpus[gpu].vram_bytes - kernel_.vram_in_use_[gpu];
  arguments.available = free / kAvailabilityAlignment * kAvailabilityAlignment;
  return 0;
}

int FakeKernel::Ioctls::GetDmabufInfo(kfd_ioctl_get_dmabuf_info_args& arguments) {
  const auto fd = static_cast<int>(arguments.dmabuf_fd);
  const File* dmabuf = kernel_.Find(fd, FileKind::kDmabuf);
  if (!dmabuf) return NoDmabuf(fd);
  const FakeMemory& memory = *dmabuf->memory;
  const std::uint32_t room = arguments.metadata_size;
  arguments.size = memory.bytes;
  arguments.gpu_id = kernel_.machine_.gpus[memory.gpu].gpu_id;
  arguments.flags =
      memory.flags & (kVram | KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
  arguments.metadata_size = static_cast<std::uint32_t>(memory.metadata.size());
  if (memory.metadata.size() > room) return -EINVAL;
  if (arguments.metadata_ptr != 0 && !memory.metadata.empty())
    std::memcpy(reinterpret_cast<void*>(arguments.metadata_ptr), memory.metadata.data(),
                memory.metadata.size());
  return 0;
}

int FakeKernel::Ioctls::ImportDmabuf(kfd_ioctl_import_dmabuf_args& arguments) {
  std::size_t gpu;
  if (const int error = BoundGpu(arguments.gpu_id, gpu)) return error;
  const auto fd = static_cast<int>(arguments.dmabuf_fd);
  const File* dmabuf = kernel_.Find(fd, FileKind::kDmabuf);
  if (!dmabuf) return NoDmabuf(fd);
  FakeBuffer buffer;
  buffer.memory = dmabuf->memory;
  buffer.address = arguments.va_addr;
  buffer.bytes = dmabuf->memory->bytes;
  kernel_.AllowMmap(*process_, gpu, buffer.memory);
  arguments.handle = process_->Keep(std::move(buffer), gpu);
  return 0;
}

int FakeKernel::Ioctls::ExportDmabuf(kfd_ioctl_export_dmabuf_args& arguments) {
  const FakeBuffer* buffer = process_->Find(arguments.handle);
  if (!buffer) return -EINVAL;
  if (buffer->memory->flags & kUserptr) return -EPERM;
  auto file = std::make_shared<File>();
  file->kind = FileKind::kDmabuf;
  file->memory = buffer->memory;
  const int fd = kernel_.Install(std::move(file));
  if (fd < 0) return fd;
  arguments.dmabuf_fd = static_cast<std::uint32_t>(fd);
  return 0;
}

int FakeKernel::Ioctls::CreateEvent(kfd_ioctl_create_event_args& arguments) {
  if (arguments.event_page_offset != 0) {
    if (process_->event_page_handle != 0) return -EINVAL;
    if (!process_->Find(arguments.event_page_offset)) return -EINVAL;
    process_->event_page_handle = arguments.event_page_offset;
  }
  return process_->events.Create(arguments);
}

int FakeKernel::Ioctls::DestroyEvent(kfd_ioctl_destroy_event_args& arguments) {
  return process_->events.Destroy(arguments.event_id);
}

int FakeKernel::Ioctls::SetEvent(kfd_ioctl_set_event_args& arguments) {
  return process_->events.Set(arguments.event_id);
}

int FakeKernel::Ioctls::ResetEvent(kfd_ioctl_reset_event_args& arguments) {
  return process_->events.Reset(arguments.event_id);
}

int FakeKernel::Ioctls::WaitEvents(kfd_ioctl_wait_events_args& arguments) {
  return process_->events.Wait(arguments, lock_);
}

}  // namespace kfdcts::thunk
