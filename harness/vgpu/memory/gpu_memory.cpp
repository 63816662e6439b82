#include "harness/vgpu/memory/gpu_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "harness/vgpu/memory/hub_registers.h"
#include "harness/vgpu/memory/page_table.h"

namespace kfdcts::vgpu {
namespace {

// VM_CONTEXTn_CNTL
constexpr std::uint32_t kRetryPermissionOrInvalidPageFault = 1U << 7;
constexpr std::uint32_t kRetryOtherFault = 1U << 8;
// ATC_VMIDn_PASID_MAPPING
constexpr std::uint32_t kPasidValid = 1U << 31;
constexpr std::uint32_t kPasidMask = 0xffff;

const char* HubName(Hub hub) { return hub == Hub::kGfx ? "gfx" : "mm"; }

const char* CauseName(FaultCause cause) {
  switch (cause) {
    case FaultCause::kNotPresent:
      return "not present";
    case FaultCause::kPermission:
      return "permission";
    case FaultCause::kWalker:
      return "page table out of range";
    case FaultCause::kOutOfRange:
      return "out of range";
    case FaultCause::kFlushPending:
      break;
  }
  return "?";
}

// The upper 16 bits are zero, or repeat bit 47 as the driver's amdgpu_gmc_sign_extend makes them.
bool IsCanonical(std::uint64_t address) {
  const auto top = address >> 47;
  return top <= 1 || top == 0x1ffff;
}

template <typename T>
std::atomic_ref<T> AtomicAt(std::byte* host) {
  return std::atomic_ref(*reinterpret_cast<T*>(host));
}

}  // namespace

GpuMemory::GpuMemory(const Chip& chip, RegisterFile& registers, Vram& vram, Host& host,
                     Diagnostics& diagnostics)
    : chip_(chip), registers_(registers), vram_(vram), host_(host), diagnostics_(diagnostics) {
  InstallHubRegisters(chip, registers, [this](Hub hub, std::uint16_t vmids) {
    for (std::uint8_t vmid = 0; vmid < kVmids; ++vmid) {
      if ((vmids >> vmid & 1) != 0) InvalidateTlb(hub, vmid);
    }
  });
}

std::uint16_t GpuMemory::PasidOf(std::uint8_t vmid) const {
  if (vmid >= kVmids) return 0;
  const auto mapping = registers_.Get(chip_.atc_vmid0_pasid_mapping + vmid * 4U);
  return (mapping & kPasidValid) != 0 ? static_cast<std::uint16_t>(mapping & kPasidMask) : 0;
}

Fault GpuMemory::MakeFault(AddressSpace space, std::uint64_t address, Access access,
                           const WalkEnd& end) {
  if (end.cause == FaultCause::kFlushPending) {
    return {.space = space,
            .address = address & kAddressMask,
            .access = access,
            .pte = end.entry,
            .retry = true,
            .cause = end.cause,
            .wake_ns = end.wake_ns};
  }
  const auto cntl = registers_.Get(RegistersOf(chip_, space.hub).context0_cntl + space.vmid * 4U);
  const bool of_page = end.cause == FaultCause::kNotPresent || end.cause == FaultCause::kPermission;
  const auto retry_bit = of_page ? kRetryPermissionOrInvalidPageFault : kRetryOtherFault;
  char subject[64];
  std::snprintf(subject, sizeof subject, "%s vmid %u %s %s", HubName(space.hub),
                unsigned{space.vmid}, CauseName(end.cause),
                access == Access::kWrite ? "write" : "read");
  diagnostics_.Count(Diagnostics::Kind::kVmFault, subject);
  if (end.cause == FaultCause::kPermission && access == Access::kWrite) {
    std::snprintf(subject, sizeof subject, "%s vmid %u 0x%llx", HubName(space.hub),
                  unsigned{space.vmid}, static_cast<unsigned long long>(address & kAddressMask));
    diagnostics_.Count(Diagnostics::Kind::kReadOnlyWrite, subject);
    std::snprintf(subject, sizeof subject, "%s entry 0x%llx", HubName(space.hub),
                  static_cast<unsigned long long>(end.entry));
    diagnostics_.findings.Add({.kind = FindingKind::kReadOnlyWrite,
                               .vmid = space.vmid,
                               .pasid = PasidOf(space.vmid),
                               .address = address & kAddressMask,
                               .detail = subject});
  }
  return {.space = space,
          .address = address & kAddressMask,
          .access = access,
          .pte = end.entry,
          .retry = (cntl & retry_bit) != 0 && !ForcesNoRetry(end.entry),
          .cause = end.cause};
}

// The host's memory behind [offset, offset + bytes) of a page, or as much of it as is in one piece.
std::optional<GpuMemory::Piece> GpuMemory::Locate(const Translation& page, std::uint64_t offset,
                                                  std::uint64_t bytes, Access access) {
  const auto address = page.address + offset;
  // A huge page may reach over the end of one of the host's mappings: then the part up to the next
  // small page.
  const auto first = std::min(bytes, page.bytes - offset);
  const auto second = std::min(first, Tlb::kSmallPage - (address & (Tlb::kSmallPage - 1)));
  for (const auto size : {first, second}) {
    std::byte* host = page.system ? host_.GuestMemory(address, size, access == Access::kWrite)
                                  : vram_.At(address, size);
    if (host != nullptr) return Piece{host, size};
  }
  diagnostics_.Count(Diagnostics::Kind::kOutOfRange,
                     page.system ? "page outside guest memory" : "page outside VRAM");
  return std::nullopt;
}

std::optional<GpuMemory::Piece> GpuMemory::Resolve(AddressSpace space, std::uint64_t address,
                                                   std::uint64_t bytes, Access access,
                                                   Fault& fault) {
  WalkEnd end;
  space.vmid %= kVmids;
  if (!IsCanonical(address)) {
    end.cause = FaultCause::kOutOfRange;
    fault = MakeFault(space, address, access, end);
    return std::nullopt;
  }
  const auto virtual_address = address & kAddressMask;
  const auto page = Translate(space, virtual_address, end);
  if (!page) {
    fault = MakeFault(space, address, access, end);
    return std::nullopt;
  }
  if (!(access == Access::kWrite ? page->writable : page->readable)) {
    end.cause = FaultCause::kPermission;
    fault = MakeFault(space, address, access, end);
    return std::nullopt;
  }
  const auto piece = Locate(*page, virtual_address & (page->bytes - 1), bytes, access);
  if (!piece) {
    end.cause = FaultCause::kOutOfRange;
    fault = MakeFault(space, address, access, end);
  }
  return piece;
}

std::byte* GpuMemory::Pointer(AddressSpace space, std::uint64_t address, std::size_t size,
                              Access access, Fault& fault) {
  const auto is_aligned = [size](std::uint64_t value) { return (value & (size - 1)) == 0; };
  if (is_aligned(address)) {
    const auto piece = Resolve(space, address, size, access, fault);
    if (!piece) return nullptr;
    if (is_aligned(reinterpret_cast<std::uintptr_t>(piece->host))) return piece->host;
  }
  fault = MakeFault(space, address, access, {.cause = FaultCause::kOutOfRange});
  return nullptr;
}

template <typename T>
std::optional<Fault> GpuMemory::Load(AddressSpace space, std::uint64_t address, T& out) {
  if (address % sizeof(T) != 0)
    return Read(space, address, std::as_writable_bytes(std::span(&out, 1)));
  Fault fault;
  std::byte* host = Pointer(space, address, sizeof(T), Access::kRead, fault);
  if (host == nullptr) return fault;
  out = AtomicAt<T>(host).load(std::memory_order_acquire);
  return std::nullopt;
}

template <typename T>
std::optional<Fault> GpuMemory::Store(AddressSpace space, std::uint64_t address, T value) {
  if (address % sizeof(T) != 0) return Write(space, address, std::as_bytes(std::span(&value, 1)));
  Fault fault;
  std::byte* host = Pointer(space, address, sizeof(T), Access::kWrite, fault);
  if (host == nullptr) return fault;
  AtomicAt<T>(host).store(value, std::memory_order_release);
  return std::nullopt;
}

std::optional<Fault> GpuMemory::Read32(AddressSpace space, std::uint64_t address,
                                       std::uint32_t& out) {
  return Load(space, address, out);
}

std::optional<Fault> GpuMemory::Read64(AddressSpace space, std::uint64_t address,
                                       std::uint64_t& out) {
  return Load(space, address, out);
}

std::optional<Fault> GpuMemory::Write32(AddressSpace space, std::uint64_t address,
                                        std::uint32_t value) {
  return Store(space, address, value);
}

std::optional<Fault> GpuMemory::Write64(AddressSpace space, std::uint64_t address,
                                        std::uint64_t value) {
  return Store(space, address, value);
}

std::optional<Fault> GpuMemory::Read(AddressSpace space, std::uint64_t address,
                                     std::span<std::byte> out) {
  while (!out.empty()) {
    Fault fault;
    const auto piece = Resolve(space, address, out.size(), Access::kRead, fault);
    if (!piece) return fault;
    std::memcpy(out.data(), piece->host, piece->bytes);
    out = out.subspan(piece->bytes);
    address += piece->bytes;
  }
  return std::nullopt;
}

std::optional<Fault> GpuMemory::Write(AddressSpace space, std::uint64_t address,
                                      std::span<const std::byte> data) {
  while (!data.empty()) {
    Fault fault;
    const auto piece = Resolve(space, address, data.size(), Access::kWrite, fault);
    if (!piece) return fault;
    std::memcpy(piece->host, data.data(), piece->bytes);
    data = data.subspan(piece->bytes);
    address += piece->bytes;
  }
  return std::nullopt;
}

std::optional<Fault> GpuMemory::Fill(AddressSpace space, std::uint64_t address, std::uint32_t dword,
                                     std::uint64_t bytes) {
  std::array<std::uint32_t, 1024 + 1> pattern;  // one more: a piece may start inside a dword
  pattern.fill(dword);
  for (std::uint64_t done = 0; done < bytes;) {
    Fault fault;
    const auto want = std::min<std::uint64_t>(bytes - done, sizeof pattern - sizeof dword);
    const auto piece = Resolve(space, address + done, want, Access::kWrite, fault);
    if (!piece) return fault;
    const auto* from = reinterpret_cast<const std::byte*>(pattern.data()) + done % sizeof dword;
    std::memcpy(piece->host, from, piece->bytes);
    done += piece->bytes;
  }
  return std::nullopt;
}

std::optional<Fault> GpuMemory::Copy(AddressSpace space, std::uint64_t source,
                                     std::uint64_t destination, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    Fault fault;
    const auto from = Resolve(space, source + done, bytes - done, Access::kRead, fault);
    if (!from) return fault;
    const auto to = Resolve(space, destination + done, from->bytes, Access::kWrite, fault);
    if (!to) return fault;
    std::memmove(to->host, from->host, to->bytes);
    done += to->bytes;
  }
  return std::nullopt;
}

bool GpuMemory::WriteBus(std::uint64_t address, std::span<const std::byte> data) {
  std::byte* host = host_.GuestMemory(address, data.size(), true);
  if (host == nullptr) {
    diagnostics_.Count(Diagnostics::Kind::kOutOfRange, "bus write outside guest memory");
    return false;
  }
  if (data.size() == 4 && reinterpret_cast<std::uintptr_t>(host) % 4 == 0) {
    std::uint32_t value;
    std::memcpy(&value, data.data(), 4);
    AtomicAt<std::uint32_t>(host).store(value, std::memory_order_release);
  } else {
    std::memcpy(host, data.data(), data.size());
  }
  return true;
}

}  // namespace kfdcts::vgpu
