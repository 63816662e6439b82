#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "harness/vgpu/engines/mqd.h"
#include "harness/vgpu/engines/pm4_packets.h"
#include "harness/vgpu/engines/sdma_packets.h"
#include "harness/vgpu/test/engines/engine_rig.h"

namespace kfdcts::vgpu {

using Dwords = std::vector<std::uint32_t>;

constexpr std::uint32_t Lo(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t Hi(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

inline Dwords Pm4(pm4::Opcode opcode, std::initializer_list<std::uint32_t> body) {
  Dwords packet{pm4::Header(opcode, static_cast<std::uint32_t>(body.size()))};
  packet.insert(packet.end(), body);
  return packet;
}
/// WRITE_DATA of one dword to memory.
inline Dwords Pm4Write(std::uint64_t address, std::uint32_t value) {
  return Pm4(pm4::kWriteData, {pm4::kDstMemory << 8, Lo(address), Hi(address), value});
}

/// A ring of one of the kinds below, written as a client of the GPU writes it. Pointers count
/// dwords.
class TestQueue {
 public:
  virtual ~TestQueue() = default;

  TestQueue& Emit(const Dwords& packet) {
    for (const std::uint32_t dword : packet) Store(wptr_++ % dwords_, dword);
    return *this;
  }
  virtual void Kick() { rig_.engines.Doorbell(doorbell_, wptr_, true); }
  /// Emits, kicks and runs until nothing more happens.
  void Submit(const Dwords& packet) {
    Emit(packet).Kick();
    rig_.Settle();
  }
  std::uint64_t wptr() const { return wptr_; }
  void SetWptr(std::uint64_t wptr) { wptr_ = wptr; }
  std::uint32_t doorbell() const { return doorbell_; }
  std::uint64_t dwords() const { return dwords_; }

 protected:
  TestQueue(EngineRig& rig, std::uint64_t dwords, std::uint32_t doorbell)
      : rig_(rig), dwords_(dwords), doorbell_(doorbell) {}
  virtual void Store(std::uint64_t index, std::uint32_t dword) = 0;

  EngineRig& rig_;
  std::uint64_t dwords_;
  std::uint32_t doorbell_;
  std::uint64_t wptr_ = 0;
};

/// Of the driver: ring in VRAM, VMID 0.
class KernelRing : public TestQueue {
 public:
  std::uint32_t reported_rptr() { return rig_.LoadVram<std::uint32_t>(report_); }
  std::uint64_t ring() const { return ring_; }

 protected:
  KernelRing(EngineRig& rig, std::uint64_t dwords, std::uint32_t doorbell)
      : TestQueue(rig, dwords, doorbell), ring_(rig.Alloc(dwords * 4)), report_(rig.Alloc(4096)) {}
  void Store(std::uint64_t index, std::uint32_t dword) override {
    rig_.StoreVram(ring_ + index * 4, dword);
  }

  std::uint64_t ring_, report_;
};

/// CP_RB0.
class TestGfxRing : public KernelRing {
 public:
  explicit TestGfxRing(EngineRig& rig, std::uint32_t size_field = 9)
      : KernelRing(rig, 2ULL << size_field, 0x88) {
    const Chip& chip = rig.chip;
    rig.registers.Write(chip.cp_rb0_cntl, size_field);
    rig.Write64Registers(chip.cp_rb0_rptr_addr, chip.cp_rb0_rptr_addr_hi, rig.Mc(report_));
    rig.Write64Registers(chip.cp_rb0_base, chip.cp_rb0_base_hi, rig.Mc(ring_) >> 8);
    rig.registers.Write(chip.cp_rb_doorbell_control, 1u << 30 | doorbell_);
  }
};

/// A compute queue of the driver in ME 2, pipe 1, queue 0, as the KIQ.
class TestKiq : public KernelRing {
 public:
  explicit TestKiq(EngineRig& rig) : KernelRing(rig, 1024, 0), mqd_(rig.Alloc(4096)) {
    Select();
    WriteHqd(hqd::kMqdBaseAddr, rig.Mc(mqd_));
    WriteHqd(hqd::kPqBase, rig.Mc(ring_) >> 8);
    WriteHqd(hqd::kPqRptrReportAddr, rig.Mc(report_));
    WriteHqd(hqd::kPqControl, 9, false);
    WriteHqd(hqd::kPqDoorbellControl, hqd::kDoorbellEnable, false);
    WriteHqd(hqd::kActive, 1, false);
  }
  void Select() { rig_.registers.Write(rig_.chip.grbm_gfx_cntl, 2u << 2 | 1u); }
  std::uint32_t ReadHqd(hqd::Register reg) {
    Select();
    return rig_.registers.Read(rig_.chip.cp_mqd_base_addr + reg * 4);
  }
  std::uint64_t mqd() const { return mqd_; }

 private:
  void WriteHqd(hqd::Register reg, std::uint64_t value, bool wide = true) {
    const std::uint32_t offset = rig_.chip.cp_mqd_base_addr + reg * 4;
    rig_.registers.Write(offset, Lo(value));
    if (wide) rig_.registers.Write(offset + 4, Hi(value));
  }
  std::uint64_t mqd_;
};

/// The GFX queue of SDMA engine 0.
class TestSdmaRing : public KernelRing {
 public:
  explicit TestSdmaRing(EngineRig& rig, std::uint32_t size_field = 10)
      : KernelRing(rig, 1ULL << size_field, 0x1e0 * 4) {
    const SdmaQueueRegisters& r = rig.chip.sdma_queue;
    Write(r.rb_base, Lo(rig.Mc(ring_) >> 8));
    Write(r.rb_base_hi, Hi(rig.Mc(ring_) >> 8));
    Write(r.rb_rptr_addr_lo, Lo(rig.Mc(report_)));
    Write(r.rb_rptr_addr_hi, Hi(rig.Mc(report_)));
    Write(r.doorbell_offset, doorbell_);
    Write(r.doorbell, 1u << 28);
    Write(0, size_field << 1 | 1u << 12 | 1u);
  }
  void Kick() override { rig_.engines.Doorbell(doorbell_, wptr_ * 4, true); }
  void Write(std::uint32_t reg, std::uint32_t value) {
    rig_.registers.Write(rig_.chip.sdma_gfx_rb_cntl[0] + reg, value);
  }
  std::uint32_t Read(std::uint32_t reg) {
    return rig_.registers.Read(rig_.chip.sdma_gfx_rb_cntl[0] + reg);
  }
};

/// Of the user: ring in his memory, VMID 8; read pointer at kReport, write pointer at kPoll.
class UserRing : public TestQueue {
 public:
  static constexpr std::uint64_t kRing = EngineRig::kUserBase, kDwords = 1024;
  static constexpr std::uint64_t kReport = kRing + 0x1000, kPoll = kRing + 0x1040;
  /// Free for the test.
  static constexpr std::uint64_t kData = kRing + 0x4000;

  std::uint32_t reported_rptr() { return rig_.LoadUser<std::uint32_t>(kReport); }
  void SetTail(std::uint64_t wptr) { rig_.StoreUser(kPoll, wptr); }

 protected:
  UserRing(EngineRig& rig, std::uint32_t doorbell) : TestQueue(rig, kDwords, doorbell) {}
  void Store(std::uint64_t index, std::uint32_t dword) override {
    rig_.StoreUser(kRing + index * 4, dword);
  }
};

/// A PM4 or AQL queue of the user in ME 1, pipe 2, queue 3, loaded as the driver does without
/// hardware scheduler.
class TestUserCompute : public UserRing {
 public:
  explicit TestUserCompute(EngineRig& rig, bool aql = false)
      : UserRing(rig, 0x4008), mqd_(rig.Alloc(4096)), aql_(aql) {
    rig.StoreVram(mqd_ + 4 * (128 + hqd::kMqdBaseAddr), rig.Mc(mqd_));
    rig.StoreVram(mqd_ + 4 * (128 + hqd::kPqBase), kRing >> 8);
    rig.StoreVram(mqd_ + 4 * (128 + hqd::kPqRptrReportAddr), kReport);
    rig.StoreVram(mqd_ + 4 * (128 + hqd::kPqControl), std::uint32_t{9});
    rig.StoreVram(mqd_ + 4 * (128 + hqd::kPqDoorbellControl), doorbell_);
    rig.StoreVram(mqd_ + 4 * (128 + hqd::kVmid), std::uint32_t{EngineRig::kVmid});
    rig.StoreVram(mqd_ + 4 * (128 + hqd::kAqlControl), std::uint32_t{aql});
    Load();
  }
  /// kgd_gfx_v9_hqd_load
  void Load() {
    Select();
    for (std::uint32_t i = 0; i < mqd::kHqdRegisterCount; ++i)
      Write(i, rig_.LoadVram<std::uint32_t>(mqd_ + 4 * (128 + i)));
    Write(hqd::kPqDoorbellControl, doorbell_ | hqd::kDoorbellEnable);
    Write(hqd::kPqWptrPollAddr, Lo(kPoll));
    Write(hqd::kPqWptrPollAddrHi, Hi(kPoll));
    rig_.registers.Write(rig_.chip.cp_pq_wptr_poll_cntl1, 1u << 19);
    Write(hqd::kActive, 1);
  }
  /// kgd_gfx_v9_hqd_destroy; false where the queue did not go.
  bool Destroy() {
    Select();
    Write(hqd::kDequeueRequest, 1);
    return !(Read(hqd::kActive) & 1);
  }
  void Select() { rig_.registers.Write(rig_.chip.grbm_gfx_cntl, 1u << 2 | 2u | 3u << 8); }
  void Write(std::uint32_t reg, std::uint32_t value) {
    rig_.registers.Write(rig_.chip.cp_mqd_base_addr + reg * 4, value);
  }
  std::uint32_t Read(std::uint32_t reg) {
    Select();
    return rig_.registers.Read(rig_.chip.cp_mqd_base_addr + reg * 4);
  }
  std::uint32_t Mqd(std::uint32_t dword) { return rig_.LoadVram<std::uint32_t>(mqd_ + dword * 4); }
  bool halted() { return Read(hqd::kError) != 0; }
  void Kick() override {
    const std::uint64_t value = aql_ ? wptr_ / 16 : wptr_;
    SetTail(value);
    rig_.engines.Doorbell(doorbell_, value, true);
  }
  std::uint64_t mqd() const { return mqd_; }

 private:
  std::uint64_t mqd_;
  bool aql_;
};

/// RLC0 of SDMA engine 0 for the user, loaded as the driver does without hardware scheduler.
class TestUserSdma : public UserRing {
 public:
  explicit TestUserSdma(EngineRig& rig) : UserRing(rig, 0x4780) { Load(0); }
  void Load(std::uint64_t rptr_dwords) {
    const SdmaQueueRegisters& r = rig_.chip.sdma_queue;
    Write(0, 10u << 1);
    Write(r.doorbell_offset, doorbell_);
    Write(r.doorbell, 1u << 28);
    Write(r.rb_rptr, Lo(rptr_dwords * 4));
    Write(r.rb_rptr_hi, 0);
    Write(r.rb_wptr, Lo(wptr_ * 4));
    Write(r.rb_wptr_hi, 0);
    Write(r.rb_base, Lo(kRing >> 8));
    Write(r.rb_base_hi, Hi(kRing >> 8));
    Write(r.rb_rptr_addr_lo, Lo(kReport));
    Write(r.rb_rptr_addr_hi, Hi(kReport));
    Write(0, 10u << 1 | 1u << 12 | EngineRig::kVmid << 24 | 1u);
  }
  void Kick() override { rig_.engines.Doorbell(doorbell_, wptr_ * 4, true); }
  void Write(std::uint32_t reg, std::uint32_t value) { rig_.registers.Write(Base() + reg, value); }
  std::uint32_t Read(std::uint32_t reg) { return rig_.registers.Read(Base() + reg); }
  bool idle() { return Read(rig_.chip.sdma_queue.context_status) >> 2 & 1; }

 private:
  std::uint32_t Base() const { return rig_.chip.sdma_gfx_rb_cntl[0] + rig_.chip.sdma_rlc0_offset; }
};

}  // namespace kfdcts::vgpu
