#include "thunk/test/fake/fake_kernel.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <utility>

namespace kfdcts::thunk {
namespace {

constexpr std::uint32_t kOffsetTypeShift = 62;
constexpr std::uint64_t kEventPageBytes = 8 * KFD_SIGNAL_EVENT_LIMIT;

std::uint64_t Address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

int ErrnoOf(int result) { return result < 0 ? -errno : 0; }

}  // namespace

FakeKernel::FakeKernel(FakeMachine machine, FakeBehaviour behaviour)
    : files(MakeTopologyFiles(machine)),
      machine_(std::move(machine)),
      behaviour_(behaviour),
      vram_in_use_(machine_.gpus.size(), 0),
      primary_(std::make_shared<FakeProcess>(machine_, true)),
      libdrm_devices_(machine_.gpus.size()) {
  FollowForks();
}

FakeKernel::~FakeKernel() {
  ForgetForks();
  for (const auto& [fd, file] : open_files_) syscall(SYS_close, fd);
  for (const int fd : stream_peers_) syscall(SYS_close, fd);
}

FakeKernel::File* FakeKernel::Find(int fd, FileKind kind) {
  const auto found = open_files_.find(fd);
  return found != open_files_.end() && found->second->kind == kind ? found->second.get() : nullptr;
}

bool FakeKernel::Owns(int fd) const {
  const std::lock_guard lock(mutex_);
  return open_files_.contains(fd);
}

int FakeKernel::RenderMinor(int fd) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_files_.find(fd);
  if (found == open_files_.end() || found->second->kind != FileKind::kRender) return -1;
  return static_cast<int>(machine_.gpus[found->second->gpu].render_minor);
}

int FakeKernel::Dup(int fd) {
  const std::lock_guard lock(mutex_);
  return open_files_.contains(fd) ? Duplicate(fd) : -EBADF;
}

int FakeKernel::Install(std::shared_ptr<File> file) {
  const int fd = eventfd(0, EFD_CLOEXEC);
  if (fd < 0) return -errno;
  open_files_[fd] = std::move(file);
  return fd;
}

int FakeKernel::Duplicate(int fd) {
  const int copy = static_cast<int>(syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0));
  if (copy < 0) return -errno;
  open_files_[copy] = open_files_.at(fd);
  return copy;
}

int FakeKernel::Open(const char* path, int) {
  const std::lock_guard lock(mutex_);
  if (const int error = book_.Enter(CallKind::kOpen)) return error;
  auto file = std::make_shared<File>();
  file->fork_generation = ForkGeneration();
  const std::string name = path;
  if (name == "/dev/kfd") {
    file->kind = FileKind::kKfd;
    if (primary_generation_ != ForkGeneration()) {  // a forked child is a process of its own
      primary_ = std::make_shared<FakeProcess>(machine_, true);
      primary_generation_ = ForkGeneration();
    }
    file->process = primary_;
    return Install(std::move(file));
  }
  for (std::size_t gpu = 0; gpu < machine_.gpus.size(); ++gpu) {
    if (name != "/dev/dri/renderD" + std::to_string(machine_.gpus[gpu].render_minor)) continue;
    file->kind = FileKind::kRender;
    file->gpu = gpu;
    return Install(std::move(file));
  }
  return -ENOENT;
}

int FakeKernel::Close(int fd) {
  const std::lock_guard lock(mutex_);
  const int error = book_.Enter(CallKind::kClose);
  if (open_files_.erase(fd) == 0) return -EBADF;
  syscall(SYS_close, fd);
  return error;
}

void FakeKernel::AllowMmap(FakeProcess& process, std::size_t gpu,
                           const std::shared_ptr<FakeMemory>& memory) {
  File::Allowed& allowed =
      static_cast<File*>(process.vm_files[gpu].get())->offsets[memory->mmap_offset];
  allowed.memory = memory;
  ++allowed.handles;
}

void FakeKernel::ForbidMmap(FakeProcess& process, std::size_t gpu, const FakeMemory& memory) {
  auto& offsets = static_cast<File*>(process.vm_files[gpu].get())->offsets;
  const auto allowed = offsets.find(memory.mmap_offset);
  if (allowed != offsets.end() && --allowed->second.handles == 0) offsets.erase(allowed);
}

int FakeKernel::DeviceMmap(File& file, std::size_t size, int protection, int flags,
                           std::uint64_t offset) {
  if (file.kind == FileKind::kRender) {
    const auto found = file.offsets.find(offset);
    const auto memory = found == file.offsets.end() ? nullptr : found->second.memory.lock();
    if (!memory || size > memory->bytes) return -EINVAL;
    if (memory->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) return -EPERM;
    const bool access = (protection & (PROT_READ | PROT_WRITE | PROT_EXEC)) != 0;
    return access && !(flags & MAP_SHARED) ? -EINVAL : 0;
  }
  if (file.kind == FileKind::kDmabuf) {
    const FakeMemory& memory = *file.memory;
    const bool inside = offset <= memory.bytes && size <= memory.bytes - offset;
    const bool vram = (memory.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM) != 0;
    const bool visible = (memory.flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC) != 0;
    if (vram && !visible) return -EPERM;  // made without access for the CPU
    return inside && (flags & MAP_SHARED) ? 0 : -EINVAL;
  }
  if (file.kind != FileKind::kKfd) return -ENODEV;
  if (file.fork_generation != ForkGeneration()) return -EBADF;
  const std::uint64_t type = offset >> kOffsetTypeShift;
  const auto gpu_id = static_cast<std::uint32_t>(offset >> 46 & 0xffff);
  if (type == 2) return size == kEventPageBytes ? 0 : -EINVAL;
  const auto gpu = std::find_if(machine_.gpus.begin(), machine_.gpus.end(),
                                [&](const FakeGpu& one) { return one.gpu_id == gpu_id; });
  if (gpu == machine_.gpus.end()) return -ENODEV;
  if (type == 3) return size == DoorbellSlice(*gpu) ? 0 : -EINVAL;
  return type == 0 && size == kFakePage ? 0 : -EINVAL;
}

int FakeKernel::Mmap(void* address, std::size_t size, int protection, int flags, int fd,
                     off_t offset, void** mapped) {
  const std::lock_guard lock(mutex_);
  if (const int error = book_.Enter(CallKind::kMmap)) return error;
  if (!(flags & MAP_ANONYMOUS)) {
    const auto file = open_files_.find(fd);
    if (file == open_files_.end()) return -EBADF;
    const int error =
        DeviceMmap(*file->second, size, protection, flags, static_cast<std::uint64_t>(offset));
    if (error != 0) return error;
    flags = (flags & ~MAP_SHARED) | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  }
  void* result = mmap(address, size, protection, flags, -1, 0);
  if (result == MAP_FAILED) return -errno;
  if (behaviour_.track_mappings) {
    const std::uint64_t end = Address(result) + (size + kFakePage - 1) / kFakePage * kFakePage;
    mappings_.Add(Address(result), end);
  }
  *mapped = result;
  return 0;
}

int FakeKernel::Munmap(void* address, std::size_t size) {
  const std::lock_guard lock(mutex_);
  if (const int error = book_.Enter(CallKind::kMunmap)) return error;
  if (munmap(address, size) != 0) return -errno;
  const std::uint64_t end = Address(address) + (size + kFakePage - 1) / kFakePage * kFakePage;
  if (behaviour_.track_mappings) mappings_.Remove(Address(address), end);
  primary_->svm.Forget(Address(address), end);
  return 0;
}

int FakeKernel::Madvise(void* address, std::size_t size, int advice) {
  const std::lock_guard lock(mutex_);
  if (const int error = book_.Enter(CallKind::kMadvise)) return error;
  return ErrnoOf(madvise(address, size, advice));
}

int FakeKernel::Mbind(void* address, std::size_t size, int mode,
                      std::span<const unsigned long> nodes) {
  const std::lock_guard lock(mutex_);
  if (const int error = book_.Enter(CallKind::kMbind)) return error;
  const bool aligned = Address(address) % kFakePage == 0 && size != 0;
  return aligned && (mode == 0) == nodes.empty() ? 0 : -EINVAL;
}

int FakeKernel::PidfdOpen(pid_t process) {
  const std::lock_guard lock(mutex_);
  if (const int error = book_.Enter(CallKind::kPidfdOpen)) return error;
  if (process != getpid()) return -ESRCH;  // the fake kernel knows one process
  auto file = std::make_shared<File>();
  file->kind = FileKind::kPidfd;
  return Install(std::move(file));
}

int FakeKernel::PidfdGetfd(int pidfd, int fd) {
  const std::lock_guard lock(mutex_);
  if (const int error = book_.Enter(CallKind::kPidfdGetfd)) return error;
  if (!Find(pidfd, FileKind::kPidfd) || !open_files_.contains(fd)) return -EBADF;
  return Duplicate(fd);
}

int FakeKernel::AllowTracers() {
  const std::lock_guard lock(mutex_);
  return book_.Enter(CallKind::kAllowTracers);
}

int FakeKernel::ReadFile(const std::string& path, std::string& content) {
  const std::lock_guard lock(mutex_);
  if (const int error = book_.Enter(CallKind::kReadFile)) return error;
  if (const auto found = files.find(path); found != files.end()) {
    content = found->second;
    return 0;
  }
  if (!path.starts_with("/proc/")) return -ENOENT;
  std::ifstream real(path, std::ios::binary);
  if (!real) return -ENOENT;
  content.assign(std::istreambuf_iterator<char>(real), {});
  return 0;
}

int FakeKernel::ListFolder(const std::string& path, std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  if (const int error = book_.Enter(CallKind::kListFolder)) return error;
  const std::string folder = path.ends_with('/') ? path : path + '/';
  names.clear();
  for (auto file = files.lower_bound(folder);
       file != files.end() && file->first.starts_with(folder); ++file) {
    const std::string name = file->first.substr(folder.size());
    const std::string entry = name.substr(0, name.find('/'));
    if (names.empty() || names.back() != entry) names.push_back(entry);
  }
  return names.empty() ? -ENOENT : 0;
}

int FakeKernel::OpenDrmDevice(int render_fd, DrmDevice& device) {
  const std::lock_guard lock(mutex_);
  if (const int error = book_.Enter(CallKind::kOpenDrmDevice)) return error;
  const File* file = Find(render_fd, FileKind::kRender);
  if (!file) return -EBADF;
  LibdrmDevice& known = libdrm_devices_[file->gpu];
  if (known.users == 0) {
    const int fd = Duplicate(render_fd);
    if (fd < 0) return fd;
    known.fd = fd;
  }
  ++known.users;
  device = {.handle = &known, .fd = known.fd, .marketing_name = "Fake GPU", .family_id = 141};
  return 0;
}

void FakeKernel::CloseDrmDevice(DrmDevice& device) {
  const std::lock_guard lock(mutex_);
  if (!device.handle) return;
  auto& known = *static_cast<LibdrmDevice*>(device.handle);
  device = {};
  if (--known.users > 0) return;
  open_files_.erase(known.fd);
  syscall(SYS_close, known.fd);
}

}  // namespace kfdcts::thunk
