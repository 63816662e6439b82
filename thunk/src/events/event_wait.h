#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/context/kfd_file.h"
#include "thunk/src/kernel/kfd.h"
#include "thunk/src/topology/topology.h"

namespace kfdcts::thunk {

/// A wait for one, any or all of some events. Holds what it needs of its context, which may be
/// closed meanwhile.
class EventWait {
 public:
  EventWait(SystemCalls& calls, std::shared_ptr<KfdFile> file,
            std::shared_ptr<const Topology> topology, bool has_event_age)
      : file_(std::move(file)),
        kfd_(calls, file_->fd()),
        topology_(std::move(topology)),
        has_event_age_(has_event_age) {}

  /// `ages`: null, or one an event, in and out, for signal events; a kernel before KFD 1.14 knows
  /// none and leaves them. `milliseconds`: 0 asks only, 0xFFFFFFFF waits for ever; a signal neither
  /// ends nor prolongs the wait. What a memory or hardware exception event tells is written into
  /// the event. WAIT_TIMEOUT, or ERROR where the kernel refuses, as for a destroyed event.
  HSAKMT_STATUS Wait(std::span<HsaEvent* const> events, bool all, std::uint32_t milliseconds,
                     std::uint64_t* ages) const;

 private:
  HSAKMT_STATUS WaitInKernel(std::span<kfd_event_data> data, bool all,
                             std::uint32_t milliseconds) const;
  void TakeException(const kfd_event_data& data, HsaEvent& event) const;

  std::shared_ptr<KfdFile> file_;
  Kfd kfd_;
  std::shared_ptr<const Topology> topology_;
  bool has_event_age_;
};

}  // namespace kfdcts::thunk
