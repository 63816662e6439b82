#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/vgpu/test/engines/test_queues.h"

namespace kfdcts::vgpu {

/// A process with a PM4 queue and a fence word of his own, as the hardware scheduler gets it: page
/// tables, MQD, ring. All its memory is one block of guest memory at kUserBase in its own address
/// space.
class TestProcess {
 public:
  static constexpr std::uint64_t kRing = EngineRig::kUserBase, kReport = kRing + 0x1000,
                                 kPoll = kRing + 0x1040;
  static constexpr std::uint64_t kData = kRing + 0x2000, kBytes = 0x4000, kRingDwords = 1024;

  TestProcess(EngineRig& rig, std::uint32_t number, std::uint64_t bus)
      : rig_(rig),
        tables_(std::make_unique<PageTables>(rig.chip, rig.registers, rig.vram, 1,
                                             rig.Alloc(24 * 1024))),
        mqd_(rig.Alloc(4096)),
        sdma_mqd_(rig.Alloc(4096)),
        bus_(bus),
        pasid_(0x9000 + number),
        doorbell_(0x8000 + number * 0x2000) {
    for (std::uint64_t page = 0; page < kBytes; page += 4096)
      tables_->MapSystem(kRing + page, bus + page);
    SetMqd(hqd::kMqdBaseAddr, rig.Mc(mqd_));
    SetMqd(hqd::kPqBase, kRing >> 8);
    SetMqd(hqd::kPqRptrReportAddr, kReport);
    rig.StoreVram(mqd_ + 4 * (128 + hqd::kPqControl), std::uint32_t{9});
    rig.StoreVram(mqd_ + 4 * (128 + hqd::kPqDoorbellControl), doorbell_);
    rig.StoreVram(sdma_mqd_ + 4 * sdma_mqd::kRbCntl, 10u << 1 | 1u << 12);
    rig.StoreVram(sdma_mqd_ + 4 * sdma_mqd::kRbBase, Lo(kRing >> 8));
    rig.StoreVram(sdma_mqd_ + 4 * sdma_mqd::kRbBaseHi, Hi(kRing >> 8));
    rig.StoreVram(sdma_mqd_ + 4 * sdma_mqd::kRbRptrAddrLo, Lo(kReport));
    rig.StoreVram(sdma_mqd_ + 4 * sdma_mqd::kRbRptrAddrHi, Hi(kReport));
    rig.StoreVram(sdma_mqd_ + 4 * sdma_mqd::kDoorbellOffset, doorbell_);
  }

  Dwords MapProcess(std::uint32_t quantum_ms = 10) const {
    const std::uint64_t base = tables_->root() | kPteValid;
    return Pm4(pm4::kMapProcess, {pasid_ | quantum_ms << 25, Lo(base), Hi(base), 0, 0, 0, 0, 0, 0,
                                  0, 0, 0, 1u << 22, 0, 0});
  }
  /// Its compute queue, or with `engine` ≥ 0 its SDMA queue (it uses one of them).
  Dwords MapQueue(int engine = -1, bool is_static = false) const {
    const std::uint64_t mqd = rig_.Mc(engine < 0 ? mqd_ : sdma_mqd_);
    const std::uint32_t select = engine < 0 ? 0 : 2 + static_cast<std::uint32_t>(engine);
    return Pm4(pm4::kMapQueues, {1u << 4 | (is_static ? 2u : 0u) << 21 | select << 26 | 1u << 29,
                                 doorbell_, Lo(mqd), Hi(mqd), Lo(kPoll), Hi(kPoll)});
  }

  TestProcess& Emit(const Dwords& packet) {
    for (const std::uint32_t dword : packet) Store(kRing + wptr_++ % kRingDwords * 4, dword);
    return *this;
  }
  /// Only the write pointer in memory moves.
  void Tail(std::uint64_t scale = 1) { Store(kPoll, wptr_ * scale); }
  void Kick() {
    Tail();
    rig_.engines.Doorbell(doorbell_, wptr_, true);
  }
  void KickSdma() {
    Tail(4);
    rig_.engines.Doorbell(doorbell_, wptr_ * 4, true);
  }
  template <typename T>
  void Store(std::uint64_t va, const T& value) {
    rig_.host.Store(bus_ + (va - kRing), value);
  }
  template <typename T = std::uint32_t>
  T Load(std::uint64_t va = kData) {
    return rig_.host.Load<T>(bus_ + (va - kRing));
  }
  std::uint32_t Mqd(std::uint32_t dword) { return rig_.LoadVram<std::uint32_t>(mqd_ + dword * 4); }
  std::uint32_t SdmaMqd(std::uint32_t dword) {
    return rig_.LoadVram<std::uint32_t>(sdma_mqd_ + dword * 4);
  }
  PageTables& tables() { return *tables_; }
  std::uint64_t mqd() const { return mqd_; }
  std::uint64_t bus() const { return bus_; }
  std::uint64_t wptr() const { return wptr_; }
  std::uint32_t pasid() const { return pasid_; }
  std::uint32_t doorbell() const { return doorbell_; }

 private:
  void SetMqd(std::uint32_t reg, std::uint64_t value) {
    rig_.StoreVram(mqd_ + 4 * (128 + reg), value);
  }

  EngineRig& rig_;
  std::unique_ptr<PageTables> tables_;
  std::uint64_t mqd_, sdma_mqd_, bus_;
  std::uint32_t pasid_, doorbell_;
  std::uint64_t wptr_ = 0;
};

/// The driver's side of the hardware scheduler: a queue that takes its packets (a KIQ plays the HIQ
/// here), run lists, and the fence by which it waits for an unmap.
struct HwsRig : EngineRig {
  TestKiq hiq{*this};
  std::uint64_t list = Alloc(64 * 1024), fence = Alloc(4096);
  std::vector<std::unique_ptr<TestProcess>> processes;

  HwsRig() { SetResources(0xff00, ~0ULL, 4000); }

  void SetResources(std::uint32_t vmids, std::uint64_t queues, std::uint32_t unmap_latency_ms) {
    hiq.Submit(Pm4(pm4::kSetResources, {vmids | unmap_latency_ms / 100 << 16 | 1u << 29, Lo(queues),
                                        Hi(queues), 0, 0, 0, 0}));
  }
  TestProcess& AddProcess() {
    const auto number = static_cast<std::uint32_t>(processes.size());
    processes.push_back(
        std::make_unique<TestProcess>(*this, number, kUserBus + number * TestProcess::kBytes));
    return *processes.back();
  }
  void RunList(const std::vector<Dwords>& packets) {
    std::uint32_t dwords = 0;
    for (const Dwords& packet : packets) {
      for (const std::uint32_t dword : packet) StoreVram(list + dwords++ * 4, dword);
    }
    hiq.Submit(Pm4(pm4::kRunList, {Lo(Mc(list)), Hi(Mc(list)), dwords | 1u << 23}));
  }
  /// All processes, each with its compute queue.
  void RunAll(std::uint32_t quantum_ms = 10) {
    std::vector<Dwords> packets;
    for (const auto& process : processes) {
      packets.push_back(process->MapProcess(quantum_ms));
      packets.push_back(process->MapQueue());
    }
    RunList(packets);
  }
  /// Unmaps and asks for the fence. True where it came.
  bool Unmap(std::uint32_t select, std::uint32_t argument = 0,
             std::uint32_t action = pm4::kPreemptQueues) {
    StoreVram(fence, std::uint64_t{0});
    hiq.Emit(Pm4(pm4::kUnmapQueues, {action | select << 4, argument, 0, 0, 0}));
    hiq.Submit(Pm4(pm4::kQueryStatus, {2u << 30, 0, Lo(Mc(fence)), Hi(Mc(fence)), 1, 0}));
    return Fenced();
  }
  bool Fenced() { return LoadVram<std::uint64_t>(fence) == 1; }
  std::uint8_t VmidOf(const TestProcess& process) {
    for (std::uint8_t vmid = 1; vmid < 16; ++vmid) {
      if (memory.PasidOf(vmid) == process.pasid()) return vmid;
    }
    return 0;
  }
};

}  // namespace kfdcts::vgpu
