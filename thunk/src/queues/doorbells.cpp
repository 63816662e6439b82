#include "thunk/src/queues/doorbells.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>

#include "thunk/src/fault/fault.h"
#include "thunk/src/kernel/page.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint32_t kFirstSoc15 = 90000;
constexpr std::uint32_t kTonga = 80002;
constexpr std::size_t kDoorbellsOfProcess = 1024;

bool IsSoc15(const Gpu& gpu) { return gpu.gfx_version >= kFirstSoc15; }

std::size_t DoorbellBytes(const Gpu& gpu) { return IsSoc15(gpu) ? 8 : 4; }

/// What the kernel gives a process, bytes.
std::size_t SliceBytes(const Gpu& gpu) { return kDoorbellsOfProcess * DoorbellBytes(gpu); }

/// Whether the GPU can ring them by an address of its own: Tonga's TLB cannot.
bool ReachesThem(const Gpu& gpu) { return !gpu.has_cpu && gpu.gfx_version != kTonga; }

}  // namespace

void* Doorbells::Find(const Gpu& gpu, std::uint64_t doorbell_offset,
                      std::uint32_t queue_id) noexcept {
  // From SOC15 on the low bits say where in the slice; before, a queue's number does.
  const std::uint64_t in_slice =
      IsSoc15(gpu) ? doorbell_offset % SliceBytes(gpu) : queue_id * DoorbellBytes(gpu);
  const std::uint64_t slice =
      IsSoc15(gpu) ? doorbell_offset - doorbell_offset % SliceBytes(gpu) : doorbell_offset;
  const std::lock_guard guard(mutex_);
  Mapping& mapping = mappings_[static_cast<std::size_t>(&gpu - gpus_.data())];
  if (mapping.address == nullptr && !Map(gpu, slice, mapping)) return nullptr;
  return static_cast<std::byte*>(mapping.address) + in_slice;
}

bool Doorbells::MapForGpu(const Gpu& gpu, std::uint64_t offset, Mapping& mapping) noexcept {
  try {
    return ReachesThem(gpu) &&
           memory_.AllocateInternal(gpu.node_id, mapping.size, Memory::InternalKind::kDoorbells,
                                    mapping.memory, offset) == HSAKMT_STATUS_SUCCESS;
  } catch (...) {
    return false;
  }
}

bool Doorbells::Map(const Gpu& gpu, std::uint64_t offset, Mapping& mapping) noexcept {
  mapping.size = std::max<std::size_t>(SliceBytes(gpu), PageSize());
  if (Broken(Fault::kDoorbellIsMemory)) {
    return kfd_.calls().Mmap(nullptr, mapping.size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, &mapping.address) == 0;
  }
  if (MapForGpu(gpu, offset, mapping)) {
    mapping.address = mapping.memory.address;
    return true;
  }
  SystemCalls& calls = kfd_.calls();
  if (calls.Mmap(nullptr, mapping.size, PROT_READ | PROT_WRITE, MAP_SHARED, kfd_.fd(),
                 static_cast<off_t>(offset), &mapping.address) < 0) {
    return false;
  }
  if (calls.Madvise(mapping.address, mapping.size, MADV_DONTFORK) == 0) return true;
  calls.Munmap(mapping.address, mapping.size);
  mapping.address = nullptr;
  return false;
}

void Doorbells::Release() {
  const std::lock_guard guard(mutex_);
  for (Mapping& mapping : mappings_) {
    if (mapping.memory.object != nullptr) {
      memory_.FreeInternal(mapping.memory);
    } else if (mapping.address != nullptr) {
      kfd_.calls().Munmap(mapping.address, mapping.size);
    }
    mapping = {};
  }
}

void Doorbells::AbandonInChild() {
  for (Mapping& mapping : mappings_) mapping = {};
}

}  // namespace kfdcts::thunk
