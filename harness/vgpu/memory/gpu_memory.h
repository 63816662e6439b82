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
#include "harness/vgpu/memory/fault.h"
#include "harness/vgpu/memory/tlb.h"
#include "harness/vgpu/memory/vram.h"

namespace kfdcts::vgpu {

/// GPU virtual memory: the VMID 0 address map, the four-level page-table walk of the others, and
/// the TLBs between. Every access is bounds-checked against VRAM and the host's mappings; one
/// outside is refused as a fault and counted. Accesses of four and eight bytes to aligned addresses
/// are single-copy atomic, stores release, loads acquire.
///
/// Addresses have 48 bits. One whose upper 16 bits are a sign extension is taken as well; any other
/// is a fault.
///
/// Sanitizer: each use of a cached translation is compared with the page table. Where they differ
/// the use is counted as kStaleTranslation and is a finding, and the access goes through the cached
/// one, as on hardware. Between the driver's change and its flush that is nobody's fault; hence the
/// grace: an access of a user's VMID first waits (FaultCause::kFlushPending) until a flush comes or
/// the grace is over. Who waits for the GPU's work meanwhile cannot cause a flush of another thing,
/// so a missing one is found all the same.
///
/// Not thread-safe: used under the device's lock.
class GpuMemory {
 public:
  /// `chip` is a constant and outlives everything, the other four outlive this object.
  GpuMemory(const Chip& chip, RegisterFile& registers, Vram& vram, Host& host,
            Diagnostics& diagnostics);
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  std::optional<Fault> Read(AddressSpace space, std::uint64_t address, std::span<std::byte> out);
  std::optional<Fault> Write(AddressSpace space, std::uint64_t address,
                             std::span<const std::byte> data);
  std::optional<Fault> Fill(AddressSpace space, std::uint64_t address, std::uint32_t dword,
                            std::uint64_t bytes);
  std::optional<Fault> Copy(AddressSpace space, std::uint64_t source, std::uint64_t destination,
                            std::uint64_t bytes);

  std::optional<Fault> Read32(AddressSpace space, std::uint64_t address, std::uint32_t& out);
  std::optional<Fault> Read64(AddressSpace space, std::uint64_t address, std::uint64_t& out);
  std::optional<Fault> Write32(AddressSpace space, std::uint64_t address, std::uint32_t value);
  std::optional<Fault> Write64(AddressSpace space, std::uint64_t address, std::uint64_t value);

  /// A host pointer for `size` aligned bytes (4 or 8) to operate on atomically; null and `fault`
  /// set where it faults or `address` is not aligned (kOutOfRange). `Access::kWrite` stands for an
  /// atomic operation as well, which hardware checks as a write.
  std::byte* Pointer(AddressSpace space, std::uint64_t address, std::size_t size, Access access,
                     Fault& fault);

  /// Physical access that bypasses translation, for what the driver gives as bus addresses (an IH
  /// ring in system memory). False, counted and nothing written where it is no guest memory.
  bool WriteBus(std::uint64_t address, std::span<const std::byte> data);

  /// Drops cached translations: of one VMID, or all. Called by the VM_INVALIDATE_ENGn_REQ
  /// registers' hooks, which the constructor installs, by INVALIDATE_TLBS packets, and where the
  /// scheduler gives a VMID to another process (its page-table base changes, which by itself
  /// flushes nothing).
  void InvalidateTlb(Hub hub, std::uint8_t vmid);
  void InvalidateAllTlbs();

  /// How long the first use of a stale translation waits for a flush; at first 0: not at all. After
  /// it no use of the VMID waits until the next flush.
  void SetFlushGrace(std::uint64_t ns) { flush_grace_ns_ = ns; }

  /// Grows with each invalidation: a queue stalled on a retry fault tries again when it has
  /// changed.
  std::uint64_t InvalidationCount() const { return invalidations_; }

  /// The PASID that ATC_VMIDn_PASID_MAPPING gives a VMID; 0 where none.
  std::uint16_t PasidOf(std::uint8_t vmid) const;

 private:
  struct Piece {
    std::byte* host;
    std::uint64_t bytes;  // contiguous from here
  };
  // Outcome of a walk: a page, or the cause and the entry that ended it.
  struct WalkEnd {
    FaultCause cause = FaultCause::kNotPresent;
    std::uint64_t entry = 0;
    std::uint64_t wake_ns = 0;  // of kFlushPending
  };

  std::optional<Translation> KernelWindow(Hub hub, std::uint64_t address) const;
  std::optional<Translation> WalkGart(Hub hub, std::uint64_t address, WalkEnd& end);
  std::optional<Translation> WalkTables(AddressSpace space, std::uint64_t address, WalkEnd& end);
  std::optional<Translation> Walk(AddressSpace space, std::uint64_t address, WalkEnd& end);
  std::optional<Translation> Translate(AddressSpace space, std::uint64_t address, WalkEnd& end);
  std::optional<Piece> Resolve(AddressSpace space, std::uint64_t address, std::uint64_t bytes,
                               Access access, Fault& fault);
  std::optional<Piece> Locate(const Translation& page, std::uint64_t offset, std::uint64_t bytes,
                              Access access);
  std::optional<std::uint64_t> LoadEntry(bool system, std::uint64_t address);

  struct StaleWait {
    std::uint64_t since_ns = 0;  // 0: nothing waits
    bool over = false;
  };

  bool AwaitsFlush(AddressSpace space, WalkEnd& end);
  void CountStale(AddressSpace space, std::uint64_t address, const Translation& cached,
                  const WalkEnd& end, bool cleared);
  Fault MakeFault(AddressSpace space, std::uint64_t address, Access access, const WalkEnd& end);
  template <typename T>
  std::optional<Fault> Load(AddressSpace space, std::uint64_t address, T& out);
  template <typename T>
  std::optional<Fault> Store(AddressSpace space, std::uint64_t address, T value);

  const Chip& chip_;
  RegisterFile& registers_;
  Vram& vram_;
  Host& host_;
  Diagnostics& diagnostics_;
  std::array<Tlb, 2> tlbs_;
  std::array<std::array<StaleWait, 16>, 2> stale_waits_{};
  std::uint64_t flush_grace_ns_ = 0;
  std::uint64_t invalidations_ = 0;
};

}  // namespace kfdcts::vgpu
