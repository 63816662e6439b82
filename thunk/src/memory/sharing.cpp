// Memory that processes share, where the kernel has no calls for it: the exporter keeps a dma-buf
// open, and who has the handle takes the descriptor out of the exporter's process.
#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "thunk/src/fault/fault.h"
#include "thunk/src/memory/books.h"

namespace kfdcts::thunk {
namespace {

/// What an HsaSharedMemoryHandle holds. Process and descriptor numbers are used again: the start
/// time tells the process, the inode number, which the kernel gives to no second dma-buf, the
/// buffer.
struct SharedHandle {
  std::uint32_t magic;
  std::uint32_t process;
  std::uint64_t start_time;
  std::uint64_t inode;
  std::uint32_t fd;
  std::uint32_t pages;
};
static_assert(sizeof(SharedHandle) == sizeof(HsaSharedMemoryHandle));

constexpr std::uint32_t kMagic = 0x6b664d31;
constexpr std::size_t kMostMetadata = 256;  // drm_amdgpu_gem_metadata

struct ProcessIdentity {
  std::uint32_t process = 0;
  std::uint64_t start_time = 0;
};

std::optional<std::uint64_t> Number(std::string_view text) {
  std::uint64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc{}) return std::nullopt;
  return number;
}

/// /proc/PID/stat: the number is field 1, the start time field 22; field 2, in parentheses, may
/// hold anything.
std::optional<ProcessIdentity> IdentityOf(SystemCalls& calls, const std::string& process) {
  std::string stat;
  if (calls.ReadFile("/proc/" + process + "/stat", stat) < 0) return std::nullopt;
  const auto number = Number(stat);
  std::size_t at = stat.rfind(')');
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
  if (!number || at == std::string::npos) return std::nullopt;
  const auto start_time = Number(std::string_view(stat).substr(at + 1));
  if (!start_time) return std::nullopt;
  return ProcessIdentity{static_cast<std::uint32_t>(*number), *start_time};
}

/// The "ino" of /proc/self/fdinfo/FD, since Linux 5.14.
std::optional<std::uint64_t> InodeOf(SystemCalls& calls, int fd) {
  constexpr std::string_view kKey = "\nino:\t";
  std::string text;
  if (calls.ReadFile("/proc/self/fdinfo/" + std::to_string(fd), text) < 0) return std::nullopt;
  const std::size_t at = text.find(kKey);
  if (at == std::string::npos) return std::nullopt;
  return Number(std::string_view(text).substr(at + kKey.size()));
}

/// A descriptor that is closed in the end.
class OwnedFd {
 public:
  OwnedFd(SystemCalls& calls, int fd) : calls_(calls), fd_(fd) {}
  ~OwnedFd() {
    if (fd_ >= 0) calls_.Close(fd_);
  }
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  int get() const { return fd_; }

 private:
  SystemCalls& calls_;
  int fd_;
};

/// The exporter's descriptor in this process; negative where the handle is stale or none.
int Take(SystemCalls& calls, const SharedHandle& handle) {
  const OwnedFd pidfd(calls, calls.PidfdOpen(static_cast<pid_t>(handle.process)));
  if (pidfd.get() < 0) return pidfd.get();
  // Asked after the process was taken hold of: it is this one or gone.
  const auto identity = IdentityOf(calls, std::to_string(handle.process));
  if (!identity || identity->start_time != handle.start_time) return -ESRCH;
  return calls.PidfdGetfd(pidfd.get(), static_cast<int>(handle.fd));
}

}  // namespace

HSAKMT_STATUS Memory::Share(void* address, HSAuint64 size, HsaSharedMemoryHandle* handle) {
  SystemCalls& calls = books_->calls();
  const auto start = reinterpret_cast<std::uint64_t>(address);
  const std::lock_guard operation(books_->operations);
  MemoryObject* object = books_->FindAt(start, 0);
  if (object == nullptr || object->is_user_pointer || object->handles.empty() || size == 0 ||
      RoundUpToPage(size) != object->size) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  const auto self = IdentityOf(calls, "self");
  if (!self) return HSAKMT_STATUS_ERROR;
  const int fd = books_->Export(*object);
  if (fd == -ENOTTY) return HSAKMT_STATUS_NOT_SUPPORTED;
  if (fd < 0) return HSAKMT_STATUS_ERROR;
  const auto inode = InodeOf(calls, fd);
  if (!inode) return HSAKMT_STATUS_ERROR;
  calls.AllowTracers();  // -EINVAL: no Yama, and nothing to allow
  const SharedHandle shared{kMagic,
                            self->process,
                            self->start_time,
                            *inode,
                            static_cast<std::uint32_t>(fd),
                            static_cast<std::uint32_t>(object->size / PageSize())};
  std::memcpy(handle, &shared, sizeof(shared));
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::RegisterShared(const HsaSharedMemoryHandle* handle, void** address,
                                     HSAuint64* size, NodeList nodes) {
  Gpus wanted;
  const HSAKMT_STATUS resolved = books_->Resolve(nodes, wanted);
  if (resolved != HSAKMT_STATUS_SUCCESS) return resolved;
  SharedHandle shared;
  std::memcpy(&shared, handle, sizeof(shared));
  if (shared.magic != kMagic || shared.pages == 0) return HSAKMT_STATUS_INVALID_HANDLE;
  SystemCalls& calls = books_->calls();
  const OwnedFd fd(calls, Take(calls, shared));
  if (fd.get() == -ENOSYS) return HSAKMT_STATUS_NOT_SUPPORTED;
  if (fd.get() == -EPERM || fd.get() == -EMFILE || fd.get() == -ENFILE || fd.get() == -ENOMEM) {
    return HSAKMT_STATUS_ERROR;
  }
  if (fd.get() < 0 || InodeOf(calls, fd.get()) != shared.inode) return HSAKMT_STATUS_INVALID_HANDLE;
  kfd_ioctl_get_dmabuf_info_args about{};
  about.dmabuf_fd = static_cast<std::uint32_t>(fd.get());
  // Where there is metadata the kernel answers only who has room for it.
  std::array<std::byte, kMostMetadata> metadata;
  about.metadata_ptr = reinterpret_cast<std::uint64_t>(metadata.data());
  about.metadata_size = sizeof(metadata);
  if (const int error = books_->kfd.GetDmabufInfo(about); error < 0) {
    return error == -EINVAL ? HSAKMT_STATUS_INVALID_HANDLE : HSAKMT_STATUS_ERROR;  // no dma-buf
  }
  const std::uint64_t bytes = shared.pages * PageSize();
  const Gpu* gpu = books_->FindGpuById(about.gpu_id);
  if (bytes != RoundUpToPage(about.size)) return HSAKMT_STATUS_INVALID_HANDLE;
  if (gpu == nullptr) return HSAKMT_STATUS_ERROR;
  const bool own_aperture = AddressSpace::HasOwnAperture(*gpu);
  const std::lock_guard operation(books_->operations);
  Books::Owned object = books_->New();
  object->is_imported = true;
  if (Broken(Fault::kGraphicsBeforeShared) && about.metadata_size != 0) {
    std::swap(object->is_imported, object->is_graphics);
  }
  object->node = gpu->node_id;
  object->flags.ui32.HostAccess = (about.flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC) != 0 ||
                                  (about.flags & KFD_IOC_ALLOC_MEM_FLAGS_GTT) != 0;
  object->flags.ui32.NonPaged = 1;
  object->registered.Assign(std::move(wanted));
  const Place place = own_aperture ? Place::kGpuvm : Place::kSvm;
  if (const int error = books_->Import(*object, about, fd.get(), {place, gpu, bytes, 0, 0});
      error < 0) {
    return error == -ENOMEM ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_ERROR;
  }
  if (object->flags.ui32.HostAccess && place == Place::kSvm &&
      books_->MapForCpu(object->start, bytes, PROT_READ | PROT_WRITE, fd.get(), 0) < 0) {
    return HSAKMT_STATUS_ERROR;
  }
  *address = reinterpret_cast<void*>(books_->Publish(std::move(object)).start);
  *size = bytes;
  return HSAKMT_STATUS_SUCCESS;
}

}  // namespace kfdcts::thunk
