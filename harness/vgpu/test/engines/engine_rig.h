#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "harness/vgpu/core/common_registers.h"
#include "harness/vgpu/core/interrupt_ring.h"
#include "harness/vgpu/engines/engine_set.h"
#include "harness/vgpu/test/support/memory_rig.h"

namespace kfdcts::vgpu {

/// An interrupt entry as the driver reads it from the ring.
struct SeenInterrupt {
  std::uint32_t client, source, ring_id, vmid, pasid, data0, data1;

  friend bool operator==(const SeenInterrupt&, const SeenInterrupt&) = default;
};

/// All engines on a MemoryRig. The user (VMID 8, PASID 0x8001) sees 1 MiB of guest memory at
/// kUserBase; the driver's structures are in the lower half of VRAM.
struct EngineRig : MemoryRig {
  static constexpr std::uint64_t kUserBase = 0x7f00'0000'0000;
  static constexpr std::uint64_t kUserBytes = 1 << 20;
  static constexpr std::uint64_t kUserBus = FakeHost::kBase + 0x10'0000;
  static constexpr std::uint64_t kInterruptBus = FakeHost::kBase;
  static constexpr std::uint32_t kPasid = 0x8001;

  CommonRegisters common{chip, registers, vram, host, diagnostics, {}};
  Counters counters;
  Controls controls;
  InterruptRing ih{chip, registers, memory, host};
  InterruptGate gate{ih, controls, counters, host};
  Services services{chip, registers, memory, gate, host, diagnostics, controls, counters};
  EngineSet engines{services};

  EngineRig() {
    for (std::uint64_t page = 0; page < kUserBytes; page += 4096)
      MapUser(kUserBase + page, kUserBus + page);
    registers.Set(chip.atc_vmid0_pasid_mapping + kVmid * 4, kPasid | 1u << 31);
    // Faults of VMID 8 and 9 interrupt: VM_CONTEXTn_CNTL's enable bits are the odd ones from 9 on.
    for (const auto* hub : {&chip.gfx_hub, &chip.mm_hub}) {
      for (std::uint32_t vmid = 0; vmid < 16; ++vmid)
        registers.Set(hub->context0_cntl + vmid * 4, kFaultInterrupts);
    }
    EnableInterrupts();
  }

  static constexpr std::uint32_t kFaultInterrupts = 0x00fe'fe00;
  static constexpr std::uint32_t kRetryFaults = kFaultInterrupts | 1u << 7;

  void MapUser(std::uint64_t va, std::uint64_t bus) { tables.MapSystem(va, bus); }
  void SetUserRetry(bool retry) {
    for (const auto* hub : {&chip.gfx_hub, &chip.mm_hub}) {
      registers.Set(hub->context0_cntl + kVmid * 4, retry ? kRetryFaults : kFaultInterrupts);
    }
  }

  /// `bytes` of VRAM for the driver, zeroed; the MC address of an offset in VRAM.
  std::uint64_t Alloc(std::uint64_t bytes) {
    const std::uint64_t at = next_;
    next_ += (bytes + 4095) & ~4095ULL;
    return at;
  }
  std::uint64_t Mc(std::uint64_t offset) const { return chip.fb_base + offset; }

  /// What the user sees at an address of his.
  template <typename T>
  T LoadUser(std::uint64_t va) {
    return host.Load<T>(va - kUserBase + kUserBus);
  }
  template <typename T>
  void StoreUser(std::uint64_t va, const T& value) {
    host.Store(va - kUserBase + kUserBus, value);
  }

  void Write64Registers(std::uint32_t low, std::uint32_t high, std::uint64_t value) {
    registers.Write(low, static_cast<std::uint32_t>(value));
    registers.Write(high, static_cast<std::uint32_t>(value >> 32));
  }

  /// Steps until no queue gets ahead any more. At most `limit` steps.
  void Settle(unsigned limit = 100'000) {
    while (limit-- && engines.Step()) {
    }
  }
  /// Runs while `ns` pass.
  void RunFor(std::uint64_t ns) {
    const std::uint64_t end = host.NowNs() + ns;
    for (Settle(); host.NowNs() < end; Settle()) {
      const std::uint64_t wake = std::clamp(engines.NextWake(), host.NowNs() + 1000, end);
      host.AdvanceNs(wake - host.NowNs());
    }
  }

  /// Interrupts since the last call.
  std::vector<SeenInterrupt> Interrupts() {
    std::vector<SeenInterrupt> seen;
    const std::uint32_t wptr = registers.Get(chip.ih[0].wptr) & (kInterruptBytes - 1);
    for (; interrupt_rptr_ != wptr;
         interrupt_rptr_ = (interrupt_rptr_ + 32) & (kInterruptBytes - 1)) {
      const auto e = host.Load<std::array<std::uint32_t, 8>>(kInterruptBus + interrupt_rptr_);
      seen.push_back({e[0] & 0xff, e[0] >> 8 & 0xff, e[0] >> 16 & 0xff, e[0] >> 24 & 0xf,
                      e[3] & 0xffff, e[4], e[5]});
    }
    registers.Set(chip.ih[0].rptr, interrupt_rptr_);
    return seen;
  }
  std::size_t FaultCount() {
    const auto seen = Interrupts();
    return static_cast<std::size_t>(std::count_if(seen.begin(), seen.end(), [](const auto& entry) {
      return entry.client == kIhClientVmc || entry.client == kIhClientUtcl2;
    }));
  }

 private:
  static constexpr std::uint32_t kInterruptBytes = 64 * 1024;

  void EnableInterrupts() {
    registers.Write(chip.ih[0].base, static_cast<std::uint32_t>(kInterruptBus >> 8));
    registers.Write(chip.ih[0].base_hi, static_cast<std::uint32_t>(kInterruptBus >> 40));
    // Enabled, 64 KiB, interrupt, bus addresses.
    registers.Write(chip.ih[0].cntl, 1u | 14u << 1 | 1u << 17 | 1u << 28);
  }

  std::uint64_t next_ = 64 * 1024;
  std::uint32_t interrupt_rptr_ = 0;
};

}  // namespace kfdcts::vgpu
