// Addresses to pages: the driver's windows of VMID 0, the page tables of the others, and the TLBs.
#include <cstdio>
#include <cstring>

#include <atomic>

#include "harness/vgpu/memory/gpu_memory.h"
#include "harness/vgpu/memory/hub_registers.h"
#include "harness/vgpu/memory/page_table.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kMask36 = 0xf'ffff'ffff;  // page numbers of 48-bit addresses

Translation PageOf(std::uint64_t entry, std::uint64_t bytes) {
  return {.system = (entry & kPteSystem) != 0,
          .address = entry & kPteAddressMask,
          .bytes = bytes,
          .readable = (entry & kPteReadable) != 0,
          .writable = (entry & kPteWriteable) != 0,
          .pte = entry};
}

// Whether both give the same answer for `address`, whatever the sizes of their pages.
bool SameAt(std::uint64_t address, const Translation& a, const Translation& b) {
  return a.system == b.system && a.readable == b.readable && a.writable == b.writable &&
         a.address + (address & (a.bytes - 1)) == b.address + (address & (b.bytes - 1));
}

}  // namespace

// The windows that need no page table: VRAM, and AGP onto the bus. Both start at multiples of 16
// MiB, so that they can be cut into large pages.
std::optional<Translation> GpuMemory::KernelWindow(Hub hub, std::uint64_t address) const {
  Translation page{.system = false,
                   .address = 0,
                   .bytes = Tlb::kLargePage,
                   .readable = true,
                   .writable = true,
                   .pte = 0};
  const auto in_page = Tlb::kLargePage - 1;
  if (address >= chip_.fb_base && address - chip_.fb_base < vram_.bytes()) {
    page.address = (address - chip_.fb_base) & ~in_page;
    return page;
  }
  const auto& reg = RegistersOf(chip_, hub);
  const auto bottom = std::uint64_t{registers_.Get(reg.agp_bot)} << 24;
  const auto top = std::uint64_t{registers_.Get(reg.agp_top)} << 24 | 0xff'ffff;
  if (address < bottom || address > top) return std::nullopt;
  page.system = true;
  page.address =
      ((address - bottom) + (std::uint64_t{registers_.Get(reg.agp_base)} << 24)) & ~in_page;
  return page;
}

std::optional<Translation> GpuMemory::WalkGart(Hub hub, std::uint64_t address, WalkEnd& end) {
  const auto& reg = RegistersOf(chip_, hub);
  const auto page = address >> kPageShift;
  const auto first = registers_.Get64(reg.context0_page_table_start_lo) & kMask36;
  const auto last = registers_.Get64(reg.context0_page_table_end_lo) & kMask36;
  if (page < first || page > last) {
    end.cause = FaultCause::kOutOfRange;
    return std::nullopt;
  }
  const auto table = registers_.Get64(reg.context0_page_table_base_lo);
  const auto entry =
      LoadEntry((table & kPteSystem) != 0, (table & kPdeAddressMask) + (page - first) * 8);
  if (!entry) {
    end.cause = FaultCause::kWalker;
    return std::nullopt;
  }
  end.entry = *entry;
  if ((*entry & kPteValid) == 0) return std::nullopt;
  return PageOf(*entry, Tlb::kSmallPage);
}

std::optional<Translation> GpuMemory::WalkTables(AddressSpace space, std::uint64_t address,
                                                 WalkEnd& end) {
  const auto& reg = RegistersOf(chip_, space.hub);
  auto directory = registers_.Get64(reg.context0_page_table_base_lo + space.vmid * 8U);
  for (unsigned shift = kRootShift;; shift -= kBitsPerLevel) {
    const auto index = (address >> shift) & ((1U << kBitsPerLevel) - 1);
    const auto entry =
        LoadEntry((directory & kPteSystem) != 0, (directory & kPdeAddressMask) + index * 8);
    if (!entry) {
      end.cause = FaultCause::kWalker;
      return std::nullopt;
    }
    end.entry = *entry;
    if ((*entry & kPteValid) == 0 || ForcesNoRetry(*entry)) return std::nullopt;
    // The offset into a huge page is added to its base, which need not be aligned to its size.
    if (shift == kPageShift || (*entry & kPdePte) != 0) {
      return PageOf(*entry, std::uint64_t{1} << shift);
    }
    directory = *entry;
  }
}

std::optional<Translation> GpuMemory::Walk(AddressSpace space, std::uint64_t address,
                                           WalkEnd& end) {
  return space.vmid == 0 ? WalkGart(space.hub, address, end) : WalkTables(space, address, end);
}

std::optional<Translation> GpuMemory::Translate(AddressSpace space, std::uint64_t address,
                                                WalkEnd& end) {
  if (space.vmid == 0) {
    if (const auto window = KernelWindow(space.hub, address)) return window;
  }
  auto& tlb = tlbs_[static_cast<std::size_t>(space.hub)];
  const auto walked = Walk(space, address, end);
  if (const auto* cached = tlb.Find(space.vmid, address)) {
    if (!walked || !SameAt(address, *cached, *walked)) {
      if (AwaitsFlush(space, end)) return std::nullopt;
      CountStale(space, address, *cached, end, !walked);
    }
    end.entry = cached->pte;
    return *cached;
  }
  if (walked) tlb.Insert(space.vmid, address, *walked);
  return walked;
}

std::optional<std::uint64_t> GpuMemory::LoadEntry(bool system, std::uint64_t address) {
  std::byte* entry = system ? host_.GuestMemory(address, 8, false) : vram_.At(address, 8);
  if (entry == nullptr) {
    diagnostics_.Count(Diagnostics::Kind::kOutOfRange,
                       system ? "page table outside guest memory" : "page table outside VRAM");
    return std::nullopt;
  }
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(entry)).load(std::memory_order_acquire);
}

/// Whether a stale translation's use waits. Queues try again when the grace is over, or a little
/// later; who comes much later begins anew.
bool GpuMemory::AwaitsFlush(AddressSpace space, WalkEnd& end) {
  StaleWait& wait = stale_waits_[static_cast<std::size_t>(space.hub)][space.vmid];
  if (space.vmid == 0 || flush_grace_ns_ == 0 || wait.over) return false;
  const std::uint64_t now = host_.NowNs();
  if (wait.since_ns == 0 || now - wait.since_ns > 10 * flush_grace_ns_) wait.since_ns = now;
  wait.over = now - wait.since_ns >= flush_grace_ns_;
  if (wait.over) return false;
  end.cause = FaultCause::kFlushPending;
  end.wake_ns = wait.since_ns + flush_grace_ns_;
  return true;
}

void GpuMemory::CountStale(AddressSpace space, std::uint64_t address, const Translation& cached,
                           const WalkEnd& end, bool cleared) {
  char subject[96];
  std::snprintf(subject, sizeof subject, "%s cached entry 0x%llx, page table 0x%llx",
                space.hub == Hub::kGfx ? "gfx" : "mm", static_cast<unsigned long long>(cached.pte),
                static_cast<unsigned long long>(end.entry));
  const auto kind = cleared ? FindingKind::kClearedTranslation : FindingKind::kStaleTranslation;
  diagnostics_.findings.Add({.kind = kind,
                             .vmid = space.vmid,
                             .pasid = PasidOf(space.vmid),
                             .address = address & ~(Tlb::kSmallPage - 1),
                             .detail = subject});
  std::snprintf(subject, sizeof subject, "%s vmid %u 0x%llx", space.hub == Hub::kGfx ? "gfx" : "mm",
                unsigned{space.vmid},
                static_cast<unsigned long long>(address & ~(Tlb::kSmallPage - 1)));
  diagnostics_.Count(Diagnostics::Kind::kStaleTranslation, subject);
}

void GpuMemory::InvalidateTlb(Hub hub, std::uint8_t vmid) {
  if (vmid < kVmids) {
    tlbs_[static_cast<std::size_t>(hub)].Invalidate(vmid);
    stale_waits_[static_cast<std::size_t>(hub)][vmid] = {};
  }
  ++invalidations_;
}

void GpuMemory::InvalidateAllTlbs() {
  for (auto& tlb : tlbs_) tlb.InvalidateAll();
  stale_waits_ = {};
  ++invalidations_;
}

}  // namespace kfdcts::vgpu
