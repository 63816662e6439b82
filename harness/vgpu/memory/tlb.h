#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kfdcts::vgpu {

/// What a page-table entry says about one page.
struct Translation {
  bool system;            ///< `address` is a bus address, else an offset into VRAM.
  std::uint64_t address;  ///< Of the page's first byte.
  std::uint64_t bytes;    ///< The page's size, a power of two from 4 KiB on.
  bool readable;
  bool writable;
  std::uint64_t pte;  ///< The entry itself.
};

/// Cached translations of one hub. Like hardware it forgets only when told to (or when another page
/// takes the slot), so a translation found here may no longer be what the page table says. Bounded;
/// looking up and invalidating take constant time.
class Tlb {
 public:
  static constexpr std::uint64_t kSmallPage = 4096;
  static constexpr std::uint64_t kLargePage = 2 * 1024 * 1024;

  Tlb();

  /// The page that holds `address`: null where it is not cached. Valid until the next Insert.
  const Translation* Find(std::uint8_t vmid, std::uint64_t address) const;

  /// Caches the page around `address`; one beyond 2 MiB as the 2 MiB of it around `address`, one
  /// between 4 KiB and 2 MiB as its 4 KiB.
  void Insert(std::uint8_t vmid, std::uint64_t address, const Translation& page);

  void Invalidate(std::uint8_t vmid);
  void InvalidateAll();

 private:
  static constexpr std::size_t kSmallSlots = 4096;
  static constexpr std::size_t kLargeSlots = 1024;

  struct Slot {
    std::uint64_t page = 0;        // virtual address of its first byte
    std::uint64_t generation = 0;  // of the VMID when it was filled; 0: empty
    std::uint8_t vmid = 0;
    Translation translation{};
  };

  const Translation* FindIn(const std::vector<Slot>& slots, std::uint8_t vmid,
                            std::uint64_t page) const;
  static std::size_t SlotOf(std::size_t slots, std::uint8_t vmid, std::uint64_t page);

  std::vector<Slot> small_, large_;
  std::array<std::uint64_t, 16> generation_;  // a slot of an older one is empty
};

}  // namespace kfdcts::vgpu
