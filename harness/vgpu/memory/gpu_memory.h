#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "harness/vgpu/asic/chip.h"
#include "harness/vgpu/core/diagnostics.h"
#include "harness/vgpu/core/host.h"
#include "harness/vgpu/core/register_file.h"
#include "harness/vgpu/memory/tlb.h"
#include "harness/vgpu/memory/vram.h"

namespace kfdcts::vgpu {

enum class Hub : std::uint8_t { kGfx, kMm };
enum class Access : std::uint8_t { kRead, kWrite };

/// Where an engine's addresses live: one VMID behind one hub. VMID 0 is the driver's own (FB, GART, AGP windows).
struct AddressSpace {
  Hub hub;
  std::uint8_t vmid;  ///< 0…15

  friend bool operator==(const AddressSpace&, const AddressSpace&) = default;
};

/// Why an access did not happen. Nothing of the faulting page was transferred.
struct Fault {
  AddressSpace space;
  std::uint64_t address;  ///< First byte that could not be accessed.
  Access access;
  std::uint64_t pte;  ///< The entry the walk ended on; 0 where none was read.
  bool retry;         ///< VM_CONTEXTn_CNTL asks for retry: the queue waits and tries again.
};

/// GPU virtual memory: the VMID 0 address map, the four-level page-table walk of the others, and the TLBs between.
/// Every access is bounds-checked against VRAM and the host's mappings; one outside is refused as a fault and counted.
/// Accesses of four and eight bytes to aligned addresses are single-copy atomic, stores release, loads acquire.
/// Not thread-safe: used under the device's lock.
class GpuMemory {
 public:
  GpuMemory(const Chip& chip, RegisterFile& registers, Vram& vram, Host& host, Diagnostics& diagnostics);

  std::optional<Fault> Read(AddressSpace space, std::uint64_t address, std::span<std::byte> out);
  std::optional<Fault> Write(AddressSpace space, std::uint64_t address, std::span<const std::byte> data);
  std::optional<Fault> Fill(AddressSpace space, std::uint64_t address, std::uint32_t dword, std::uint64_t bytes);
  std::optional<Fault> Copy(AddressSpace space, std::uint64_t source, std::uint64_t destination, std::uint64_t bytes);

  std::optional<Fault> Read32(AddressSpace space, std::uint64_t address, std::uint32_t& out);
  std::optional<Fault> Read64(AddressSpace space, std::uint64_t address, std::uint64_t& out);
  std::optional<Fault> Write32(AddressSpace space, std::uint64_t address, std::uint32_t value);
  std::optional<Fault> Write64(AddressSpace space, std::uint64_t address, std::uint64_t value);

  /// A host pointer for `size` aligned bytes (4 or 8) to operate on atomically; null and `fault` set where it faults.
  std::byte* Pointer(AddressSpace space, std::uint64_t address, std::size_t size, Access access, Fault& fault);

  /// Physical access that bypasses translation, for what the driver gives as bus addresses (an IH ring in system memory).
  bool WriteBus(std::uint64_t address, std::span<const std::byte> data);

  /// Drops cached translations: of one VMID, or all. Called by the VM_INVALIDATE_ENGn_REQ registers' hooks, which the
  /// constructor installs, and by INVALIDATE_TLBS packets.
  void InvalidateTlb(Hub hub, std::uint8_t vmid);
  void InvalidateAllTlbs();

  /// Grows with each invalidation: a queue stalled on a retry fault tries again when it has changed.
  std::uint64_t InvalidationCount() const { return invalidations_; }

  /// The PASID that ATC_VMIDn_PASID_MAPPING gives a VMID; 0 where none.
  std::uint16_t PasidOf(std::uint8_t vmid) const;

 private:
  struct Piece {
    std::byte* host;
    std::uint64_t bytes;  // contiguous from here
  };
  struct Translation {
    bool system;              // else VRAM
    std::uint64_t address;    // bus address or VRAM offset
    std::uint64_t bytes;      // contiguous from here
    bool writable;
    std::uint64_t pte;
  };

  std::optional<Translation> TranslateKernel(Hub hub, std::uint64_t address);
  std::optional<Translation> Walk(AddressSpace space, std::uint64_t address, std::uint64_t& last_entry);
  std::optional<Piece> Resolve(AddressSpace space, std::uint64_t address, std::uint64_t bytes, Access access,
                               Fault& fault);
  std::optional<std::uint64_t> LoadEntry(bool system, std::uint64_t address);

  const Chip& chip_;
  RegisterFile& registers_;
  Vram& vram_;
  Host& host_;
  Diagnostics& diagnostics_;
  std::array<Tlb, 2> tlbs_;
  std::uint64_t invalidations_ = 0;
};

}  // namespace kfdcts::vgpu
