#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "thunk/src/fault/points.h"
#include "thunk/src/memory/books.h"

namespace kfdcts::thunk {
namespace {

/// SET_SCRATCH_BACKING_VA counts in this.
constexpr std::uint64_t kScratchAlignment = std::uint64_t{64} << 10U;
constexpr unsigned kScratchShift = 16;

}  // namespace

HSAKMT_STATUS Memory::Books::AllocateScratch(const Gpu* gpu, std::uint64_t size,
                                             std::uint64_t fixed, void** address) {
  if (gpu == nullptr) return HSAKMT_STATUS_NO_MEMORY;
  const bool taken = std::any_of(scratch.begin(), scratch.end(),
                                 [&](const ScratchArea& area) { return area.gpu == gpu; });
  if (taken) return HSAKMT_STATUS_NO_MEMORY;  // one a GPU
  ScratchArea area;
  area.gpu = gpu;
  area.place = space.cpu_only() ? Place::kCpu : Place::kSvm;
  area.size = (size + kScratchAlignment - 1) & -kScratchAlignment;
  scratch.reserve(scratch.size() + 1);
  if (space.Reserve({area.place, nullptr, area.size, kScratchAlignment, fixed}, area.address) < 0) {
    return HSAKMT_STATUS_NO_MEMORY;
  }
  const bool plain = area.place == Place::kCpu;
  const bool usable =
      !plain || MapPlainMemory(area.address, area.size, PROT_READ | PROT_WRITE, MAP_PRIVATE) == 0;
  if (!usable || kfd.SetScratchBackingVa(gpu->gpu_id, area.address >> kScratchShift) < 0) {
    space.Release(area.place, area.address, area.size);
    return HSAKMT_STATUS_NO_MEMORY;
  }
  *address = reinterpret_cast<void*>(area.address);
  fault::Note(Fault::kScratchIsFound, area.address, area.size);
  scratch.push_back(std::move(area));
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Books::MapScratch(ScratchArea& area, std::uint64_t address,
                                        std::uint64_t size) {
  const std::uint64_t offset = address - area.address;
  if (size == 0 || OffsetInPage(address) != 0 || size > area.size - offset) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  size = RoundUpToPage(size);
  if (area.place == Place::kCpu) return HSAKMT_STATUS_SUCCESS;
  for (const ScratchArea::Piece& piece : area.pieces) {
    if (address < piece.address + piece.size && piece.address < address + size) {
      return HSAKMT_STATUS_INVALID_PARAMETER;
    }
  }
  area.pieces.reserve(area.pieces.size() + 1);
  kfd_ioctl_alloc_memory_of_gpu_args memory{};
  memory.va_addr = address;
  memory.size = size;
  memory.gpu_id = area.gpu->gpu_id;
  memory.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
                 KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE;
  if (kfd.AllocMemory(memory) < 0) return HSAKMT_STATUS_NO_MEMORY;
  area.pieces.push_back({address, size, memory.handle, false});
  ScratchArea::Piece& piece = area.pieces.back();
  std::uint32_t mapped = 0;
  const bool done =
      MapForCpu(address, size, PROT_NONE, area.gpu->drm_fd, memory.mmap_offset) == 0 &&
      kfd.MapMemory(piece.handle, {&area.gpu->gpu_id, 1}, mapped) == 0;
  piece.mapped = mapped != 0;
  if (done) return HSAKMT_STATUS_SUCCESS;
  UnmapScratch(area, address);  // what cannot be undone stays, for the release to try again
  return HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS Memory::Books::UnmapScratch(ScratchArea& area, std::uint64_t address) {
  if (area.place == Place::kCpu) return HSAKMT_STATUS_SUCCESS;
  const auto piece = std::find_if(area.pieces.begin(), area.pieces.end(),
                                  [&](const auto& one) { return one.address == address; });
  if (piece == area.pieces.end()) return HSAKMT_STATUS_ERROR;
  std::uint32_t unmapped = 0;
  if (piece->mapped && kfd.UnmapMemory(piece->handle, {&area.gpu->gpu_id, 1}, unmapped) < 0) {
    return HSAKMT_STATUS_ERROR;
  }
  piece->mapped = false;
  // The addresses stay reserved.
  if (space.Clear(piece->address, piece->size) < 0) return HSAKMT_STATUS_ERROR;
  if (kfd.FreeMemory(piece->handle) < 0) return HSAKMT_STATUS_ERROR;
  area.pieces.erase(piece);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Books::ReleaseScratch(ScratchArea& area) {
  while (!area.pieces.empty()) {
    const HSAKMT_STATUS status = UnmapScratch(area, area.pieces.back().address);
    if (status != HSAKMT_STATUS_SUCCESS) return status;
  }
  space.Release(area.place, area.address, area.size);
  scratch.erase(scratch.begin() + (&area - scratch.data()));
  return HSAKMT_STATUS_SUCCESS;
}

}  // namespace kfdcts::thunk
