#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "harness/vgpu/asic/chip.h"
#include "harness/vgpu/core/register_file.h"
#include "harness/vgpu/memory/page_table.h"
#include "harness/vgpu/memory/vram.h"

namespace kfdcts::vgpu {

/// Four-level page tables in VRAM, built entry by entry as the driver does. Tables are taken from
/// `first` upwards; VMID `vmid`'s page-table base is set in both hubs.
class PageTables {
 public:
  static constexpr std::uint64_t kReadWrite = kPteValid | kPteReadable | kPteWriteable;

  PageTables(const Chip& chip, RegisterFile& registers, Vram& vram, std::uint8_t vmid,
             std::uint64_t first)
      : vram_(vram), next_(first) {
    root_ = NewTable();
    for (const auto* hub : {&chip.gfx_hub, &chip.mm_hub}) {
      const auto base = hub->context0_page_table_base_lo + vmid * 8U;
      registers.Set(base, static_cast<std::uint32_t>(root_ | kPteValid));
      registers.Set(base + 4, static_cast<std::uint32_t>(root_ >> 32));
    }
  }

  /// The entry of the level that covers 2^shift bytes (12, 21, 30, 39), as the driver would write
  /// it.
  void Set(std::uint64_t address, std::uint64_t entry, unsigned shift = kPageShift) {
    const auto place = PlaceOf(address, shift);
    std::memcpy(vram_.At(place, 8), &entry, sizeof entry);
  }

  /// A 4 KiB page of guest memory at a bus address, or of VRAM at an offset.
  void MapSystem(std::uint64_t address, std::uint64_t bus, std::uint64_t flags = kReadWrite) {
    Set(address, bus | flags | kPteSystem);
  }
  void MapVram(std::uint64_t address, std::uint64_t offset, std::uint64_t flags = kReadWrite) {
    Set(address, offset | flags);
  }
  void Unmap(std::uint64_t address) { Set(address, 0); }

  /// Where that entry lies in VRAM; tables on the way are made.
  std::uint64_t PlaceOf(std::uint64_t address, unsigned shift) {
    auto table = root_;
    for (auto level = kRootShift; level != shift; level -= kBitsPerLevel) {
      const auto place = table + (address >> level & 511) * 8;
      std::uint64_t entry;
      std::memcpy(&entry, vram_.At(place, 8), sizeof entry);
      if (entry == 0) {
        entry = NewTable() | kPteValid;
        std::memcpy(vram_.At(place, 8), &entry, sizeof entry);
      }
      table = entry & kPdeAddressMask;
    }
    return table + (address >> shift & 511) * 8;
  }

  std::uint64_t root() const { return root_; }

 private:
  std::uint64_t NewTable() {
    const auto table = next_;
    next_ += 4096;
    std::byte* memory = vram_.At(table, 4096);
    if (memory == nullptr) throw std::length_error("page tables do not fit into VRAM");
    std::memset(memory, 0, 4096);
    return table;
  }

  Vram& vram_;
  std::uint64_t next_, root_ = 0;
};

}  // namespace kfdcts::vgpu
