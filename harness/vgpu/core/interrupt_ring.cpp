#include "harness/vgpu/core/interrupt_ring.h"

#include <algorithm>
#include <array>

#include "harness/vgpu/memory/hub_registers.h"

namespace kfdcts::vgpu {
namespace {

// IH_RB_CNTL
constexpr std::uint32_t kRbEnable = 1U << 0;
constexpr unsigned kRbSizeShift = 1;  // five bits: log2 of the size in dwords
constexpr std::uint32_t kWptrWritebackEnable = 1U << 8;
constexpr std::uint32_t kWptrOverflowEnable = 1U << 16;
constexpr std::uint32_t kEnableIntr = 1U << 17;
constexpr unsigned kMcSpaceShift = 28;  // three bits
constexpr std::uint32_t kMcSpaceBus = 1;
constexpr std::uint32_t kWptrOverflowClear = 1U << 31;
// IH_RB_WPTR
constexpr std::uint32_t kRbOverflow = 1U << 0;
// IH_DOORBELL_RPTR
constexpr std::uint32_t kDoorbellEnable = 1U << 28;
constexpr std::uint32_t kDoorbellOffsetMask = 0x03ff'ffff;  // in dwords
// Interrupt entry
constexpr std::uint32_t kVmidSourceMmhub = 1U << 31;
// Fault entry, second data dword (kernel: AMDGPU_GMC9_FAULT_SOURCE_DATA_*)
constexpr std::uint32_t kFaultWrite = 0x20, kFaultRead = 0x40, kFaultRetry = 0x80;
constexpr std::uint8_t kFaultSource = 0;
// Where KFD looks for the kind of a fault: PERMISSION_FAULTS from bit 3 of the ring id on.
constexpr unsigned kRingIdPermissionShift = 3;
// VM_CONTEXTn_CNTL: the *_PROTECTION_FAULT_ENABLE_INTERRUPT bits
constexpr std::uint32_t kFaultInterrupts = 0x2aaa00;

std::uint64_t RingBytes(std::uint32_t cntl) {
  return std::uint64_t{4} << (cntl >> kRbSizeShift & 0x1f);
}

bool BehindMmhub(const Chip& chip, std::uint8_t client) {
  const auto sdma = std::span(chip.sdma_ih_client).first(chip.sdma_engines);
  return client == kIhClientVmc || std::find(sdma.begin(), sdma.end(), client) != sdma.end();
}

std::array<std::uint32_t, 8> Pack(const InterruptEntry& entry, bool mmhub, std::uint64_t now_ns) {
  const auto clock = (entry.raised_ns != 0 ? entry.raised_ns : now_ns) / 10;  // 100 MHz
  return {entry.client | std::uint32_t{entry.source} << 8 | std::uint32_t{entry.ring_id} << 16 |
              (entry.vmid & 0xfU) << 24 | (mmhub ? kVmidSourceMmhub : 0),
          static_cast<std::uint32_t>(clock),
          static_cast<std::uint32_t>(clock >> 32) & 0xffff,
          entry.pasid,
          entry.data[0],
          entry.data[1],
          entry.data[2],
          entry.data[3]};
}

}  // namespace

InterruptRing::InterruptRing(const Chip& chip, RegisterFile& registers, GpuMemory& memory,
                             Host& host)
    : chip_(chip), registers_(registers), memory_(memory), host_(host) {
  for (std::size_t ring = 0; ring < kRings; ++ring) {
    registers.OnWrite(chip.ih[ring].cntl, 1,
                      [this, ring](std::uint32_t, std::uint32_t value) { OnControl(ring, value); });
  }
}

void InterruptRing::OnControl(std::size_t ring, std::uint32_t value) {
  registers_.Set(chip_.ih[ring].cntl, value);
  if ((value & kWptrOverflowClear) == 0) return;
  const auto wptr = chip_.ih[ring].wptr;
  registers_.Set(wptr, registers_.Get(wptr) & ~kRbOverflow);
}

void InterruptRing::Push(const InterruptEntry& entry) { PushToRing(0, entry); }

void InterruptRing::PushToRing(std::size_t ring, const InterruptEntry& entry) {
  if (ring >= kRings || !IsEnabled(ring)) ring = 0;
  const auto& reg = chip_.ih[ring];
  const auto cntl = registers_.Get(reg.cntl);
  const auto size = RingBytes(cntl);
  if (!IsEnabled(ring) || size < 2 * kEntryBytes) {
    ++dropped_;
    return;
  }
  const auto slot_mask = size - kEntryBytes;
  const auto wptr = registers_.Get(reg.wptr) & slot_mask;
  const auto next = (wptr + kEntryBytes) & slot_mask;
  if (next == (registers_.Get(reg.rptr) & slot_mask)) {
    ++dropped_;
    if ((cntl & kWptrOverflowEnable) == 0) return;
    StoreWritePointer(ring, static_cast<std::uint32_t>(wptr) | kRbOverflow);
    Raise(ring);
    return;
  }
  const auto packed = Pack(entry, BehindMmhub(chip_, entry.client), host_.NowNs());
  const auto base = std::uint64_t{registers_.Get(reg.base)} << 8 |
                    std::uint64_t{registers_.Get(reg.base_hi) & 0xff} << 40;
  if (!WriteMemory(cntl, base + wptr, std::as_bytes(std::span(packed)))) {
    ++dropped_;
    return;
  }
  ++pushed_;
  const auto overflow = registers_.Get(reg.wptr) & kRbOverflow;
  StoreWritePointer(ring, static_cast<std::uint32_t>(next) | overflow);
  Raise(ring);
  if (ring != 0)
    Push({.client = kIhClientIh, .source = 0, .ring_id = static_cast<std::uint8_t>(ring)});
}

bool InterruptRing::IsEnabled(std::size_t ring) const {
  return (registers_.Get(chip_.ih[ring].cntl) & kRbEnable) != 0;
}

bool InterruptRing::WriteMemory(std::uint32_t cntl, std::uint64_t address,
                                std::span<const std::byte> data) {
  if ((cntl >> kMcSpaceShift & 7) == kMcSpaceBus) return memory_.WriteBus(address, data);
  return !memory_.Write({Hub::kMm, 0}, address, data);
}

void InterruptRing::StoreWritePointer(std::size_t ring, std::uint32_t value) {
  registers_.Set(chip_.ih[ring].wptr, value);
  const auto cntl = registers_.Get(chip_.ih[ring].cntl);
  // Only ring 0 has a write-back address.
  if (ring != 0 || (cntl & kWptrWritebackEnable) == 0) return;
  const auto address = registers_.Get(chip_.ih_wptr_addr_lo) |
                       std::uint64_t{registers_.Get(chip_.ih_wptr_addr_hi) & 0xffff} << 32;
  WriteMemory(cntl, address, std::as_bytes(std::span(&value, 1)));
}

void InterruptRing::Raise(std::size_t ring) {
  if ((registers_.Get(chip_.ih[ring].cntl) & kEnableIntr) != 0) host_.RaiseInterrupt();
}

void InterruptRing::PushFault(const Fault& fault) {
  if (const auto entry = LatchFaultEntry(fault)) Push(*entry);
}

std::optional<InterruptEntry> InterruptRing::LatchFaultEntry(const Fault& fault) {
  const auto& hub = RegistersOf(chip_, fault.space.hub);
  if (!fault.retry) LatchFault(chip_, registers_, fault);
  const auto cntl = registers_.Get(hub.context0_cntl + fault.space.vmid * 4U);
  if ((cntl & kFaultInterrupts) == 0) return std::nullopt;
  const auto page = fault.address >> 12;
  const bool write = fault.access == Access::kWrite;
  return InterruptEntry{
      .client = fault.space.hub == Hub::kGfx ? kIhClientUtcl2 : kIhClientVmc,
      .source = kFaultSource,
      .ring_id = static_cast<std::uint8_t>(PermissionFaults(fault) << kRingIdPermissionShift),
      .vmid = fault.space.vmid,
      .pasid = memory_.PasidOf(fault.space.vmid),
      .data = {static_cast<std::uint32_t>(page), (static_cast<std::uint32_t>(page >> 32) & 0xf) |
                                                     (write ? kFaultWrite : kFaultRead) |
                                                     (fault.retry ? kFaultRetry : 0)}};
}

bool InterruptRing::Doorbell(std::uint64_t offset, std::uint32_t value) {
  for (const auto& ring : chip_.ih) {
    const auto doorbell = registers_.Get(ring.doorbell_rptr);
    if ((doorbell & kDoorbellEnable) == 0) continue;
    if (std::uint64_t{doorbell & kDoorbellOffsetMask} * 4 != offset) continue;
    registers_.Set(ring.rptr, value);
    return true;
  }
  return false;
}

}  // namespace kfdcts::vgpu
