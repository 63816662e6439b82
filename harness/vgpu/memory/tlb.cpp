#include "harness/vgpu/memory/tlb.h"

namespace kfdcts::vgpu {
namespace {

std::uint64_t PageAround(std::uint64_t address, std::uint64_t bytes) {
  return address & ~(bytes - 1);
}

}  // namespace

Tlb::Tlb() : small_(kSmallSlots), large_(kLargeSlots) { generation_.fill(1); }

const Translation* Tlb::Find(std::uint8_t vmid, std::uint64_t address) const {
  const auto* small = FindIn(small_, vmid, PageAround(address, kSmallPage));
  return small != nullptr ? small : FindIn(large_, vmid, PageAround(address, kLargePage));
}

const Translation* Tlb::FindIn(const std::vector<Slot>& slots, std::uint8_t vmid,
                               std::uint64_t page) const {
  const auto& slot = slots[SlotOf(slots.size(), vmid, page)];
  const bool hit = slot.generation == generation_[vmid] && slot.vmid == vmid && slot.page == page;
  return hit ? &slot.translation : nullptr;
}

void Tlb::Insert(std::uint8_t vmid, std::uint64_t address, const Translation& page) {
  const bool large = page.bytes >= kLargePage;
  const auto bytes = large ? kLargePage : kSmallPage;
  auto part = page;
  part.address += PageAround(address, bytes) - PageAround(address, page.bytes);
  part.bytes = bytes;

  auto& slots = large ? large_ : small_;
  const auto start = PageAround(address, bytes);
  slots[SlotOf(slots.size(), vmid, start)] = {start, generation_[vmid], vmid, part};
}

void Tlb::Invalidate(std::uint8_t vmid) { ++generation_[vmid]; }

void Tlb::InvalidateAll() {
  for (auto& generation : generation_) ++generation;
}

std::size_t Tlb::SlotOf(std::size_t slots, std::uint8_t vmid, std::uint64_t page) {
  // Fibonacci hashing: neighbours, and the same page of two VMIDs, take different slots.
  const auto mixed = ((page >> 12) ^ (std::uint64_t{vmid} << 40)) * 0x9e37'79b9'7f4a'7c15U;
  return static_cast<std::size_t>(mixed >> 40) % slots;
}

}  // namespace kfdcts::vgpu
