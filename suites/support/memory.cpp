#include "suites/support/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "suites/support/pointer_info.h"
#include "suites/support/status.h"

namespace kfdcts::suites {

std::size_t PageSize() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

HsaMemFlags FlagsFor(MemoryKind kind) {
  HsaMemFlags flags{};
  flags.ui32.PageSize = HSA_PAGE_SIZE_4KB;
  flags.ui32.NonPaged = kind != MemoryKind::kSystem;
  flags.ui32.HostAccess = kind != MemoryKind::kVram;
  flags.ui32.CoarseGrain = IsOnGpu(kind);
  return flags;
}

bool IsOnGpu(MemoryKind kind) {
  return kind == MemoryKind::kVram || kind == MemoryKind::kVisibleVram;
}

Allocation::Allocation(const harness::ThunkApi& thunk, HSAuint32 node, std::size_t size,
                       HsaMemFlags flags)
    : thunk_(thunk), size_(size) {
  const HSAKMT_STATUS status = thunk.hsaKmtAllocMemory(node, size, flags, &address_);
  Check("hsaKmtAllocMemory(node " + std::to_string(node) + ", " + std::to_string(size) + " bytes)",
        status);
}

Allocation::~Allocation() {
  if (address_ == nullptr) return;
  thunk_.hsaKmtUnmapMemoryToGPU(address_);  // fails where nothing is mapped
  thunk_.hsaKmtFreeMemory(address_, size_);
}

Allocation::Allocation(Allocation&& other) noexcept
    : thunk_(other.thunk_), address_(std::exchange(other.address_, nullptr)), size_(other.size_) {}

void* Allocation::At(std::ptrdiff_t offset) const {
  return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(address_) + offset);
}

void Allocation::Free() {
  Check("hsaKmtFreeMemory", thunk_.hsaKmtFreeMemory(std::exchange(address_, nullptr), size_));
}

HostPages::HostPages(std::size_t pages) : size_(pages * PageSize()) {
  start_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
}

HostPages::~HostPages() { munmap(start_, size_); }

void* HostPages::At(std::size_t offset) const { return static_cast<std::byte*>(start_) + offset; }

Registration::Registration(const harness::ThunkApi& thunk, void* address, std::size_t size)
    : thunk_(thunk), address_(address) {
  Check("hsaKmtRegisterMemory", thunk.hsaKmtRegisterMemory(address, size));
  registered_ = true;
}

Registration::Registration(const harness::ThunkApi& thunk, void* address, std::size_t size,
                           std::vector<HSAuint32> nodes)
    : thunk_(thunk), address_(address) {
  Check("hsaKmtRegisterMemoryToNodes",
        thunk.hsaKmtRegisterMemoryToNodes(address, size, nodes.size(), nodes.data()));
  registered_ = true;
}

Registration::~Registration() {
  if (registered_) Deregister();
}

HSAKMT_STATUS Registration::Deregister() {
  registered_ = false;
  return thunk_.hsaKmtDeregisterMemory(address_);
}

void ForgetUserPointer(const harness::ThunkApi& thunk, void* address) {
  constexpr int kMostRegistrations = 16;
  for (int i = 0; i < kMostRegistrations; ++i) {
    const PointerInfo info = Query(thunk, address);
    if (!info.Found()) return;
    if (thunk.hsaKmtDeregisterMemory(address) == HSAKMT_STATUS_SUCCESS) continue;
    thunk.hsaKmtDeregisterMemory(reinterpret_cast<void*>(info.gpu_address));
  }
}

void MapToNodes(const harness::ThunkApi& thunk, void* address, std::size_t size,
                std::vector<HSAuint32> nodes) {
  HSAuint64 gpu_address = 0;
  Check("hsaKmtMapMemoryToGPUNodes",
        thunk.hsaKmtMapMemoryToGPUNodes(address, size, &gpu_address, HsaMemMapFlags{}, nodes.size(),
                                        nodes.data()));
}

}  // namespace kfdcts::suites
