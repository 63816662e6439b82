#include "thunk/test/fake/fake_ioctls.h"

#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <type_traits>
#include <utility>

namespace kfdcts::thunk {
namespace {

constexpr unsigned kCreateProcess = 0x27;
constexpr std::size_t kMaxBytes = 1u << _IOC_SIZEBITS;

}  // namespace

struct FakeKernel::Ioctls::Entry {
  using Run = int (*)(Ioctls&, void*, std::size_t);
  unsigned number;
  std::size_t bytes;  ///< of the kernel's own struct
  std::uint32_t since_minor;
  Run run;

  template <auto Function>
  static int Call(Ioctls& ioctls, void* argument, std::size_t) {
    return Invoke(ioctls, Function, argument);
  }
  template <class Arguments>
  static int Invoke(Ioctls& ioctls, int (Ioctls::*function)(Arguments&), void* argument) {
    return (ioctls.*function)(*static_cast<Arguments*>(argument));
  }
};

const FakeKernel::Ioctls::Entry* FakeKernel::Ioctls::FindEntry(unsigned number) {
  using I = Ioctls;
#define ENTRY(request, minor, function) \
  Entry { _IOC_NR(request), _IOC_SIZE(request), minor, &Entry::Call<&I::function> }
  static const std::array entries = {
      ENTRY(AMDKFD_IOC_GET_VERSION, 0, GetVersion),
      ENTRY(AMDKFD_IOC_SET_MEMORY_POLICY, 0, SetMemoryPolicy),
      ENTRY(AMDKFD_IOC_GET_CLOCK_COUNTERS, 0, GetClockCounters),
      ENTRY(AMDKFD_IOC_GET_PROCESS_APERTURES, 0, GetApertures),
      ENTRY(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, 0, GetAperturesNew),
      ENTRY(AMDKFD_IOC_GET_TILE_CONFIG, 0, GetTileConfig),
      ENTRY(AMDKFD_IOC_SET_SCRATCH_BACKING_VA, 0, SetScratchBackingVa),
      ENTRY(AMDKFD_IOC_SET_TRAP_HANDLER, 0, SetTrapHandler),
      ENTRY(AMDKFD_IOC_ACQUIRE_VM, 0, AcquireVm),
      ENTRY(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, 0, AllocMemory),
      ENTRY(AMDKFD_IOC_FREE_MEMORY_OF_GPU, 0, FreeMemory),
      ENTRY(AMDKFD_IOC_MAP_MEMORY_TO_GPU, 0, MapMemory),
      ENTRY(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, 0, UnmapMemory),
      ENTRY(AMDKFD_IOC_GET_DMABUF_INFO, 0, GetDmabufInfo),
      ENTRY(AMDKFD_IOC_IMPORT_DMABUF, 0, ImportDmabuf),
      ENTRY(AMDKFD_IOC_EXPORT_DMABUF, 12, ExportDmabuf),
      ENTRY(AMDKFD_IOC_AVAILABLE_MEMORY, 9, AvailableMemory),
      ENTRY(AMDKFD_IOC_SMI_EVENTS, 3, SmiEvents),
      ENTRY(AMDKFD_IOC_SET_XNACK_MODE, 5, SetXnackMode),
      ENTRY(AMDKFD_IOC_RUNTIME_ENABLE, 13, RuntimeEnable),
      ENTRY(KFDCTS_IOC_CREATE_QUEUE, 0, CreateQueue),
      ENTRY(AMDKFD_IOC_UPDATE_QUEUE, 0, UpdateQueue),
      ENTRY(AMDKFD_IOC_DESTROY_QUEUE, 0, DestroyQueue),
      ENTRY(AMDKFD_IOC_SET_CU_MASK, 0, SetCuMask),
      ENTRY(AMDKFD_IOC_GET_QUEUE_WAVE_STATE, 0, GetQueueWaveState),
      ENTRY(AMDKFD_IOC_ALLOC_QUEUE_GWS, 0, AllocQueueGws),
      ENTRY(AMDKFD_IOC_CREATE_EVENT, 0, CreateEvent),
      ENTRY(AMDKFD_IOC_DESTROY_EVENT, 0, DestroyEvent),
      ENTRY(AMDKFD_IOC_SET_EVENT, 0, SetEvent),
      ENTRY(AMDKFD_IOC_RESET_EVENT, 0, ResetEvent),
      ENTRY(AMDKFD_IOC_WAIT_EVENTS, 0, WaitEvents),
      Entry{
          _IOC_NR(AMDKFD_IOC_SVM), sizeof(kfd_ioctl_svm_args), 5,
          [](I& ioctls, void* argument, std::size_t bytes) { return ioctls.Svm(argument, bytes); }},
      Entry{kCreateProcess, 0, 19,
            [](I& ioctls, void*, std::size_t) { return ioctls.CreateProcess(); }},
  };
#undef ENTRY
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.number == number; });
  return found == entries.end() ? nullptr : &*found;
}

int FakeKernel::Ioctls::Run(unsigned long request, void* argument) {
  const Entry* entry = FindEntry(_IOC_NR(request));
  if (_IOC_TYPE(request) != AMDKFD_IOCTL_BASE || !entry ||
      kernel_.machine_.kfd_minor < entry->since_minor)
    return -ENOTTY;
  if (file_.fork_generation != ForkGeneration()) return -EBADF;
  // As in the kernel: the argument is copied, short ones filled with zero, and copied back.
  const std::size_t bytes = _IOC_SIZE(request);
  if (bytes != 0 && !argument) return -EFAULT;
  alignas(8) std::array<char, kMaxBytes> copy;
  if (bytes != 0) std::memcpy(copy.data(), argument, bytes);
  if (bytes < entry->bytes) std::memset(copy.data() + bytes, 0, entry->bytes - bytes);
  const int result = entry->run(*this, copy.data(), bytes);
  if ((_IOC_DIR(request) & _IOC_READ) && bytes != 0) std::memcpy(argument, copy.data(), bytes);
  return result;
}

std::size_t FakeKernel::Ioctls::GpuOf(std::uint64_t gpu_id) const {
  const auto& gpus = kernel_.machine_.gpus;
  const auto gpu =
      std::find_if(gpus.begin(), gpus.end(), [&](const FakeGpu& g) { return g.gpu_id == gpu_id; });
  return static_cast<std::size_t>(gpu - gpus.begin());
}

int FakeKernel::Ioctls::BoundGpu(std::uint64_t gpu_id, std::size_t& gpu) const {
  gpu = GpuOf(gpu_id);
  if (gpu == kernel_.machine_.gpus.size()) return -EINVAL;
  return process_->vm_files[gpu] ? 0 : -ENODEV;
}

int FakeKernel::Ioctls::GetVersion(kfd_ioctl_get_version_args& arguments) {
  arguments = {.major_version = 1, .minor_version = kernel_.machine_.kfd_minor};
  return 0;
}

int FakeKernel::Ioctls::SetMemoryPolicy(kfd_ioctl_set_memory_policy_args& arguments) {
  if (arguments.default_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT ||
      arguments.alternate_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT)
    return -EINVAL;
  std::size_t gpu;
  const int error = BoundGpu(arguments.gpu_id, gpu);
  return error == -ENODEV ? -ESRCH : error;
}

int FakeKernel::Ioctls::GetClockCounters(kfd_ioctl_get_clock_counters_args& arguments) {
  const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                              std::chrono::nanoseconds(1));
  const bool gpu = GpuOf(arguments.gpu_id) < kernel_.machine_.gpus.size();
  arguments.gpu_clock_counter = gpu ? now / 40 : 0;  // 25 MHz
  arguments.cpu_clock_counter = now;
  arguments.system_clock_counter = now;
  arguments.system_clock_freq = 1000000000;
  return 0;
}

kfd_process_device_apertures FakeKernel::Ioctls::AperturesOf(const FakeGpu& gpu) const {
  kfd_process_device_apertures apertures{};
  apertures.lds_base = 1ull << 48;
  apertures.lds_limit = apertures.lds_base + 0xffffffff;
  apertures.scratch_base = 2ull << 48;
  apertures.scratch_limit = apertures.scratch_base + 0xffffffff;
  apertures.gpuvm_base = gpu.gpuvm_base;
  apertures.gpuvm_limit = gpu.gpuvm_limit;
  apertures.gpu_id = gpu.gpu_id;
  return apertures;
}

int FakeKernel::Ioctls::GetApertures(kfd_ioctl_get_process_apertures_args& arguments) {
  const auto& gpus = kernel_.machine_.gpus;
  arguments.num_of_nodes = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(gpus.size(), NUM_OF_SUPPORTED_GPUS); ++i)
    arguments.process_apertures[arguments.num_of_nodes++] = AperturesOf(gpus[i]);
  return 0;
}

int FakeKernel::Ioctls::GetAperturesNew(kfd_ioctl_get_process_apertures_new_args& arguments) {
  const auto& gpus = kernel_.machine_.gpus;
  if (arguments.num_of_nodes > kernel_.machine_.NodeCount()) return -EINVAL;
  if (arguments.num_of_nodes == 0) {
    arguments.num_of_nodes = static_cast<std::uint32_t>(gpus.size());
    return 0;
  }
  auto* out =
      reinterpret_cast<kfd_process_device_apertures*>(arguments.kfd_process_device_apertures_ptr);
  const std::size_t count = std::min<std::size_t>(gpus.size(), arguments.num_of_nodes);
  for (std::size_t i = 0; i < count; ++i) out[i] = AperturesOf(gpus[i]);
  arguments.num_of_nodes = static_cast<std::uint32_t>(count);
  return 0;
}

int FakeKernel::Ioctls::GetTileConfig(kfd_ioctl_get_tile_config_args& arguments) {
  constexpr std::uint32_t kTiles = 32;
  constexpr std::uint32_t kMacroTiles = 16;
  if (GpuOf(arguments.gpu_id) == kernel_.machine_.gpus.size()) return -EINVAL;
  arguments.num_tile_configs = std::min(arguments.num_tile_configs, kTiles);
  arguments.num_macro_tile_configs = std::min(arguments.num_macro_tile_configs, kMacroTiles);
  auto* tiles = reinterpret_cast<std::uint32_t*>(arguments.tile_config_ptr);
  auto* macro_tiles = reinterpret_cast<std::uint32_t*>(arguments.macro_tile_config_ptr);
  for (std::uint32_t i = 0; i < arguments.num_tile_configs; ++i) tiles[i] = 0x100 + i;
  for (std::uint32_t i = 0; i < arguments.num_macro_tile_configs; ++i) macro_tiles[i] = 0x200 + i;
  arguments.gb_addr_config = 0x2a114042;
  arguments.num_banks = 16;
  arguments.num_ranks = 1;
  return 0;
}

int FakeKernel::Ioctls::SetScratchBackingVa(kfd_ioctl_set_scratch_backing_va_args& arguments) {
  std::size_t gpu;
  return BoundGpu(arguments.gpu_id, gpu);
}

int FakeKernel::Ioctls::SetTrapHandler(kfd_ioctl_set_trap_handler_args& arguments) {
  std::size_t gpu;
  const int error = BoundGpu(arguments.gpu_id, gpu);
  return error == -ENODEV ? -ESRCH : error;
}

int FakeKernel::Ioctls::AcquireVm(kfd_ioctl_acquire_vm_args& arguments) {
  const auto found = kernel_.open_files_.find(static_cast<int>(arguments.drm_fd));
  const std::size_t gpu = GpuOf(arguments.gpu_id);
  if (found == kernel_.open_files_.end() || found->second->kind != FileKind::kRender ||
      gpu == kernel_.machine_.gpus.size())
    return -EINVAL;
  const std::shared_ptr<File>& drm = found->second;
  std::shared_ptr<void>& acquired = process_->vm_files[gpu];
  if (acquired) return acquired == drm ? 0 : -EBUSY;
  // A file's VM is one process' on one device, for ever.
  if (drm->gpu != gpu || drm->vm_owner) return -EINVAL;
  drm->vm_owner = process_.get();
  acquired = drm;
  return 0;
}

int FakeKernel::Ioctls::SetXnackMode(kfd_ioctl_set_xnack_mode_args& arguments) {
  if (!kernel_.machine_.svm_built_in) return -EPERM;
  if (arguments.xnack_enabled < 0) {
    arguments.xnack_enabled = process_->xnack ? 1 : 0;
    return 0;
  }
  if (process_->queues.size() > 0) return -EBUSY;
  const auto& gpus = kernel_.machine_.gpus;
  const bool possible =
      std::all_of(gpus.begin(), gpus.end(), [](const FakeGpu& gpu) { return gpu.xnack; });
  if (arguments.xnack_enabled != 0 && !possible) return -EPERM;
  process_->xnack = arguments.xnack_enabled != 0;
  return 0;
}

int FakeKernel::Ioctls::SmiEvents(kfd_ioctl_smi_events_args& arguments) {
  const std::size_t gpu = GpuOf(arguments.gpuid);
  if (gpu == kernel_.machine_.gpus.size()) return -EINVAL;
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) return -errno;
  auto stream = std::make_shared<File>();
  stream->kind = FileKind::kStream;
  stream->gpu = gpu;
  kernel_.open_files_[pair[0]] = std::move(stream);
  kernel_.stream_peers_.push_back(pair[1]);
  arguments.anon_fd = static_cast<std::uint32_t>(pair[0]);
  return 0;
}

int FakeKernel::Ioctls::CreateProcess() {
  if (!process_->primary) return -EINVAL;
  file_.process = std::make_shared<FakeProcess>(kernel_.machine_, false);
  kernel_.secondaries_.push_back(file_.process);
  return 0;
}

int FakeKernel::Ioctls::RuntimeEnable(kfd_ioctl_runtime_enable_args& arguments) {
  const bool enable = (arguments.mode_mask & KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK) != 0;
  if (enable == process_->runtime_enabled) return enable ? -EBUSY : -EINVAL;
  process_->runtime_enabled = enable;
  arguments.capabilities_mask = 0;
  return 0;
}

int FakeKernel::Ioctls::Svm(void* argument, std::size_t bytes) {
  if (!kernel_.machine_.svm_built_in) return -EPERM;
  if (!process_->primary) return -EOPNOTSUPP;
  auto* arguments = static_cast<kfd_ioctl_svm_args*>(argument);
  const std::uint64_t start = arguments->start_addr;
  const std::uint64_t size = arguments->size;
  if (bytes < sizeof *arguments + arguments->nattr * sizeof(kfd_ioctl_svm_attribute))
    return -EINVAL;
  if (start == 0 || size == 0 || start % kFakePage != 0 || size % kFakePage != 0) return -EINVAL;
  const bool set = arguments->op == KFD_IOCTL_SVM_OP_SET_ATTR;
  if (!set && arguments->op != KFD_IOCTL_SVM_OP_GET_ATTR) return -EINVAL;
  FakeSvm& svm = process_->svm;
  if (set && svm.Check(arguments->nattr, arguments->attrs) != 0) return -EINVAL;
  if (kernel_.behaviour_.check_user_pages && !AllPagesMapped(start, start + size)) return -EFAULT;
  if (process_->BuffersOverlap(start, start + size)) return -EADDRINUSE;
  if (set) return svm.Set(start, size, arguments->nattr, process_->xnack, arguments->attrs);
  return svm.Get(start, size, arguments->nattr, process_->xnack, arguments->attrs);
}

int FakeKernel::Ioctl(int fd, unsigned long request, void* argument) {
  std::unique_lock lock(mutex_);
  const auto found = open_files_.find(fd);
  if (found == open_files_.end()) return -EBADF;
  const std::shared_ptr<File> file = found->second;  // stays where a wait lets go of the lock
  const bool kfd = file->kind == FileKind::kKfd;
  if (const int error = book_.Enter(kfd ? KfdCall(request) : CallKind::kDrmIoctl)) return error;
  if (kfd) return Ioctls(*this, *file, lock).Run(request, argument);
  return file->kind == FileKind::kRender ? RenderIoctl(*file, request, argument) : -ENOTTY;
}

}  // namespace kfdcts::thunk
