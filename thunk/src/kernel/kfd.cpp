#include "thunk/src/kernel/kfd.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>

namespace kfdcts::thunk {
namespace {

std::uint64_t AddressOf(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// The size field of an ioctl number has 14 bits.
constexpr std::size_t kLargestArgument = (1U << _IOC_SIZEBITS) - 1;

}  // namespace

int Kfd::Call(unsigned long request, void* argument) const {
  int result;
  do {
    result = calls_.Ioctl(fd_, request, argument);
    // -EAGAIN: page tables changed under an SVM call, which has done a part of its work.
  } while (result == -EINTR || result == -EAGAIN);
  return result < 0 ? result : 0;
}

int Kfd::GetVersion(kfd_ioctl_get_version_args& version) const {
  return Call(AMDKFD_IOC_GET_VERSION, &version);
}

int Kfd::GetProcessApertures(std::span<kfd_process_device_apertures> apertures,
                             std::uint32_t& count) const {
  kfd_ioctl_get_process_apertures_new_args args{};
  args.kfd_process_device_apertures_ptr = AddressOf(apertures.data());
  args.num_of_nodes = static_cast<std::uint32_t>(apertures.size());
  const int error = Call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args);
  if (error == 0) count = args.num_of_nodes;
  return error;
}

int Kfd::AcquireVm(std::uint32_t gpu_id, int drm_fd) const {
  kfd_ioctl_acquire_vm_args args{};
  args.drm_fd = static_cast<std::uint32_t>(drm_fd);
  args.gpu_id = gpu_id;
  return Call(AMDKFD_IOC_ACQUIRE_VM, &args);
}

int Kfd::CreateProcess() const { return Call(AMDKFD_IOC_CREATE_PROCESS, nullptr); }

int Kfd::SetMemoryPolicy(kfd_ioctl_set_memory_policy_args& policy) const {
  return Call(AMDKFD_IOC_SET_MEMORY_POLICY, &policy);
}

int Kfd::GetClockCounters(kfd_ioctl_get_clock_counters_args& counters) const {
  return Call(AMDKFD_IOC_GET_CLOCK_COUNTERS, &counters);
}

int Kfd::GetTileConfig(kfd_ioctl_get_tile_config_args& config) const {
  return Call(AMDKFD_IOC_GET_TILE_CONFIG, &config);
}

int Kfd::SetTrapHandler(kfd_ioctl_set_trap_handler_args& handler) const {
  return Call(AMDKFD_IOC_SET_TRAP_HANDLER, &handler);
}

int Kfd::SetScratchBackingVa(std::uint32_t gpu_id, std::uint64_t address) const {
  kfd_ioctl_set_scratch_backing_va_args args{};
  args.gpu_id = gpu_id;
  args.va_addr = address;
  return Call(AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &args);
}

int Kfd::AllocMemory(kfd_ioctl_alloc_memory_of_gpu_args& memory) const {
  return Call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &memory);
}

int Kfd::FreeMemory(std::uint64_t handle) const {
  kfd_ioctl_free_memory_of_gpu_args args{};
  args.handle = handle;
  return Call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
}

int Kfd::MapMemory(std::uint64_t handle, std::span<const std::uint32_t> gpu_ids,
                   std::uint32_t& mapped) const {
  kfd_ioctl_map_memory_to_gpu_args args{};
  args.handle = handle;
  args.device_ids_array_ptr = AddressOf(gpu_ids.data());
  args.n_devices = static_cast<std::uint32_t>(gpu_ids.size());
  // Unlike an interrupted call of the others, this one goes on where it stopped: n_success says
  // how far it came.
  const int error = Call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args);
  mapped = args.n_success;
  return error;
}

int Kfd::UnmapMemory(std::uint64_t handle, std::span<const std::uint32_t> gpu_ids,
                     std::uint32_t& unmapped) const {
  kfd_ioctl_unmap_memory_from_gpu_args args{};
  args.handle = handle;
  args.device_ids_array_ptr = AddressOf(gpu_ids.data());
  args.n_devices = static_cast<std::uint32_t>(gpu_ids.size());
  const int error = Call(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &args);
  unmapped = args.n_success;
  return error;
}

int Kfd::AvailableMemory(std::uint32_t gpu_id, std::uint64_t& bytes) const {
  kfd_ioctl_get_available_memory_args args{};
  args.gpu_id = gpu_id;
  const int error = Call(AMDKFD_IOC_AVAILABLE_MEMORY, &args);
  if (error == 0) bytes = args.available;
  return error;
}

int Kfd::GetDmabufInfo(kfd_ioctl_get_dmabuf_info_args& info) const {
  return Call(AMDKFD_IOC_GET_DMABUF_INFO, &info);
}

int Kfd::ImportDmabuf(kfd_ioctl_import_dmabuf_args& import) const {
  return Call(AMDKFD_IOC_IMPORT_DMABUF, &import);
}

int Kfd::ExportDmabuf(std::uint64_t handle) const {
  kfd_ioctl_export_dmabuf_args args{};
  args.handle = handle;
  args.flags = O_CLOEXEC;
  const int error = Call(AMDKFD_IOC_EXPORT_DMABUF, &args);
  return error < 0 ? error : static_cast<int>(args.dmabuf_fd);
}

int Kfd::Svm(std::uint32_t operation, std::uint64_t start, std::uint64_t size,
             std::span<kfd_ioctl_svm_attribute> attributes) const {
  const std::size_t bytes = sizeof(kfd_ioctl_svm_args) + attributes.size_bytes();
  if (bytes > kLargestArgument) return -EINVAL;
  // The attributes follow the arguments in one block; kfd_ioctl_svm_args ends in a flexible array.
  const auto block = std::make_unique<std::uint64_t[]>((bytes + 7) / 8);
  auto* args = new (block.get()) kfd_ioctl_svm_args;
  args->start_addr = start;
  args->size = size;
  args->op = operation;
  args->nattr = static_cast<std::uint32_t>(attributes.size());
  std::byte* tail = reinterpret_cast<std::byte*>(block.get()) + sizeof(kfd_ioctl_svm_args);
  if (!attributes.empty()) std::memcpy(tail, attributes.data(), attributes.size_bytes());
  const unsigned long request =
      _IOC(_IOC_READ | _IOC_WRITE, AMDKFD_IOCTL_BASE, _IOC_NR(AMDKFD_IOC_SVM), bytes);
  const int error = Call(request, args);
  if (!attributes.empty()) std::memcpy(attributes.data(), tail, attributes.size_bytes());
  return error;
}

int Kfd::SetXnackMode(std::int32_t& mode) const {
  kfd_ioctl_set_xnack_mode_args args{};
  args.xnack_enabled = mode;
  const int error = Call(AMDKFD_IOC_SET_XNACK_MODE, &args);
  if (error == 0) mode = args.xnack_enabled;
  return error;
}

int Kfd::OpenSmi(std::uint32_t gpu_id) const {
  kfd_ioctl_smi_events_args args{};
  args.gpuid = gpu_id;
  const int error = Call(AMDKFD_IOC_SMI_EVENTS, &args);
  return error < 0 ? error : static_cast<int>(args.anon_fd);
}

int Kfd::CreateQueue(kfdcts_create_queue_args& queue) const {
  return Call(KFDCTS_IOC_CREATE_QUEUE, &queue);
}

int Kfd::UpdateQueue(kfd_ioctl_update_queue_args& queue) const {
  return Call(AMDKFD_IOC_UPDATE_QUEUE, &queue);
}

int Kfd::DestroyQueue(std::uint32_t queue_id) const {
  kfd_ioctl_destroy_queue_args args{};
  args.queue_id = queue_id;
  return Call(AMDKFD_IOC_DESTROY_QUEUE, &args);
}

int Kfd::SetCuMask(std::uint32_t queue_id, std::span<const std::uint32_t> mask) const {
  kfd_ioctl_set_cu_mask_args args{};
  args.queue_id = queue_id;
  args.num_cu_mask = static_cast<std::uint32_t>(mask.size() * 32);
  args.cu_mask_ptr = AddressOf(mask.data());
  return Call(AMDKFD_IOC_SET_CU_MASK, &args);
}

int Kfd::GetQueueWaveState(std::uint32_t queue_id, void* control_stack, std::uint32_t& stack_used,
                           std::uint32_t& save_area_used) const {
  kfd_ioctl_get_queue_wave_state_args args{};
  args.queue_id = queue_id;
  args.ctl_stack_address = AddressOf(control_stack);
  const int error = Call(AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args);
  if (error < 0) return error;
  stack_used = args.ctl_stack_used_size;
  save_area_used = args.save_area_used_size;
  return 0;
}

int Kfd::AllocQueueGws(std::uint32_t queue_id, std::uint32_t count, std::uint32_t& first) const {
  kfd_ioctl_alloc_queue_gws_args args{};
  args.queue_id = queue_id;
  args.num_gws = count;
  const int error = Call(AMDKFD_IOC_ALLOC_QUEUE_GWS, &args);
  if (error == 0) first = args.first_gws;
  return error;
}

int Kfd::CreateEvent(kfd_ioctl_create_event_args& event) const {
  return Call(AMDKFD_IOC_CREATE_EVENT, &event);
}

int Kfd::DestroyEvent(std::uint32_t event_id) const {
  kfd_ioctl_destroy_event_args args{};
  args.event_id = event_id;
  return Call(AMDKFD_IOC_DESTROY_EVENT, &args);
}

int Kfd::SetEvent(std::uint32_t event_id) const {
  kfd_ioctl_set_event_args args{};
  args.event_id = event_id;
  return Call(AMDKFD_IOC_SET_EVENT, &args);
}

int Kfd::ResetEvent(std::uint32_t event_id) const {
  kfd_ioctl_reset_event_args args{};
  args.event_id = event_id;
  return Call(AMDKFD_IOC_RESET_EVENT, &args);
}

int Kfd::WaitEvents(std::span<kfd_event_data> events, bool all, std::uint32_t milliseconds,
                    std::uint32_t& result) const {
  kfd_ioctl_wait_events_args args{};
  args.events_ptr = AddressOf(events.data());
  args.num_events = static_cast<std::uint32_t>(events.size());
  args.wait_for_all = all ? 1 : 0;
  args.timeout = milliseconds;
  const int error = calls_.Ioctl(fd_, AMDKFD_IOC_WAIT_EVENTS, &args);
  result = args.wait_result;
  return error < 0 ? error : 0;
}

}  // namespace kfdcts::thunk
