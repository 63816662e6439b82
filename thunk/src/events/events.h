#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/context/gpu.h"
#include "thunk/src/kernel/kfd.h"
#include "thunk/src/memory/memory.h"
#include "thunk/src/topology/topology.h"

namespace kfdcts::thunk {

/// The events of one context. Functions answer as the API call of their name. Any thread may call
/// any function; an event must not be destroyed while another call uses it.
class Events {
 public:
  /// All arguments outlive this.
  Events(const Kfd& kfd, Memory& memory, std::span<const Gpu> gpus, const Topology& topology)
      : kfd_(kfd), memory_(memory), gpus_(gpus), topology_(topology) {}
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  HSAKMT_STATUS Create(const HsaEventDescriptor& descriptor, bool manual_reset, bool signaled,
                       HsaEvent** event);
  HSAKMT_STATUS Destroy(HsaEvent* event);
  HSAKMT_STATUS Set(const HsaEvent& event) const;
  HSAKMT_STATUS Reset(const HsaEvent& event) const;

  /// Destroys every event that is left. The page of signals stays: the kernel keeps it as long as
  /// the process lives.
  void ReleaseAll();
  /// In a forked child: the events are the parent's.
  void AbandonInChild();

 private:
  HSAKMT_STATUS CreateInKernel(kfd_ioctl_create_event_args& args);
  HSAKMT_STATUS MapKernelsPage(std::uint64_t offset);
  const Gpu* PageOwner() const;
  void FillHardwareData(const kfd_ioctl_create_event_args& args, HsaEventData& data) const;

  const Kfd& kfd_;
  Memory& memory_;
  std::span<const Gpu> gpus_;
  const Topology& topology_;

  std::mutex mutex_;
  std::uint64_t* page_ = nullptr;  ///< A slot for each event, which a GPU writes to signal it.
  bool page_is_kernels_ = false;   ///< Mapped from /dev/kfd rather than an allocation of ours.
  Memory::Internal page_memory_;
  std::unordered_set<HsaEvent*> events_;
};

}  // namespace kfdcts::thunk
