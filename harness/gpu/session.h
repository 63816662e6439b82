#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/gpu/events.h"
#include "harness/gpu/gpu.h"

namespace kfdcts::gpu {

/// How a wait for GPU work ended.
struct WorkResult {
  enum class End { kDone, kFault, kReset, kTimeout };

  End end = End::kTimeout;
  kfd_hsa_memory_exception_data fault{};  ///< For kFault.
  kfd_hsa_hw_exception_data reset{};      ///< For kReset.

  explicit operator bool() const { return end == End::kDone; }
  /// "done", "memory fault at 0x… of GPU 0x… (not present)", …
  std::string Text() const;
};

/// KFD as one process uses it: the device file, all GPUs with a render node, the event page and the
/// exception events. One a process and process life, because KFD keeps render files and event page
/// until the process ends.
class Session {
 public:
  /// Opens and acquires every GPU of the topology. Throws GpuError.
  Session();

  Kfd& kfd() { return kfd_; }
  const Topology& topology() const { return topology_; }
  std::size_t gpu_count() const { return gpus_.size(); }
  Gpu& gpu(std::size_t ordinal) { return *gpus_.at(ordinal); }

  /// Made at the first call, mapped to all GPUs.
  EventPage& events();

  /// Makes the events by which Await learns of faults and resets. Before the work that is awaited:
  /// what happened without them is not told later.
  void WatchExceptions();

  /// Waits for GPU work, and no longer than to the first memory fault or GPU reset of this process.
  template <class Condition>
  WorkResult Await(const Condition& condition, const Deadline& deadline = Deadline(kGpuTimeout)) {
    WatchExceptions();
    for (;;) {
      const Deadline slice(std::chrono::milliseconds(20));
      if (WaitUntil(condition, slice)) return {WorkResult::End::kDone, {}, {}};
      WorkResult result = PollExceptions();
      if (result.end != WorkResult::End::kTimeout || deadline.expired()) return result;
    }
  }

  /// Await of a 32-bit fence.
  WorkResult AwaitFence(const std::uint32_t* fence, std::uint32_t value,
                        const Deadline& deadline = Deadline(kGpuTimeout)) {
    return Await([=] { return LoadAcquire(fence) == value; }, deadline);
  }

 private:
  WorkResult PollExceptions();

  Kfd kfd_;
  Topology topology_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::optional<EventPage> page_;
  std::optional<Event> fault_, reset_;
};

}  // namespace kfdcts::gpu
