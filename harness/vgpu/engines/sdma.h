#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/vgpu/engines/packet_engine.h"

namespace kfdcts::vgpu {

/// A queue of an SDMA engine: GFX (the driver's) or RLC0… (user queues). Its state between packets
/// is in `queue`, what the driver programs in the registers from `registers` (the RB_CNTL register)
/// on.
struct SdmaSlot {
  Queue queue;
  std::uint32_t registers = 0;
  std::uint64_t owner =
      0;  ///< The run list's queue in it, 0 for one that the driver loaded itself.
};

/// The SDMA engines: executes their packets and owns their queues' registers.
class Sdma : public PacketEngine {
 public:
  explicit Sdma(Services& services);

  /// Copies the v9_sdma_mqd at `mqd` (VMID 0) into a free RLC queue's registers and enables it.
  /// Null where no queue of the engine is free, the engine does not exist or the MQD describes no
  /// ring.
  SdmaSlot* Load(unsigned engine, std::uint64_t mqd, std::uint8_t vmid, std::uint64_t wptr_address);
  /// An RLC queue of the engine is not in use.
  bool HasFreeQueue(unsigned engine) const { return FindFree(engine) != nullptr; }
  /// Writes ring and indirect buffer state back to the MQD.
  void Save(SdmaSlot& slot, std::uint64_t mqd);
  void Disable(SdmaSlot& slot);

  /// True where an engine's queue has its doorbell at byte `offset`; it gets the write pointer (in
  /// bytes).
  bool Doorbell(std::uint32_t offset, std::uint64_t value, bool wide);

  const std::vector<std::unique_ptr<SdmaSlot>>& slots() const { return slots_; }
  SdmaSlot& SlotOf(const Queue& queue);
  /// The engine runs and the queue may: not halted, not held, not waiting for its doorbell to be
  /// set up.
  bool Enabled(const Queue& queue) const;
  void Reset();

 protected:
  Outcome RunPacket(Queue& queue) override;
  std::optional<Fault> PollWptr(Queue& queue) override;
  std::optional<Fault> ReportRptr(Queue& queue) override;
  void Raise(Queue& queue, QueueException exception) override;
  void Drained(Queue& queue) override;

 private:
  SdmaSlot* FindFree(unsigned engine) const;
  std::uint32_t Get(const SdmaSlot& slot, std::uint32_t reg) const;
  std::uint64_t Get64(const SdmaSlot& slot, std::uint32_t low, std::uint32_t high) const;
  void Set(const SdmaSlot& slot, std::uint32_t reg, std::uint32_t value);
  void InstallHooks(SdmaSlot& slot);
  void InstallEngineHooks(unsigned engine);
  void OnRbCntl(SdmaSlot& slot, std::uint32_t value);
  bool Enable(SdmaSlot& slot);
  void UpdateDoorbell(SdmaSlot& slot);
  void Sync(SdmaSlot& slot);
  std::uint32_t ContextStatus(const SdmaSlot& slot) const;
  bool EngineIdle(unsigned engine) const;

  std::vector<std::unique_ptr<SdmaSlot>> slots_;
  std::vector<std::uint32_t> packet_;
  std::array<std::uint64_t, 8> timestamp_base_ = {};  // TIMESTAMP_SET, an engine each
};

}  // namespace kfdcts::vgpu
