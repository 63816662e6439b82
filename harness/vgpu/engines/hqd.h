#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "harness/vgpu/engines/mqd.h"
#include "harness/vgpu/engines/queue.h"
#include "harness/vgpu/engines/services.h"

namespace kfdcts::vgpu {

/// One hardware queue descriptor: the CP_HQD registers of a bank and the queue that they describe.
struct HqdSlot {
  std::array<std::uint32_t, kHqdRegisters> registers = {};
  Queue queue;
  std::uint64_t owner =
      0;  ///< The run list's queue in it, 0 for one that the driver loaded itself.
  bool poll_requested =
      false;  ///< CP_PQ_WPTR_POLL_CNTL1 asked to read the write pointer from memory.

  std::uint64_t Get64(hqd::Register low) const {
    return std::uint64_t{registers[low + 1]} << 32 | registers[low];
  }
  std::uint64_t mqd_address() const { return Get64(hqd::kMqdBaseAddr) & ~3ULL; }
};

/// All compute queue slots: those that the driver reaches through GRBM_GFX_CNTL's banks, and more
/// without registers for the hardware scheduler's use. Owns the banked registers' hooks.
class HqdBank {
 public:
  explicit HqdBank(Services& services);

  /// Copies the MQD at `mqd` (VMID 0) into the slot's registers and activates it for `vmid`. With
  /// `wptr_address` the write pointer is read from there before the first packet. False where the
  /// MQD cannot be read or describes no ring.
  bool Load(HqdSlot& slot, std::uint64_t mqd, std::uint8_t vmid, std::uint64_t wptr_address);
  /// Writes the registers back to the MQD that they name, as far as there is one.
  void Save(HqdSlot& slot);
  void Deactivate(HqdSlot& slot);
  /// Saves and deactivates.
  void Dequeue(HqdSlot& slot);

  /// The bank of an ME (0…3), a pipe (0…3) and a queue (0…7).
  HqdSlot& At(unsigned me, unsigned pipe, unsigned queue);
  /// A free slot of MEC 1 that `queue_mask` (bit pipe * 8 + queue) allows, else one without
  /// registers.
  HqdSlot& Acquire(std::uint64_t queue_mask);
  /// The slot whose doorbell is at byte `offset`, null where none is.
  HqdSlot* FindDoorbell(std::uint32_t offset);
  /// The slot that `queue` is in; the queue is one of this bank's.
  HqdSlot& SlotOf(const Queue& queue);

  const std::vector<std::unique_ptr<HqdSlot>>& slots() const { return slots_; }
  /// The MEC that the queue runs on is halted by CP_MEC_CNTL.
  bool Halted(const Queue& queue) const;

  /// Called when the driver halts the first MEC: whatever was scheduled is gone.
  void SetResetHook(std::function<void()> hook) { on_reset_ = std::move(hook); }
  void Reset();

 private:
  static constexpr unsigned kMes = 4, kPipes = 4, kQueues = 8;
  static constexpr unsigned kRealSlots = kMes * kPipes * kQueues;

  HqdSlot& Selected();
  std::uint32_t OnRead(std::uint32_t index);
  void OnWrite(std::uint32_t index, std::uint32_t value);
  void OnDequeueRequest(HqdSlot& slot, std::uint32_t value);
  void OnMecControl(std::uint32_t value);
  void OnQueueReset();
  bool Activate(HqdSlot& slot);
  void RestoreIndirect(HqdSlot& slot);
  void Sync(HqdSlot& slot);
  void UpdateDoorbell(HqdSlot& slot);

  Services& services_;
  std::vector<std::unique_ptr<HqdSlot>> slots_;
  std::function<void()> on_reset_;
};

}  // namespace kfdcts::vgpu
