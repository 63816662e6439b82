#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <mutex>
#include <utility>

#include "thunk/src/memory/books.h"
#include "thunk/src/memory/kernel_flags.h"

namespace kfdcts::thunk {
namespace {

std::uint64_t BytesOf(unsigned page_size) {
  constexpr unsigned kShifts[] = {12, 16, 21, 30};  // HSA_PAGE_SIZE_*
  return std::uint64_t{1} << kShifts[page_size];
}

std::uint32_t KernelFlags(HsaMemFlags flags) {
  std::uint32_t kernel = 0;
  if (flags.ui32.AQLQueueMemory) {
    kernel |= KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM | KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED;
  }
  if (!flags.ui32.ReadOnly) kernel |= KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
  if (flags.ui32.ExecuteAccess) kernel |= KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE;
  if (!flags.ui32.CoarseGrain) kernel |= KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;
  if (flags.ui32.Uncached) kernel |= KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED;
  if (flags.ui32.ExtendedCoherent) kernel |= KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT;
  return kernel;
}

HSAKMT_STATUS HostStatus(int error) {
  return error == -ENOMEM ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS CheckArguments(HSAuint64 size, HSAuint64 alignment, HsaMemFlags flags,
                             const void* address) {
  const std::uint64_t page = BytesOf(flags.ui32.PageSize);
  const bool bad_alignment =
      alignment != 0 && (alignment < page || !std::has_single_bit(alignment));
  const bool bad_size = size == 0 || size % page != 0;
  const bool bad_address = flags.ui32.FixedAddress && address == nullptr;
  const bool bad_coherence =
      flags.ui32.ExtendedCoherent && (flags.ui32.CoarseGrain || flags.ui32.Uncached);
  const bool neither = flags.ui32.OnlyAddress && flags.ui32.NoAddress;
  return bad_alignment || bad_size || bad_address || bad_coherence || neither
             ? HSAKMT_STATUS_INVALID_PARAMETER
             : HSAKMT_STATUS_SUCCESS;
}

}  // namespace

HSAKMT_STATUS Memory::Allocate(HSAuint32 node, HSAuint64 size, HSAuint64 alignment,
                               HsaMemFlags flags, void** address) {
  const HSAKMT_STATUS status = CheckArguments(size, alignment, flags, *address);
  if (status != HSAKMT_STATUS_SUCCESS) return status;
  const std::uint64_t fixed =
      flags.ui32.FixedAddress ? reinterpret_cast<std::uint64_t>(*address) : 0;
  *address = nullptr;
  const Gpu* gpu = FindGpu(books_->gpus, node);
  const std::lock_guard operation(books_->operations);
  if (flags.ui32.Scratch) {
    if (alignment != 0) return HSAKMT_STATUS_NOT_IMPLEMENTED;
    return books_->AllocateScratch(gpu, size, fixed, address);
  }
  if (flags.ui32.OnlyAddress) return books_->ReserveOnly(size, alignment, flags, fixed, address);
  // Paged memory asked of a GPU's node is system memory, too.
  if (gpu != nullptr && flags.ui32.NonPaged && !flags.ui32.GTTAccess) {
    return books_->AllocateDevice(*gpu, size, alignment, flags, fixed, address);
  }
  const HSAuint32 owner = flags.ui32.GTTAccess ? 0 : node;
  return books_->AllocateHost(gpu, owner, size, alignment, flags, fixed, address);
}

HSAKMT_STATUS Memory::Free(void* address, HSAuint64 size) {
  if (address == nullptr || size == 0) return HSAKMT_STATUS_ERROR;
  const auto start = reinterpret_cast<std::uint64_t>(address);
  const std::lock_guard operation(books_->operations);
  if (ScratchArea* area = books_->FindScratch(start)) return books_->ReleaseScratch(*area);
  MemoryObject* object = books_->FindAt(start, 0);
  if (object == nullptr) return HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
  if (object->is_user_pointer && object->registrations > 1) {
    --object->registrations;
    return HSAKMT_STATUS_SUCCESS;
  }
  // The kernel refuses what is mapped; the object then stays as it was.
  if (books_->FreeHandles(*object) < 0) return HSAKMT_STATUS_ERROR;
  books_->Withdraw(*object);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Books::AllocateDevice(const Gpu& gpu, std::uint64_t size,
                                            std::uint64_t alignment, HsaMemFlags flags,
                                            std::uint64_t fixed, void** address) {
  const bool own_aperture = AddressSpace::HasOwnAperture(gpu);
  AddressSpace::Request request{own_aperture ? Place::kGpuvm : Place::kSvm, &gpu, size, alignment,
                                fixed};
  if (flags.ui32.NoAddress) request.place = Place::kHandle;
  if (flags.ui32.AQLQueueMemory && !own_aperture) request.size = size * 2;
  std::uint32_t kernel_flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KernelFlags(flags);
  if (flags.ui32.HostAccess) kernel_flags |= KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
  if (flags.ui32.Contiguous) kernel_flags |= KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS;
  Owned object = New();
  object->node = gpu.node_id;
  object->flags = flags;
  std::uint64_t offset = 0;
  if (Reserve(*object, request) < 0) return HSAKMT_STATUS_NO_MEMORY;
  if (AllocateMemory(*object, gpu, kernel_flags, offset) < 0) return HSAKMT_STATUS_NO_MEMORY;
  // Memory that the CPU may not touch is mapped as well: a debugger reaches it so.
  const int protection = flags.ui32.HostAccess ? PROT_READ | PROT_WRITE : PROT_NONE;
  if (request.place == Place::kSvm &&
      MapForCpu(object->start, size, protection, gpu.drm_fd, offset) < 0) {
    return HSAKMT_STATUS_NO_MEMORY;
  }
  *address = reinterpret_cast<void*>(Publish(std::move(object)).start);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Books::ReserveOnly(std::uint64_t size, std::uint64_t alignment,
                                         HsaMemFlags flags, std::uint64_t fixed, void** address) {
  const bool coarse = flags.ui32.CoarseGrain;
  const Place place = space.cpu_only() ? Place::kCpu : coarse ? Place::kSvm : Place::kSvmAlternate;
  Owned object = New();
  object->flags = flags;
  if (const int error = Reserve(*object, {place, nullptr, size, alignment, fixed}); error < 0) {
    return HostStatus(error);
  }
  *address = reinterpret_cast<void*>(Publish(std::move(object)).start);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Books::AllocateCpu(std::uint64_t size, std::uint64_t alignment,
                                         HsaMemFlags flags, std::uint64_t fixed, void** address) {
  Owned object = New();
  object->flags = flags;
  object->has_memory = true;
  int error = Reserve(*object, {Place::kCpu, nullptr, size, alignment, fixed});
  if (error < 0) return HostStatus(error);
  int protection = PROT_READ;
  if (!flags.ui32.ReadOnly) protection |= PROT_WRITE;
  if (flags.ui32.ExecuteAccess) protection |= PROT_EXEC;
  error = MapPlainMemory(object->start, size, protection, MAP_PRIVATE);
  if (error < 0) return HostStatus(error);
  *address = reinterpret_cast<void*>(Publish(std::move(object)).start);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Books::AllocateHost(const Gpu* wanted, HSAuint32 node, std::uint64_t size,
                                          std::uint64_t alignment, HsaMemFlags flags,
                                          std::uint64_t fixed, void** address) {
  if (space.cpu_only()) return AllocateCpu(size, alignment, flags, fixed, address);
  const Gpu& gpu = wanted != nullptr ? *wanted : FirstGpu();
  AddressSpace::Request request{flags.ui32.CoarseGrain ? Place::kSvm : Place::kSvmAlternate,
                                nullptr, size, alignment, fixed};
  if (flags.ui32.AQLQueueMemory) request.size = size * 2;
  // Further contexts have no user pointers: there paged memory is the kernel's as well.
  const bool by_user_pointer = !flags.ui32.NonPaged && primary;
  if (!by_user_pointer && flags.ui32.NoAddress) request.place = Place::kHandle;
  Owned object = New();
  object->flags = flags;
  object->node = node;
  if (const int error = Reserve(*object, request); error < 0) return HostStatus(error);
  const std::uint32_t kernel_flags = KernelFlags(flags);
  if (by_user_pointer) return AllocatePaged(std::move(object), gpu, node, kernel_flags, address);
  std::uint64_t offset = 0;
  int error = AllocateMemory(*object, gpu, KFD_IOC_ALLOC_MEM_FLAGS_GTT | kernel_flags, offset);
  if (error < 0) return HostStatus(error);
  if (request.place != Place::kHandle && (flags.ui32.HostAccess || !flags.ui32.NonPaged)) {
    error = MapForCpu(object->start, size, PROT_READ | PROT_WRITE, gpu.drm_fd, offset);
    if (error < 0) return HostStatus(error);
  }
  *address = reinterpret_cast<void*>(Publish(std::move(object)).start);
  return HSAKMT_STATUS_SUCCESS;
}

// Shared pages: a fork copies none of them on a write, so that parent, child and GPU go on seeing
// the same memory and no queue is stopped for a copy (BUG-17).
HSAKMT_STATUS Memory::Books::AllocatePaged(Owned object, const Gpu& gpu, HSAuint32 node,
                                           std::uint32_t flags, void** address) {
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20U;
  const std::uint64_t size = object->flags.ui32.AQLQueueMemory ? object->size / 2 : object->size;
  int error = MapPlainMemory(object->start, size, PROT_READ | PROT_WRITE, MAP_SHARED);
  if (error == 0) error = BindToNumaNode(object->start, size, node, object->flags);
  if (error < 0) return HostStatus(error);
  if (size >= kHugePage) {  // only advice, which a kernel without huge pages refuses
    calls().Madvise(reinterpret_cast<void*>(object->start), size, MADV_HUGEPAGE);
  }
  std::uint64_t user_address = object->start;
  error = AllocateMemory(*object, gpu, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | flags, user_address);
  if (error < 0) return HostStatus(error);
  *address = reinterpret_cast<void*>(Publish(std::move(object)).start);
  return HSAKMT_STATUS_SUCCESS;
}

}  // namespace kfdcts::thunk
