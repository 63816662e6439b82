#include "thunk/src/memory/address_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

namespace kfdcts::thunk {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20U;
/// The first address that a process cannot map on any x86-64 with four levels of page tables.
constexpr std::uint64_t kCpuLimit = std::uint64_t{1} << 47U;
/// Where memory handles begin: no CPU or GPU address.
constexpr std::uint64_t kHandleBase = std::uint64_t{1} << 56U;
constexpr int kNothing = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) & -alignment;
}

}  // namespace

AddressSpace::AddressSpace(SystemCalls& calls, std::span<const Gpu> gpus, const Options& options)
    : calls_(calls),
      gpus_(gpus),
      guard_(options.guard_pages * PageSize()),
      greatest_alignment_(PageSize() << options.max_va_align) {}

AddressSpace::~AddressSpace() {
  if (reserved_.limit != 0) Unmap(reserved_.base, reserved_.limit - reserved_.base + 1);
  UnmapLeftovers();
}

bool AddressSpace::HasOwnAperture(const Gpu& gpu) { return gpu.gpuvm.limit >= kCpuLimit; }

int AddressSpace::Open() {
  cpu_only_ = std::all_of(gpus_.begin(), gpus_.end(), [](const Gpu& gpu) { return gpu.has_cpu; });
  Aperture shared{0, ~std::uint64_t{0}};
  bool any = false;
  for (const Gpu& gpu : gpus_) {
    if (HasOwnAperture(gpu)) {
      // The first page stays free: counted from the base its address would be null.
      const Aperture usable{gpu.gpuvm.base + PageSize(), gpu.gpuvm.limit};
      own_.push_back({&gpu, RegionAllocator(usable, guard_)});
      continue;
    }
    any = true;
    shared.base = std::max(shared.base, gpu.gpuvm.base);
    shared.limit = std::min(shared.limit, gpu.gpuvm.limit);
  }
  ChooseHandles();
  if (!any) return 0;
  by_mmap_ = shared.limit >= kCpuLimit - 1;
  simple_ = by_mmap_ && own_.empty() && !cpu_only_;
  const Aperture whole{RoundUp(shared.base, kHugePage), ((shared.limit + 1) & -kHugePage) - 1};
  if (!by_mmap_) return ReserveRegion(whole);
  main_ = alternate_ = whole;
  return 0;
}

void AddressSpace::ChooseHandles() {
  const auto overlaps = [](const Aperture& a, const Aperture& b) {
    return a.limit != 0 && b.limit != 0 && a.base <= b.limit && b.base <= a.limit;
  };
  for (std::uint64_t base = kHandleBase; base != 0; base += kHandleBase) {
    const Aperture candidate{base, base + kCpuLimit - 1};
    const bool taken = std::any_of(gpus_.begin(), gpus_.end(), [&](const Gpu& gpu) {
      return overlaps(candidate, gpu.lds) || overlaps(candidate, gpu.scratch) ||
             overlaps(candidate, gpu.gpuvm);
    });
    if (taken) continue;
    handles_ = RegionAllocator(candidate, guard_);
    return;
  }
}

int AddressSpace::MapNothing(std::uint64_t address, std::uint64_t size, int more_flags,
                             std::uint64_t& mapped) {
  void* result = nullptr;
  const int error = calls_.Mmap(reinterpret_cast<void*>(address), size, PROT_NONE,
                                kNothing | more_flags, -1, 0, &result);
  if (error == 0) mapped = reinterpret_cast<std::uint64_t>(result);
  return error;
}

// As large as can be had, at most 1 TiB: a GPU that reaches less than the process can map.
int AddressSpace::ReserveRegion(Aperture limits) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 28U;
  const std::uint64_t all = limits.limit - limits.base + 1;
  for (std::uint64_t size = std::min(all, kMost) & -kHugePage; size >= kLeast;
       size = (size / 2) & -kHugePage) {
    if (ReserveRegionOf(size, limits)) return 0;
  }
  return -ENOMEM;
}

bool AddressSpace::ReserveRegionOf(std::uint64_t size, Aperture limits) {
  constexpr std::uint64_t kTries = 32;
  const std::uint64_t room = limits.limit - limits.base + 1 - size;
  const std::uint64_t step = std::max(RoundUp(room / kTries, kHugePage), kHugePage);
  for (std::uint64_t offset = 0; offset <= room; offset += step) {
    std::uint64_t got = 0;
    if (MapNothing(limits.base + offset, size, 0, got) < 0) return false;
    if (got >= limits.base && got <= limits.base + room && got % kHugePage == 0) {
      reserved_ = {got, got + size - 1};
      const std::uint64_t quarter = (size / 4) & -kHugePage;
      alternate_ = {got, got + quarter - 1};
      main_ = {got + quarter, reserved_.limit};
      alternate_addresses_ = RegionAllocator(alternate_, guard_);
      main_addresses_ = RegionAllocator(main_, guard_);
      return true;
    }
    Unmap(got, size);
  }
  return false;
}

RegionAllocator* AddressSpace::AllocatorFor(Place place, std::uint64_t address, const Gpu* gpu) {
  switch (place) {
    case Place::kHandle:
      return &handles_;
    case Place::kSvm:
      return by_mmap_ ? nullptr : &main_addresses_;
    case Place::kSvmAlternate:
      return by_mmap_ ? nullptr : &alternate_addresses_;
    case Place::kGpuvm:
      for (GpuAperture& own : own_) {
        if (own.gpu == gpu || own.addresses.region().Contains(address)) return &own.addresses;
      }
      return nullptr;
    default:
      return nullptr;
  }
}

int AddressSpace::Reserve(const Request& request, std::uint64_t& address) {
  if (request.size == 0 || request.size >= kCpuLimit) return -ENOMEM;
  const bool in_svm = request.place == Place::kSvm || request.place == Place::kSvmAlternate;
  if (request.place == Place::kCpu || (by_mmap_ && in_svm)) return ReserveByMmap(request, address);
  RegionAllocator* allocator = AllocatorFor(request.place, request.fixed, request.gpu);
  if (allocator == nullptr || !allocator->exists()) return -ENOMEM;
  if (request.fixed != 0) {
    if (!allocator->AllocateAt(request.fixed, request.size)) return -ENOMEM;
    address = request.fixed;
    return 0;
  }
  std::uint64_t alignment = std::max(request.alignment, PageSize());
  while (alignment < greatest_alignment_ && request.size >= alignment * 2) alignment *= 2;
  const auto found = allocator->Allocate(request.size, alignment);
  if (!found) return -ENOMEM;
  address = *found;
  return 0;
}

int AddressSpace::ReserveByMmap(const Request& request, std::uint64_t& address) {
  const Aperture limits = request.place == Place::kCpu ? Aperture{0, kCpuLimit} : main_;
  if (request.fixed != 0) {
    std::uint64_t got = 0;
    const int error = MapNothing(request.fixed, request.size, MAP_FIXED_NOREPLACE, got);
    if (error < 0) return error;
    if (got == request.fixed && limits.Contains(got) && limits.Contains(got + request.size - 1)) {
      address = got;
      return 0;
    }
    Unmap(got, request.size);
    return -ENOMEM;
  }
  // A big buffer is aligned for big pages in the GPU's page table.
  std::uint64_t alignment = std::max(request.alignment, PageSize());
  while (alignment < greatest_alignment_ && request.size >= alignment * 2) alignment *= 2;
  // The guard in front is between it and whatever comes below; what comes above has its own.
  const std::uint64_t whole = request.size + guard_ + alignment - PageSize();
  std::uint64_t got = 0;
  if (const int error = MapNothing(0, whole, 0, got); error < 0) return error;
  const std::uint64_t start = RoundUp(got + guard_, alignment);
  const std::uint64_t end = start + request.size;
  if (start < limits.base || end - 1 > limits.limit) {
    Unmap(got, whole);
    return -ENOMEM;
  }
  if (start > got) Unmap(got, start - got);
  if (got + whole > end) Unmap(end, got + whole - end);
  address = start;
  return 0;
}

void AddressSpace::Release(Place place, std::uint64_t address, std::uint64_t size) noexcept {
  UnmapLeftovers();
  if (place == Place::kNone) return;
  const bool in_svm = place == Place::kSvm || place == Place::kSvmAlternate;
  if (place == Place::kCpu || (by_mmap_ && in_svm)) {
    Unmap(address, size);
    return;
  }
  if (in_svm) {
    // The region stays ours: in one step nothing is there, without a moment for others to map it.
    if (Clear(address, size) < 0) return;  // never given out again
  }
  if (RegionAllocator* allocator = AllocatorFor(place, address, nullptr)) allocator->Free(address);
}

int AddressSpace::Clear(std::uint64_t address, std::uint64_t size) {
  std::uint64_t got = 0;
  return MapNothing(address, size, MAP_FIXED, got);
}

std::uint64_t AddressSpace::KernelAddress(Place place, std::uint64_t address) const {
  if (place == Place::kHandle) return 0;
  if (place != Place::kGpuvm) return address;
  for (const GpuAperture& own : own_) {
    if (own.addresses.region().Contains(address)) return address - own.gpu->gpuvm.base;
  }
  return address;
}

AddressSpace::Search AddressSpace::SearchInAll(std::uint64_t address) const {
  for (const GpuAperture& own : own_) {
    if (own.gpu->gpuvm.Contains(address)) return {.objects = true};
  }
  if (handles_.region().Contains(address)) return {.objects = true};
  if (main_.Contains(address) || alternate_.Contains(address)) {
    return {.user_pointers = by_mmap_, .objects = true};
  }
  return {.user_pointers = true};
}

void AddressSpace::Unmap(std::uint64_t address, std::uint64_t size) noexcept {
  if (calls_.Munmap(reinterpret_cast<void*>(address), size) == 0) return;
  try {
    leftovers_.emplace_back(address, size);
  } catch (...) {  // then they stay mapped
  }
}

void AddressSpace::UnmapLeftovers() noexcept {
  while (!leftovers_.empty()) {
    const auto [address, size] = leftovers_.back();
    if (calls_.Munmap(reinterpret_cast<void*>(address), size) < 0) return;
    leftovers_.pop_back();
  }
}

void AddressSpace::AbandonInChild() {
  reserved_ = {};
  leftovers_.clear();
}

}  // namespace kfdcts::thunk
