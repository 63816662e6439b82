// Memory of the process for GPUs.
#include <array>
#include <mutex>
#include <utility>

#include "thunk/src/fault/points.h"
#include "thunk/src/kernel/status.h"
#include "thunk/src/memory/books.h"
#include "thunk/src/memory/kernel_flags.h"

namespace kfdcts::thunk {
namespace {

/// The whole pages that hold [address, address + size).
struct Pages {
  Pages(std::uint64_t address, std::uint64_t bytes)
      : start(address - OffsetInPage(address)),
        size(RoundUpToPage(OffsetInPage(address) + bytes)) {}
  std::uint64_t start;
  std::uint64_t size;
};

bool IsRange(std::uint64_t address, std::uint64_t size) {
  return size != 0 && address + size >= address && address + size <= -PageSize();
}

std::uint32_t UserPointerFlags(HsaMemFlags flags) {
  std::uint32_t kernel = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
                         KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE;
  if (!flags.ui32.CoarseGrain) kernel |= KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;
  if (flags.ui32.ExtendedCoherent) kernel |= KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT;
  return kernel;
}

/// HSA_CHECK_USERPTR: a bad address faults here, where it is easy to see whose it is.
void TouchPages(std::uint64_t address, std::uint64_t size) {
  const auto* bytes = reinterpret_cast<const volatile unsigned char*>(address);
  for (std::uint64_t at = 0; at < size; at += PageSize()) bytes[at];
  bytes[size - 1];
}

}  // namespace

HSAKMT_STATUS Memory::Register(void* address, HSAuint64 size, NodeList nodes, HsaMemFlags flags) {
  const auto start = reinterpret_cast<std::uint64_t>(address);
  if (flags.ui32.CoarseGrain && flags.ui32.ExtendedCoherent) return HSAKMT_STATUS_INVALID_PARAMETER;
  Gpus wanted;
  const HSAKMT_STATUS resolved = books_->Resolve(nodes, wanted);
  if (resolved != HSAKMT_STATUS_SUCCESS) return resolved;
  const std::lock_guard operation(books_->operations);
  MemoryObject* object = IsRange(start, size) ? books_->FindAt(start, size) : nullptr;
  if (Broken(Fault::kSizesConfused)) object = books_->FindAny(start, false);
  if (object == nullptr) {
    // Inside an allocation, too, there is nothing to register (BUG-25).
    const MemoryObject* holder = books_->FindHolder(start);
    if (holder != nullptr && !holder->is_user_pointer) return HSAKMT_STATUS_INVALID_HANDLE;
    if (books_->space.cpu_only()) return HSAKMT_STATUS_SUCCESS;
    if (!IsRange(start, size)) return HSAKMT_STATUS_INVALID_PARAMETER;
    if (books_->svm_in_use()) {
      const HSAKMT_STATUS status = books_->RegisterBySvm(start, size, flags);
      if (status == HSAKMT_STATUS_SUCCESS) return status;
    }
    return books_->RegisterUserPointer(start, size, std::move(wanted), flags);
  }
  if (!object->is_user_pointer) return HSAKMT_STATUS_INVALID_HANDLE;
  const Gpus& registered = object->registered.gpus();
  if (!registered.empty() && registered != wanted) return HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED;
  object->registrations += Broken(Fault::kCountedOnceTooOften) ? 2 : 1;
  if (Broken(Fault::kUserDataLostOnRegister)) object->user_data = nullptr;
  if (registered.empty() && !wanted.empty()) {
    const std::unique_lock guard(books_->lock);
    object->registered.Assign(std::move(wanted));
  }
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Books::RegisterUserPointer(std::uint64_t address, std::uint64_t size,
                                                 Gpus nodes, HsaMemFlags flags) {
  // The kernel knows no user pointers of further contexts.
  if (!primary) return HSAKMT_STATUS_NOT_SUPPORTED;
  if (options.check_userptr) TouchPages(address, size);
  const Gpu& gpu = FirstGpu();
  const Pages pages(address, size);
  Owned object = New();
  object->is_user_pointer = true;
  object->user_address = address;
  object->user_size = size;
  object->registrations = 1;
  object->flags = flags;
  object->node = gpu.node_id;
  object->registered.Assign(std::move(nodes));
  if (Reserve(*object, {Place::kSvm, nullptr, pages.size, 0, 0}) < 0) return HSAKMT_STATUS_ERROR;
  std::uint64_t offset = pages.start;
  if (AllocateMemory(*object, gpu, UserPointerFlags(flags), offset) < 0) {
    return HSAKMT_STATUS_ERROR;
  }
  Publish(std::move(object));
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Books::RegisterBySvm(std::uint64_t address, std::uint64_t size,
                                           HsaMemFlags flags) {
  fault::Note(Fault::kSvmRegisteredIsFound, address, size);
  const Pages pages(address, size);
  const auto set_if = [](bool set) -> std::uint32_t {
    return set ? KFD_IOCTL_SVM_ATTR_SET_FLAGS : KFD_IOCTL_SVM_ATTR_CLR_FLAGS;
  };
  std::array<kfd_ioctl_svm_attribute, 2> attributes = {{
      {set_if(!flags.ui32.CoarseGrain), KFD_IOCTL_SVM_FLAG_COHERENT},
      {set_if(flags.ui32.ExtendedCoherent), KFD_IOCTL_SVM_FLAG_EXT_COHERENT},
  }};
  return kfd.Svm(KFD_IOCTL_SVM_OP_SET_ATTR, pages.start, pages.size, attributes) < 0
             ? HSAKMT_STATUS_ERROR
             : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Books::MapBySvm(std::uint64_t address, std::uint64_t size,
                                      const Gpus& nodes) {
  if (!IsRange(address, size)) return HSAKMT_STATUS_INVALID_PARAMETER;
  const Pages pages(address, size);
  std::vector<kfd_ioctl_svm_attribute> attributes;
  for (const Gpu* gpu : nodes) {
    attributes.push_back({KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, gpu->gpu_id});
  }
  return kfd.Svm(KFD_IOCTL_SVM_OP_SET_ATTR, pages.start, pages.size, attributes) < 0
             ? HSAKMT_STATUS_ERROR
             : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Deregister(void* address) {
  const auto start = reinterpret_cast<std::uint64_t>(address);
  const std::lock_guard operation(books_->operations);
  MemoryObject* object = books_->FindAny(start, false);
  if (object == nullptr) {
    // Memory that only the kernel's SVM knows keeps its attributes, as in libhsakmt of 2025.
    return books_->space.cpu_only() || books_->svm_in_use() ? HSAKMT_STATUS_SUCCESS
                                                            : HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
  }
  if (object->place == Place::kCpu) return HSAKMT_STATUS_SUCCESS;
  if (object->is_user_pointer && object->registrations > 1 && !Broken(Fault::kNotCounted)) {
    if (Broken(Fault::kUserDataLostOnDeregister)) object->user_data = nullptr;
    --object->registrations;
    return HSAKMT_STATUS_SUCCESS;
  }
  if (object->is_user_pointer || object->is_graphics || object->is_imported) {
    return books_->Remove(*object);
  }
  if (object->registered.gpus().empty()) return HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
  const std::unique_lock guard(books_->lock);
  object->registered.Assign({});
  return HSAKMT_STATUS_SUCCESS;
}

}  // namespace kfdcts::thunk
