#pragma once

#include <cstdint>
#include <span>

#include "harness/uapi/kfd_compat.h"
#include "thunk/src/kernel/system_calls.h"

namespace kfdcts::thunk {

/// The ioctls of one open /dev/kfd, one typed function each (include/uapi/linux/kfd_ioctl.h). All
/// give 0 or -errno and repeat a call that a signal or a change of page tables interrupted, save
/// WaitEvents. Does not own the descriptor. Any thread may call.
class Kfd {
 public:
  Kfd(SystemCalls& calls, int fd) : calls_(calls), fd_(fd) {}

  int fd() const { return fd_; }
  SystemCalls& calls() const { return calls_; }

  int GetVersion(kfd_ioctl_get_version_args& version) const;
  /// In: room of the array; out: the number of GPUs. The kernel fills no more than there is room.
  int GetProcessApertures(std::span<kfd_process_device_apertures> apertures,
                          std::uint32_t& count) const;
  int AcquireVm(std::uint32_t gpu_id, int drm_fd) const;
  int CreateProcess() const;
  int SetMemoryPolicy(kfd_ioctl_set_memory_policy_args& policy) const;
  int GetClockCounters(kfd_ioctl_get_clock_counters_args& counters) const;
  int GetTileConfig(kfd_ioctl_get_tile_config_args& config) const;
  int SetTrapHandler(kfd_ioctl_set_trap_handler_args& handler) const;
  int SetScratchBackingVa(std::uint32_t gpu_id, std::uint64_t address) const;

  int AllocMemory(kfd_ioctl_alloc_memory_of_gpu_args& memory) const;
  int FreeMemory(std::uint64_t handle) const;
  /// Also on failure `mapped` is the number of GPUs, from the first, that now have it mapped.
  int MapMemory(std::uint64_t handle, std::span<const std::uint32_t> gpu_ids,
                std::uint32_t& mapped) const;
  /// Also on failure `unmapped` is the number of GPUs, from the first, that have it no more.
  int UnmapMemory(std::uint64_t handle, std::span<const std::uint32_t> gpu_ids,
                  std::uint32_t& unmapped) const;
  int AvailableMemory(std::uint32_t gpu_id, std::uint64_t& bytes) const;

  int GetDmabufInfo(kfd_ioctl_get_dmabuf_info_args& info) const;
  int ImportDmabuf(kfd_ioctl_import_dmabuf_args& import) const;
  /// The dma-buf's descriptor, close-on-exec, or -errno.
  int ExportDmabuf(std::uint64_t handle) const;

  /// `operation` is KFD_IOCTL_SVM_OP_*; answers come back in `attributes`. -EINVAL where they are
  /// more than the ioctl's size field can tell (SVM-22).
  int Svm(std::uint32_t operation, std::uint64_t start, std::uint64_t size,
          std::span<kfd_ioctl_svm_attribute> attributes) const;
  /// In: 0, 1, or negative to ask; out: the mode.
  int SetXnackMode(std::int32_t& mode) const;
  /// The stream's descriptor, or -errno.
  int OpenSmi(std::uint32_t gpu_id) const;

  int CreateQueue(kfdcts_create_queue_args& queue) const;
  int UpdateQueue(kfd_ioctl_update_queue_args& queue) const;
  int DestroyQueue(std::uint32_t queue_id) const;
  /// `mask` is whole words of 32 compute units.
  int SetCuMask(std::uint32_t queue_id, std::span<const std::uint32_t> mask) const;
  /// Writes the control stack of a stopped queue to the start of its context save area,
  /// `control_stack`. Both sizes are bytes.
  int GetQueueWaveState(std::uint32_t queue_id, void* control_stack, std::uint32_t& stack_used,
                        std::uint32_t& save_area_used) const;
  int AllocQueueGws(std::uint32_t queue_id, std::uint32_t count, std::uint32_t& first) const;

  int CreateEvent(kfd_ioctl_create_event_args& event) const;
  int DestroyEvent(std::uint32_t event_id) const;
  int SetEvent(std::uint32_t event_id) const;
  int ResetEvent(std::uint32_t event_id) const;
  /// -EINTR where a signal came: the caller knows how much time is left.
  int WaitEvents(std::span<kfd_event_data> events, bool all, std::uint32_t milliseconds,
                 std::uint32_t& result) const;

 private:
  int Call(unsigned long request, void* argument) const;

  SystemCalls& calls_;
  int fd_;
};

}  // namespace kfdcts::thunk
