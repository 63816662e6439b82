#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "harness/uapi/kfd_compat.h"
#include "thunk/test/fake/fake_machine.h"
#include "thunk/test/fake/fake_queues.h"
#include "thunk/test/fake/mapping_book.h"

namespace kfdcts::thunk {

constexpr std::uint64_t kFakePage = 4096;

/// VRAM of the machine in use, by the place of the GPU in it.
using VramUse = std::vector<std::uint64_t>;

/// What a buffer object's handle and its dma-bufs have in common: the memory.
struct FakeMemory {
  FakeMemory(std::size_t gpu, std::uint64_t bytes, std::uint32_t flags, VramUse* use);
  ~FakeMemory();
  FakeMemory(const FakeMemory&) = delete;
  FakeMemory& operator=(const FakeMemory&) = delete;

  std::size_t gpu;      ///< place in the machine
  std::uint64_t bytes;  ///< whole pages
  std::uint32_t flags;  ///< KFD_IOC_ALLOC_MEM_FLAGS_*
  std::uint64_t mmap_offset = 0;
  std::vector<std::uint8_t> metadata;  ///< of a graphics buffer

 private:
  VramUse* use_;
};

/// A kgd_mem: memory at an address of the GPUs' address spaces.
struct FakeBuffer {
  std::shared_ptr<FakeMemory> memory;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;      ///< of addresses: an AQL queue's memory is there twice
  std::uint64_t mapped_on = 0;  ///< a bit a GPU
  std::map<std::size_t, unsigned> queues_on;  ///< that use it, a GPU
};

/// A kfd_process' events. Waiters block without the kernel's lock.
class FakeEvents {
 public:
  int Create(kfd_ioctl_create_event_args& arguments);
  int Destroy(std::uint32_t id);
  int Set(std::uint32_t id);
  int Reset(std::uint32_t id);
  /// `lock` is held on entry and on return.
  int Wait(kfd_ioctl_wait_events_args& arguments, std::unique_lock<std::mutex>& lock);
  std::size_t size() const { return events_.size(); }

 private:
  struct Event {
    std::uint32_t type = 0;
    bool auto_reset = false;
    bool signaled = false;
    std::uint64_t age = 1;
    unsigned waiters = 0;
  };
  struct Waiter {
    std::weak_ptr<Event> event;
    bool activated = false;
    bool counted = false;  ///< among the event's waiters
    bool wants_age = false;
    std::uint64_t start_age = 0;
  };

  std::uint32_t TakeSignalId();
  int StartWaiting(std::vector<Waiter>& waiters, kfd_event_data* data);
  void StopWaiting(std::vector<Waiter>& waiters);
  static std::uint32_t Judge(std::vector<Waiter>& waiters, bool all);

  std::map<std::uint32_t, std::shared_ptr<Event>> events_;
  std::set<std::uint32_t> free_signal_ids_;
  std::uint32_t next_signal_id_ = 1;
  std::uint32_t next_other_id_ = KFD_SIGNAL_EVENT_LIMIT + 1;
  std::condition_variable changed_;
};

/// A kfd_process' SVM ranges: attributes an interval of pages, merged for answers as amdkfd does.
class FakeSvm {
 public:
  explicit FakeSvm(const FakeMachine& machine) : machine_(machine) {}
  /// -EINVAL where a set must not begin (SVM-2).
  int Check(std::uint32_t count, const kfd_ioctl_svm_attribute* attributes) const;
  /// Attributes must have been checked.
  int Set(std::uint64_t start, std::uint64_t size, std::uint32_t count, bool xnack,
          const kfd_ioctl_svm_attribute* attributes);
  int Get(std::uint64_t start, std::uint64_t size, std::uint32_t count, bool xnack,
          kfd_ioctl_svm_attribute* attributes) const;
  /// munmap of the pages.
  void Forget(std::uint64_t start, std::uint64_t end);
  bool Overlaps(std::uint64_t start, std::uint64_t end) const;

 private:
  struct Attributes {
    std::uint32_t preferred = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
    std::uint32_t prefetch = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
    std::uint32_t granularity = 9;
    std::uint32_t flags = KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT;
    std::uint64_t access = 0;    ///< a bit a GPU
    std::uint64_t in_place = 0;  ///< a bit a GPU
  };
  struct Range {
    std::uint64_t end = 0;
    Attributes attributes;
  };
  struct Merged;

  Attributes Defaults(bool xnack) const;
  int CheckOne(const kfd_ioctl_svm_attribute& attribute) const;
  void Apply(const kfd_ioctl_svm_attribute& attribute, Attributes& attributes) const;
  Merged Merge(std::uint64_t start, std::uint64_t end, bool xnack) const;
  /// No range crosses the address afterwards.
  void SplitAt(std::uint64_t address);
  std::size_t GpuIndex(std::uint32_t gpu_id) const;  ///< gpus.size(): unknown

  const FakeMachine& machine_;
  std::map<std::uint64_t, Range> ranges_;  ///< by start
};

/// The kernel's kfd_process: a GPU address space a GPU, and the buffer objects in them.
class FakeProcess {
 public:
  FakeProcess(const FakeMachine& machine, bool is_primary);

  /// A handle for the buffer.
  std::uint64_t Keep(FakeBuffer buffer, std::size_t gpu);
  FakeBuffer* Find(std::uint64_t handle);
  int Free(std::uint64_t handle);
  int Map(FakeBuffer& buffer, std::size_t gpu);
  int Unmap(FakeBuffer& buffer, std::size_t gpu);

  std::size_t buffer_count() const { return buffer_count_; }
  std::size_t gpu_mapping_count() const { return gpu_mapping_count_; }
  /// The buffer that is mapped on the GPU at exactly these addresses, or null.
  FakeBuffer* FindMapped(std::size_t gpu, std::uint64_t address, std::uint64_t bytes);
  bool BuffersOverlap(std::uint64_t start, std::uint64_t end) const;

  const bool primary;
  std::vector<std::shared_ptr<void>> vm_files;  ///< a GPU's acquired render file; null: not yet
  FakeEvents events;
  FakeSvm svm;
  FakeQueues queues;
  bool xnack = false;
  bool runtime_enabled = false;
  std::uint64_t event_page_handle = 0;

 private:
  struct Vm {
    std::vector<std::unique_ptr<FakeBuffer>> buffers;  ///< by the handle's low half
    std::vector<std::uint32_t> free_slots;
    MappingBook addresses;  ///< that are mapped on this GPU
  };

  std::size_t GpuOfHandle(std::uint64_t handle) const;

  const FakeMachine& machine_;
  std::vector<Vm> vms_;
  std::size_t buffer_count_ = 0;
  std::size_t gpu_mapping_count_ = 0;
};

}  // namespace kfdcts::thunk
