// Memory for the thunk's own queues and events.
#include <sys/mman.h>

#include <mutex>
#include <utility>

#include "thunk/src/kernel/status.h"
#include "thunk/src/memory/books.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint32_t kSystemFlags =
    KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
    KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;

std::uint32_t KernelFlags(Memory::InternalKind kind) {
  switch (kind) {
    case Memory::InternalKind::kUncachedSystem:
    case Memory::InternalKind::kSignals:
      return kSystemFlags | KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED;
    case Memory::InternalKind::kSystem:
      return kSystemFlags;
    case Memory::InternalKind::kVram:
      return KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
             KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE;
    case Memory::InternalKind::kDoorbells:
      return KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
             KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;
  }
  return 0;
}

/// Those that reach the process's addresses.
Gpus SharingAddresses(Gpus gpus) {
  std::erase_if(gpus, [](const Gpu* gpu) { return AddressSpace::HasOwnAperture(*gpu); });
  return gpus;
}

}  // namespace

HSAKMT_STATUS Memory::AllocateInternal(HSAuint32 node, std::size_t size, InternalKind kind,
                                       Internal& memory, std::uint64_t doorbell_offset) {
  const Gpu* gpu = FindGpu(books_->gpus, node);
  if (gpu == nullptr) return HSAKMT_STATUS_INVALID_NODE_UNIT;
  const std::lock_guard operation(books_->operations);
  Books::Owned object = books_->New();
  const std::uint64_t bytes = RoundUpToPage(size);
  const Place place = kind == InternalKind::kVram ? Place::kSvm : Place::kSvmAlternate;
  if (const int error = books_->Reserve(*object, {place, gpu, bytes, 0, 0}); error < 0) {
    return StatusOf(error);
  }
  std::uint64_t offset = 0;
  int error = books_->AllocateMemory(*object, *gpu, KernelFlags(kind), offset);
  if (error == 0 && kind == InternalKind::kDoorbells) {
    // What the allocation answered is of the render node, which maps no doorbells.
    error = books_->MapForCpu(object->start, bytes, PROT_READ | PROT_WRITE, books_->kfd.fd(),
                              doorbell_offset);
  } else if (error == 0 && kind != InternalKind::kVram) {
    error = books_->MapForCpu(object->start, bytes, PROT_READ | PROT_WRITE, gpu->drm_fd, offset);
  }
  if (error == 0) {
    error = books_->MapOn(
        *object, kind == InternalKind::kSignals ? SharingAddresses(books_->AllGpus()) : Gpus{gpu});
  }
  if (error < 0) return StatusOf(error);
  memory.address = reinterpret_cast<void*>(object->start);
  memory.handle = object->handles.front();
  memory.size = bytes;
  memory.object = object.release();
  return HSAKMT_STATUS_SUCCESS;
}

void Memory::FreeInternal(Internal& memory) {
  if (memory.object == nullptr) return;
  const std::lock_guard operation(books_->operations);
  const Books::Owned gone(std::exchange(memory, {}).object, Books::GiveBack{books_.get()});
}

}  // namespace kfdcts::thunk
