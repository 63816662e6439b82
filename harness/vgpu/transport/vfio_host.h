#pragma once

#include "harness/vgpu/core/host.h"
#include "harness/vgpu/transport/dma_map.h"
#include "harness/vgpu/transport/irq_set.h"

namespace kfdcts::vgpu {

/// The machine as the vfio-user client shows it.
class VfioHost final : public Host {
 public:
  std::byte* GuestMemory(std::uint64_t address, std::size_t size, bool write) override {
    return memory_.At(address, size, write);
  }
  void RaiseInterrupt() override { irqs_.Trigger(); }
  std::uint64_t NowNs() const override;

  DmaMap& memory() { return memory_; }  ///< Changed and read under the device's lock only.
  IrqSet& irqs() { return irqs_; }

 private:
  DmaMap memory_;
  IrqSet irqs_;
};

}  // namespace kfdcts::vgpu
