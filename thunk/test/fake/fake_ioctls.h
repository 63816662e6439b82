#pragma once

#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::thunk {

/// One KFD ioctl on one open file, with the kernel's lock held.
class FakeKernel::Ioctls {
 public:
  Ioctls(FakeKernel& kernel, File& file, std::unique_lock<std::mutex>& lock)
      : kernel_(kernel), file_(file), process_(file.process), lock_(lock) {}

  /// `bytes` is the size field of the request; `argument` the caller's struct.
  int Run(unsigned long request, void* argument);

 private:
  struct Entry;
  static const Entry* FindEntry(unsigned number);

  int GetVersion(kfd_ioctl_get_version_args& arguments);
  int SetMemoryPolicy(kfd_ioctl_set_memory_policy_args& arguments);
  int GetClockCounters(kfd_ioctl_get_clock_counters_args& arguments);
  int GetApertures(kfd_ioctl_get_process_apertures_args& arguments);
  int GetAperturesNew(kfd_ioctl_get_process_apertures_new_args& arguments);
  int GetTileConfig(kfd_ioctl_get_tile_config_args& arguments);
  int SetScratchBackingVa(kfd_ioctl_set_scratch_backing_va_args& arguments);
  int SetTrapHandler(kfd_ioctl_set_trap_handler_args& arguments);
  int AcquireVm(kfd_ioctl_acquire_vm_args& arguments);
  int SetXnackMode(kfd_ioctl_set_xnack_mode_args& arguments);
  int SmiEvents(kfd_ioctl_smi_events_args& arguments);
  int CreateProcess();
  int RuntimeEnable(kfd_ioctl_runtime_enable_args& arguments);
  int Svm(void* argument, std::size_t bytes);

  // fake_memory_ioctls.cpp
  int AllocMemory(kfd_ioctl_alloc_memory_of_gpu_args& arguments);
  int CheckAlloc(const kfd_ioctl_alloc_memory_of_gpu_args& arguments, std::size_t gpu) const;
  int FreeMemory(kfd_ioctl_free_memory_of_gpu_args& arguments);
  int MapMemory(kfd_ioctl_map_memory_to_gpu_args& arguments);
  int UnmapMemory(kfd_ioctl_unmap_memory_from_gpu_args& arguments);
  int AvailableMemory(kfd_ioctl_get_available_memory_args& arguments);
  int GetDmabufInfo(kfd_ioctl_get_dmabuf_info_args& arguments);
  int ImportDmabuf(kfd_ioctl_import_dmabuf_args& arguments);
  int ExportDmabuf(kfd_ioctl_export_dmabuf_args& arguments);

  // fake_queue_ioctls.cpp
  int CreateQueue(kfdcts_create_queue_args& arguments);
  int UpdateQueue(kfd_ioctl_update_queue_args& arguments);
  int DestroyQueue(kfd_ioctl_destroy_queue_args& arguments);
  int SetCuMask(kfd_ioctl_set_cu_mask_args& arguments);
  int GetQueueWaveState(kfd_ioctl_get_queue_wave_state_args& arguments);
  int AllocQueueGws(kfd_ioctl_alloc_queue_gws_args& arguments);

  int CreateEvent(kfd_ioctl_create_event_args& arguments);
  int DestroyEvent(kfd_ioctl_destroy_event_args& arguments);
  int SetEvent(kfd_ioctl_set_event_args& arguments);
  int ResetEvent(kfd_ioctl_reset_event_args& arguments);
  int WaitEvents(kfd_ioctl_wait_events_args& arguments);

  /// Place of the GPU in the machine, or its size.
  std::size_t GpuOf(std::uint64_t gpu_id) const;
  /// The same for a GPU whose VM is acquired: -EINVAL for an unknown one, -ENODEV for no VM.
  int BoundGpu(std::uint64_t gpu_id, std::size_t& gpu) const;
  kfd_process_device_apertures AperturesOf(const FakeGpu& gpu) const;

  FakeKernel& kernel_;
  File& file_;
  std::shared_ptr<FakeProcess> process_;
  std::unique_lock<std::mutex>& lock_;
};

/// Whether all pages of [start, end) are mapped in this process.
bool AllPagesMapped(std::uint64_t start, std::uint64_t end);

}  // namespace kfdcts::thunk
