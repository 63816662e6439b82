#pragma once

#include <cstdint>

#include "harness/vgpu/engines/queue.h"
#include "harness/vgpu/engines/services.h"

namespace kfdcts::vgpu {

/// The graphics ring CP_RB0: its registers and its queue, whose packets the command processor
/// executes.
class GfxRing {
 public:
  explicit GfxRing(Services& services);

  Queue& queue() { return queue_; }
  /// Takes the write pointer (in dwords) where the ring's doorbell is at byte `offset`.
  bool Doorbell(std::uint32_t offset, std::uint64_t value, bool wide);
  /// Neither ME nor PFP is halted.
  bool Enabled() const;
  void Reset();

 private:
  void Restart();
  void OnBase();

  Services& services_;
  Queue queue_;
};

}  // namespace kfdcts::vgpu
