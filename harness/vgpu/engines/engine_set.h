#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/vgpu/engines/aql.h"
#include "harness/vgpu/engines/command_processor.h"
#include "harness/vgpu/engines/gfx_ring.h"
#include "harness/vgpu/engines/hqd.h"
#include "harness/vgpu/engines/queue_info.h"
#include "harness/vgpu/engines/scheduler.h"
#include "harness/vgpu/engines/sdma.h"

namespace kfdcts::vgpu {

/// All engines of a device, and whose turn it is. Under the device's lock.
class EngineSet {
 public:
  explicit EngineSet(Services& services);

  /// Runs at most one packet, of the queue next in turn. False where no queue got ahead.
  bool Step();
  /// When Step must run again although nothing was written to the device; UINT64_MAX for never.
  std::uint64_t NextWake() const;

  /// A doorbell at byte `offset`; `wide` where 64 bits were written.
  void Doorbell(std::uint32_t offset, std::uint64_t value, bool wide);

  /// See Scheduler: those whose queues are gone become findings.
  void ReportDeadDoorbells() { scheduler_.ReportDeadDoorbells(); }

  /// Returns an error, or nothing.
  std::string Control(const ControlCommand& command);
  /// Fills in what is counted where it happens.
  void Describe(Counters& counters) const;
  /// Every queue that is loaded now.
  std::vector<QueueInfo> Queues() const;
  void Reset();

 private:
  template <typename Visit>
  void ForEachQueue(Visit visit) const;
  std::size_t QueueCount() const;
  Queue& QueueAt(std::size_t index);
  PacketEngine& EngineOf(const Queue& queue);
  bool Enabled(const Queue& queue) const;
  bool HqdDoorbell(std::uint32_t offset, std::uint64_t value, bool wide);
  std::string HoldEngine(const std::string& engine, bool hold);

  Services& services_;
  HqdBank hqds_;
  Sdma sdma_;
  GfxRing gfx_;
  Scheduler scheduler_;
  CommandProcessor command_processor_;
  AqlProcessor aql_;
  std::size_t turn_ = 0;
};

}  // namespace kfdcts::vgpu
