// Buffers that come and go as dma-bufs.
#include <cerrno>
#include <mutex>
#include <utility>

#include "thunk/src/memory/books.h"

namespace kfdcts::thunk {

int Memory::Books::Import(MemoryObject& object, const kfd_ioctl_get_dmabuf_info_args& info,
                          int dmabuf, const AddressSpace::Request& request) {
  if (const int error = Reserve(object, request); error < 0) return error;
  object.handles.reserve(1);
  kfd_ioctl_import_dmabuf_args import{};
  import.va_addr = space.KernelAddress(object.place, object.start);
  import.gpu_id = info.gpu_id;
  import.dmabuf_fd = static_cast<std::uint32_t>(dmabuf);
  if (const int error = kfd.ImportDmabuf(import); error < 0) return error;
  object.handles.push_back(import.handle);
  object.has_memory = true;
  return 0;
}

/// The buffer's descriptor, kept open as long as the object lives; the same each time.
int Memory::Books::Export(MemoryObject& object) {
  if (object.exported_fd < 0) {
    const int fd = kfd.ExportDmabuf(object.handles.front());
    if (fd < 0) return fd;
    object.exported_fd = fd;
  }
  return object.exported_fd;
}

HSAKMT_STATUS Memory::ExportDmabuf(void* address, HSAuint64 size, int* dmabuf, HSAuint64* offset) {
  const auto start = reinterpret_cast<std::uint64_t>(address);
  const std::lock_guard operation(books_->operations);
  const MemoryObject* object = books_->FindHolder(start);
  if (object == nullptr || object->is_user_pointer || object->handles.empty()) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  const std::uint64_t at = start - object->start;
  if (size > object->size - at) return HSAKMT_STATUS_INVALID_PARAMETER;
  const int fd = books_->kfd.ExportDmabuf(object->handles.front());
  if (fd == -ENOTTY) return HSAKMT_STATUS_NOT_SUPPORTED;
  if (fd < 0) return HSAKMT_STATUS_ERROR;
  *dmabuf = fd;
  *offset = at;
  return HSAKMT_STATUS_SUCCESS;
}

}  // namespace kfdcts::thunk
