#pragma once

#include <cstdint>

/// Bits of page-table entries (kernel: AMDGPU_PTE_* and AMDGPU_PDE_* in amdgpu_vm.h). Fragment,
/// snoop and memory-type bits mean nothing to the virtual GPU.
namespace kfdcts::vgpu {

inline constexpr std::uint64_t kPteValid = 1U << 0;
inline constexpr std::uint64_t kPteSystem = 1U << 1;  ///< Bus address, else an offset into VRAM.
inline constexpr std::uint64_t kPteExecutable = 1U << 4;
inline constexpr std::uint64_t kPteReadable = 1U << 5;
inline constexpr std::uint64_t kPteWriteable = 1U << 6;
inline constexpr std::uint64_t kPtePrt = std::uint64_t{1} << 51;
inline constexpr std::uint64_t kPdePte = std::uint64_t{1} << 54;  ///< A directory entry that maps.
inline constexpr std::uint64_t kPteTf = std::uint64_t{1} << 56;

inline constexpr std::uint64_t kPteAddressMask = 0x0000'ffff'ffff'f000;
inline constexpr std::uint64_t kPdeAddressMask = 0x0000'ffff'ffff'ffc0;
inline constexpr std::uint64_t kAddressMask = 0x0000'ffff'ffff'ffff;

inline constexpr unsigned kPageShift = 12;
inline constexpr unsigned kRootShift = 39;  ///< Of the addresses that an entry of the root covers.
inline constexpr unsigned kBitsPerLevel = 9;

/// The combinations with which the driver turns a retry fault into a final one: 6.1's, and 7.3's
/// that also works with translate-further (AMDGPU_VM_NORETRY_FLAGS, AMDGPU_VM_NORETRY_FLAGS_TF).
constexpr bool ForcesNoRetry(std::uint64_t entry) {
  constexpr auto kFinal = kPteExecutable | kPdePte | kPteTf;
  constexpr auto kFinalTf = kPteValid | kPteSystem | kPtePrt;
  const bool maps = (entry & (kPteReadable | kPteWriteable)) != 0;
  const bool final = (entry & kPteValid) == 0 && (entry & kFinal) == kFinal;
  return final || (!maps && (entry & kFinalTf) == kFinalTf);
}

}  // namespace kfdcts::vgpu
