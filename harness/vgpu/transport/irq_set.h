#pragma once

#include <linux/vfio.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "harness/vgpu/transport/unique_fd.h"

namespace kfdcts::vgpu {

/// The device's one interrupt, MSI vector 0, and the client's requests about it. Thread-safe.
class IrqSet {
 public:
  static constexpr std::uint32_t kIndexCount = VFIO_PCI_NUM_IRQS;

  /// Vectors of one VFIO_PCI_*_IRQ_INDEX.
  static std::uint32_t Vectors(std::uint32_t index) {
    return index == VFIO_PCI_MSI_IRQ_INDEX ? 1 : 0;
  }
  static std::uint32_t Flags(std::uint32_t index);

  /// DEVICE_SET_IRQS; 0 or an errno value. `data` is what follows the fixed part (for
  /// VFIO_IRQ_SET_DATA_BOOL), `fds` the event descriptors (for VFIO_IRQ_SET_DATA_EVENTFD; none
  /// takes the old ones away).
  int Set(const vfio_irq_set& request, std::span<const std::byte> data, std::vector<UniqueFd> fds);

  /// Signals the vector: lost where the client has given no descriptor, kept until unmasked where
  /// it is masked.
  void Trigger();

  /// Takes the client's descriptor away.
  void Clear();

  std::uint64_t delivered() const;
  std::uint64_t lost() const;

 private:
  int SetEventFd(UniqueFd fd);
  void Act(std::uint32_t action);
  void Deliver();

  mutable std::mutex mutex_;
  UniqueFd event_;
  bool masked_ = false;
  bool pending_ = false;
  std::uint64_t delivered_ = 0, lost_ = 0;
};

}  // namespace kfdcts::vgpu
