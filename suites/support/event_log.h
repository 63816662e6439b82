#pragma once

#include <linux/kfd_ioctl.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "suites/support/svm_test.h"

namespace kfdcts::suites {

inline constexpr std::uint64_t kQueueEvents =
    KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_EVICTION) |
    KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_RESTORE);
inline constexpr std::uint64_t kMigrationEvents =
    KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_START) |
    KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_END);
inline constexpr std::uint64_t kMemoryEvents =
    kQueueEvents | kMigrationEvents |
    KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_PAGE_FAULT_START) |
    KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_PAGE_FAULT_END) |
    KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_UNMAP_FROM_GPU);

/// The events of one GPU since the construction, kept, so that a test can ask several questions of
/// them. What came is read at each question; the kernel keeps some 8 KiB of lines until then.
class EventLog {
 public:
  EventLog(const harness::ThunkApi& thunk, const harness::GpuNode& gpu,
           std::uint64_t types = kMemoryEvents);

  const std::vector<gpu::SmiEvent>& All();

  using Predicate = std::function<bool(const gpu::SmiEvent&)>;
  std::size_t Count(std::uint32_t type);
  std::size_t Count(std::uint32_t type, const Predicate& predicate);

  /// Waits for the `count`-th event of this type. False where it does not come.
  bool WaitFor(std::uint32_t type, std::size_t count = 1);
  /// Waits until as many restores that put the queues back came as evictions, at least `count`.
  bool WaitForQueuesBack(std::size_t count = 1);

  /// The lines of all events, for messages.
  std::string Text();

 private:
  SmiWatch watch_;
  std::vector<gpu::SmiEvent> events_;
};

/// Of QUEUE_EVICTION: for a change of shared virtual memory.
inline bool IsForSvm(const gpu::SmiEvent& event) {
  return event.trigger == static_cast<std::uint32_t>(KFD_QUEUE_EVICTION_TRIGGER_SVM);
}

/// Of QUEUE_RESTORE: the queues are back, rather than their return put off.
inline bool IsBack(const gpu::SmiEvent& event) { return event.access != 'R'; }

}  // namespace kfdcts::suites
