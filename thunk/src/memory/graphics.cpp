#include <mutex>
#include <string>
#include <utility>

#include "thunk/src/memory/books.h"

namespace kfdcts::thunk {
namespace {

/// What the driver's images ask of their addresses.
constexpr std::uint64_t kImageAlignment = std::uint64_t{256} << 10U;
/// What most buffers' metadata needs; the kernel tells where it is more.
constexpr std::size_t kMetadataSize = 64;

/// `metadata` grows to what there is. 0 or -errno.
int AskAbout(const Kfd& kfd, int dmabuf, kfd_ioctl_get_dmabuf_info_args& info,
             std::string& metadata) {
  const auto ask = [&](std::size_t size) {
    metadata.assign(size, '\0');
    info = {};
    info.metadata_ptr = reinterpret_cast<std::uint64_t>(metadata.data());
    info.metadata_size = static_cast<std::uint32_t>(size);
    info.dmabuf_fd = static_cast<std::uint32_t>(dmabuf);
    return kfd.GetDmabufInfo(info);
  };
  int error = ask(kMetadataSize);
  if (error < 0 && info.metadata_size > kMetadataSize) error = ask(info.metadata_size);
  return error;
}

HsaMemFlags FlagsOf(std::uint32_t kernel) {
  HsaMemFlags flags{};
  flags.ui32.CoarseGrain = 1;
  flags.ui32.ReadOnly = (kernel & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE) == 0;
  flags.ui32.HostAccess = (kernel & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC) != 0;
  return flags;
}

}  // namespace

HSAKMT_STATUS Memory::RegisterGraphics(HSAuint64 dmabuf, HsaGraphicsResourceInfo* info,
                                       NodeList nodes, HSA_REGISTER_MEM_FLAGS flags) {
  Gpus wanted;
  const HSAKMT_STATUS resolved = books_->Resolve(nodes, wanted);
  if (resolved != HSAKMT_STATUS_SUCCESS) return resolved;
  const int fd = static_cast<int>(dmabuf);
  const std::lock_guard operation(books_->operations);
  Books::Owned object = books_->New();
  kfd_ioctl_get_dmabuf_info_args about{};
  if (AskAbout(books_->kfd, fd, about, object->metadata) < 0) return HSAKMT_STATUS_ERROR;
  const Gpu* gpu = books_->FindGpuById(about.gpu_id);
  if (gpu == nullptr) return HSAKMT_STATUS_ERROR;
  object->is_graphics = true;
  object->flags = FlagsOf(about.flags);
  object->node = gpu->node_id;
  AddressSpace::Request request{Place::kSvm, gpu, RoundUpToPage(about.size), kImageAlignment, 0};
  if (AddressSpace::HasOwnAperture(*gpu)) request.place = Place::kGpuvm;
  // For nobody and without a wish for an address it is memory alone.
  if (!nodes && !flags.ui32.requiresVAddr) request.place = Place::kHandle;
  object->registered.Assign(std::move(wanted));
  if (books_->Import(*object, about, fd, request) < 0) return HSAKMT_STATUS_ERROR;
  const MemoryObject& published = books_->Publish(std::move(object));
  info->MemoryAddress = reinterpret_cast<void*>(published.start);
  info->SizeInBytes = about.size;
  info->Metadata = published.metadata.data();
  info->MetadataSizeInBytes = about.metadata_size;
  info->NodeId = gpu->node_id;
  return HSAKMT_STATUS_SUCCESS;
}

}  // namespace kfdcts::thunk
