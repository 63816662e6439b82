#include "thunk/src/context/mmio_pages.h"

#include <sys/mman.h>

#include "thunk/src/kernel/page.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint32_t kFlags =
    KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
    KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;

}  // namespace

MmioPages::~MmioPages() {
  for (const Page& page : pages_) Unmap(page);
}

void MmioPages::Map(std::span<const Gpu> gpus) {
  pages_.reserve(gpus.size());
  for (const Gpu& gpu : gpus) {
    Page page{gpu.node_id, gpu.gpu_id, nullptr, 0};
    if (Map(gpu, page)) pages_.push_back(page);
  }
}

bool MmioPages::Map(const Gpu& gpu, Page& page) {
  SystemCalls& calls = kfd_.calls();
  const std::size_t size = PageSize();  // the kernel maps exactly one
  if (calls.Mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0,
                 &page.address) < 0) {
    return false;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(page.address);
  kfd_ioctl_alloc_memory_of_gpu_args memory{};
  memory.va_addr = address;
  memory.size = size;
  memory.gpu_id = gpu.gpu_id;
  memory.flags = kFlags;
  if (!gpu.gpuvm.Contains(address) || kfd_.AllocMemory(memory) < 0) {
    calls.Munmap(page.address, size);
    return false;
  }
  page.handle = memory.handle;
  void* mapped = nullptr;
  std::uint32_t on_gpus = 0;
  const bool done = calls.Mmap(page.address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                               kfd_.fd(), static_cast<off_t>(memory.mmap_offset), &mapped) == 0 &&
                    calls.Madvise(page.address, size, MADV_DONTFORK) == 0 &&
                    kfd_.MapMemory(page.handle, {&gpu.gpu_id, 1}, on_gpus) == 0;
  if (!done) Unmap(page);
  return done;
}

void MmioPages::Unmap(const Page& page) {
  std::uint32_t off_gpus = 0;
  kfd_.UnmapMemory(page.handle, {&page.gpu_id, 1}, off_gpus);
  kfd_.FreeMemory(page.handle);
  kfd_.calls().Munmap(page.address, PageSize());
}

Aperture MmioPages::ApertureOf(std::uint32_t node_id) const {
  for (const Page& page : pages_) {
    if (page.node_id != node_id) continue;
    const auto base = reinterpret_cast<std::uintptr_t>(page.address);
    return {.base = base, .limit = base + PageSize() - 1};
  }
  return {};
}

}  // namespace kfdcts::thunk
