#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "thunk/src/context/gpu.h"
#include "thunk/src/context/options.h"
#include "thunk/src/kernel/system_calls.h"
#include "thunk/src/memory/memory_object.h"
#include "thunk/src/memory/region_allocator.h"

namespace kfdcts::thunk {

/// Where addresses come from: the apertures of a context (PTR-12). Where all GPUs reach what the
/// process can map, mmap(2) chooses; where they reach less, parts of one reserved region are given
/// out; a GPU whose addresses are none of the CPU's has an aperture of its own. Not synchronised,
/// save what is const.
class AddressSpace {
 public:
  /// `gpus` outlives this. Makes no system call.
  AddressSpace(SystemCalls& calls, std::span<const Gpu> gpus, const Options& options);
  /// Gives the reserved region back.
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// 0 or -errno. Once, before all else.
  int Open();

  /// Whether there is no GPU but APUs that see the process's memory as it is (or none at all):
  /// system memory then is plain memory and needs no mapping.
  bool cpu_only() const { return cpu_only_; }
  /// The alternate and the main SVM aperture, which are one where mmap chooses; limit 0: none.
  Aperture main() const { return main_; }
  Aperture alternate() const { return alternate_; }
  /// Whether the GPU has an aperture of its own.
  static bool HasOwnAperture(const Gpu& gpu);

  struct Request {
    Place place = Place::kNone;
    const Gpu* gpu = nullptr;  ///< For kGpuvm.
    std::uint64_t size = 0;    ///< Whole pages, not 0.
    std::uint64_t alignment = 0;
    std::uint64_t fixed = 0;  ///< The only address that will do; 0: any.
  };
  /// Reserves addresses, with nothing behind them for the CPU. 0 or -errno.
  int Reserve(const Request& request, std::uint64_t& address);
  /// Gives back what Reserve() gave, with all that was mapped there.
  void Release(Place place, std::uint64_t address, std::uint64_t size) noexcept;

  /// Takes away what is mapped inside a reservation of kSvm, which stays. 0 or -errno.
  int Clear(std::uint64_t address, std::uint64_t size);

  /// What the kernel calls an address: in a GPU's own aperture it counts from its base.
  std::uint64_t KernelAddress(Place place, std::uint64_t address) const;

  /// Where a look-up of an address searches, in this order (PTR-12).
  struct Search {
    bool user_pointers = false;
    bool objects = false;
  };
  Search SearchFor(std::uint64_t address) const {
    if (simple_) {
      const bool svm = main_.Contains(address);
      return {.user_pointers = !handles_.region().Contains(address),
              .objects = svm || handles_.region().Contains(address)};
    }
    return SearchInAll(address);
  }

  /// In a forked child nothing is given back.
  void AbandonInChild();

 private:
  struct GpuAperture {
    const Gpu* gpu;
    RegionAllocator addresses;
  };

  Search SearchInAll(std::uint64_t address) const;
  int ReserveByMmap(const Request& request, std::uint64_t& address);
  int MapNothing(std::uint64_t address, std::uint64_t size, int more_flags, std::uint64_t& mapped);
  int ReserveRegion(Aperture limits);
  bool ReserveRegionOf(std::uint64_t size, Aperture limits);
  void ChooseHandles();
  RegionAllocator* AllocatorFor(Place place, std::uint64_t address, const Gpu* gpu);
  void Unmap(std::uint64_t address, std::uint64_t size) noexcept;
  void UnmapLeftovers() noexcept;

  SystemCalls& calls_;
  std::span<const Gpu> gpus_;
  std::uint64_t guard_;
  std::uint64_t greatest_alignment_;
  bool cpu_only_ = false;
  bool by_mmap_ = false;
  bool simple_ = false;  ///< By mmap, and no GPU has an aperture of its own.
  Aperture main_;
  Aperture alternate_;
  std::vector<GpuAperture> own_;
  RegionAllocator handles_;
  RegionAllocator main_addresses_;
  RegionAllocator alternate_addresses_;
  Aperture reserved_;
  /// What munmap refused to take back; tried again later.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> leftovers_;
};

}  // namespace kfdcts::thunk
