#pragma once

#include <cstdint>

namespace kfdcts::vgpu {

enum class Hub : std::uint8_t { kGfx, kMm };
enum class Access : std::uint8_t { kRead, kWrite };

/// Where an engine's addresses live: one VMID behind one hub. VMID 0 is the driver's own (FB, GART,
/// AGP windows).
struct AddressSpace {
  Hub hub;
  std::uint8_t vmid;  ///< 0…15

  friend bool operator==(const AddressSpace&, const AddressSpace&) = default;
};

enum class FaultCause : std::uint8_t {
  kNotPresent,    ///< An entry on the way is not valid.
  kPermission,    ///< The entry has no read or no write bit.
  kWalker,        ///< A page table lies outside VRAM and guest memory.
  kOutOfRange,    ///< The page does, or the address is in no window or in the hole between the
                  ///< halves of the address space.
  kFlushPending,  ///< No fault: the cached translation is not what the page table says. The access
                  ///< waits for the flush that the driver owes, and no longer than to `wake_ns`.
};

/// Why an access did not happen. Nothing of the faulting page was transferred.
struct Fault {
  AddressSpace space;
  std::uint64_t address;  ///< First byte that could not be accessed, 48 bits.
  Access access;
  std::uint64_t pte;  ///< The entry the walk ended on; 0 where none was read.
  bool retry;         ///< VM_CONTEXTn_CNTL asks for retry: the queue waits and tries again.
  FaultCause cause = FaultCause::kNotPresent;
  std::uint64_t wake_ns = 0;  ///< Of kFlushPending: Host::NowNs time to try again.
};

}  // namespace kfdcts::vgpu
