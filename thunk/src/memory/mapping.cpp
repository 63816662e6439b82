// Objects on GPUs.
#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <utility>

#include "thunk/src/fault/fault.h"
#include "thunk/src/memory/books.h"

namespace kfdcts::thunk {
namespace {

/// The kernel's numbers of some GPUs; few of them need no memory.
class Ids {
 public:
  explicit Ids(const Gpus& gpus) {
    std::uint32_t* to = few_.data();
    if (gpus.size() > few_.size()) {
      many_.resize(gpus.size());
      to = many_.data();
    }
    std::transform(gpus.begin(), gpus.end(), to, [](const Gpu* gpu) { return gpu->gpu_id; });
    ids_ = {to, gpus.size()};
  }
  Ids(const Ids&) = delete;
  Ids& operator=(const Ids&) = delete;

  std::span<const std::uint32_t> all() const { return ids_; }
  std::size_t size() const { return ids_.size(); }

 private:
  std::array<std::uint32_t, 8> few_;
  std::vector<std::uint32_t> many_;
  std::span<const std::uint32_t> ids_;
};

bool Contains(const Gpus& gpus, const Gpu* gpu) {
  return std::find(gpus.begin(), gpus.end(), gpu) != gpus.end();
}

Gpus Without(const Gpus& all, const Gpus& some) {
  Gpus rest;
  rest.reserve(all.size());
  for (const Gpu* gpu : all) {
    if (!Contains(some, gpu)) rest.push_back(gpu);
  }
  return rest;
}

/// Where an object is mapped when the caller names no GPU.
Gpus DefaultGpus(const MemoryObject& object, const Gpu* owner, std::span<const Gpu> all) {
  if (!object.registered.gpus().empty()) return object.registered.gpus();
  Gpus chosen;
  chosen.reserve(all.size());
  for (const Gpu& gpu : all) {
    const bool linked = owner == nullptr || object.is_user_pointer || &gpu == owner ||
                        std::find(owner->linked_nodes.begin(), owner->linked_nodes.end(),
                                  gpu.node_id) != owner->linked_nodes.end();
    const bool elsewhere = object.place == Place::kGpuvm && &gpu != owner;
    if (linked && !elsewhere) chosen.push_back(&gpu);
  }
  return chosen;
}

void TouchPages(const void* address, std::uint64_t size) {
  const auto* bytes = static_cast<const volatile unsigned char*>(address);
  for (std::uint64_t at = 0; at < size; at += PageSize()) bytes[at];
}

}  // namespace

HSAKMT_STATUS Memory::Map(void* address, HSAuint64 size, NodeList nodes, HSAuint64* gpu_address) {
  *gpu_address = 0;
  if (address == nullptr) return HSAKMT_STATUS_ERROR;
  Gpus wanted;
  const HSAKMT_STATUS resolved = books_->Resolve(nodes, wanted);
  if (resolved != HSAKMT_STATUS_SUCCESS) return resolved;
  const auto start = reinterpret_cast<std::uint64_t>(address);
  {
    const std::lock_guard operation(books_->operations);
    if (ScratchArea* area = books_->FindScratch(start)) {
      return books_->MapScratch(*area, start, size);
    }
    if (MemoryObject* object = books_->FindAt(start, size)) {
      const HSAKMT_STATUS status = books_->MapObject(*object, nodes.has_value(), wanted);
      if (status != HSAKMT_STATUS_SUCCESS) return status;
      if (object->is_user_pointer) {
        *gpu_address = object->start + OffsetInPage(object->user_address);
      } else if (object->place == Place::kGpuvm) {
        *gpu_address = books_->space.KernelAddress(object->place, object->start);
      }
      return status;
    }
  }
  if (books_->svm_in_use()) {
    const HSAKMT_STATUS status = books_->MapBySvm(start, size, nodes ? wanted : books_->AllGpus());
    if (status == HSAKMT_STATUS_SUCCESS) *gpu_address = start;
    return status;
  }
  if (!books_->space.cpu_only()) {
    return nodes ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_INVALID_PARAMETER;
  }
  // An APU's GPU reaches it as it is, once the pages are there.
  TouchPages(address, size);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Books::MapObject(MemoryObject& object, bool has_list, const Gpus& nodes) {
  if (!object.has_memory || object.place == Place::kHandle) return HSAKMT_STATUS_INVALID_PARAMETER;
  if (object.place == Place::kCpu) {
    return nodes.size() > 1 ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
  }
  if (object.is_user_pointer && object.mappings > 0) {
    ++object.mappings;
    return HSAKMT_STATUS_SUCCESS;
  }
  const Gpus& registered = object.registered.gpus();
  for (const Gpu* gpu : nodes) {
    if (!registered.empty() && !Contains(registered, gpu)) return HSAKMT_STATUS_ERROR;
    if (object.place == Place::kGpuvm && gpu->node_id != object.node) return HSAKMT_STATUS_ERROR;
  }
  const Gpus wanted = has_list ? nodes : DefaultGpus(object, FindGpu(gpus, object.node), gpus);
  if (MapOn(object, Without(wanted, object.mapped.gpus())) < 0) return HSAKMT_STATUS_ERROR;
  // A list is what shall be mapped, not what shall be added.
  if (has_list && UnmapFrom(object, Without(object.mapped.gpus(), wanted)) < 0) {
    return HSAKMT_STATUS_ERROR;
  }
  if (object.is_user_pointer) object.mappings = 1;
  return HSAKMT_STATUS_SUCCESS;
}

int Memory::Books::MapOn(MemoryObject& object, const Gpus& fresh) {
  if (fresh.empty()) return 0;
  const Ids ids(fresh);
  // Whatever becomes of the calls, there is room to note it.
  const Gpus& before = object.mapped.gpus();
  Gpus after;
  after.reserve(before.size() + fresh.size());
  after.assign(before.begin(), before.end());
  int error = 0;
  std::size_t pieces = 0;
  std::uint32_t mapped = 0;
  while (pieces < object.handles.size() && error == 0) {
    error = kfd.MapMemory(object.handles[pieces++], ids.all(), mapped);
  }
  if (error == 0) {
    after.insert(after.end(), fresh.begin(), fresh.end());
  } else {
    // Back to how it was; what cannot be undone is still mapped and is noted so.
    std::uint32_t stuck_from = static_cast<std::uint32_t>(ids.size());
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::size_t count = i + 1 < pieces ? ids.size() : mapped;
      std::uint32_t unmapped = 0;
      if (count != 0 && kfd.UnmapMemory(object.handles[i], ids.all().first(count), unmapped) < 0) {
        stuck_from = std::min(stuck_from, unmapped);
      }
    }
    const std::size_t upto = pieces > 1 ? ids.size() : mapped;
    for (std::size_t i = stuck_from; i < upto; ++i) after.push_back(fresh[i]);
  }
  const std::unique_lock guard(lock);
  if (Broken(Fault::kUserDataLostOnMap)) object.user_data = nullptr;
  if (Broken(Fault::kFurtherMapNotNoted) && !object.mapped.gpus().empty()) return error;
  object.mapped.Assign(std::move(after));
  return error;
}

int Memory::Books::UnmapFrom(MemoryObject& object, const Gpus& gone) {
  if (gone.empty()) return 0;
  const Ids ids(gone);
  Gpus after = object.mapped.gpus();
  int error = 0;
  std::uint32_t unmapped = static_cast<std::uint32_t>(ids.size());
  for (const std::uint64_t handle : object.handles) {
    std::uint32_t done = 0;
    const int one = kfd.UnmapMemory(handle, ids.all(), done);
    if (one < 0) {
      error = one;
      unmapped = std::min(unmapped, done);
    }
  }
  after.erase(std::remove_if(after.begin(), after.end(),
                             [&](const Gpu* gpu) {
                               return std::find(gone.begin(), gone.begin() + unmapped, gpu) !=
                                      gone.begin() + unmapped;
                             }),
              after.end());
  const std::unique_lock guard(lock);
  if (Broken(Fault::kUserDataLostOnUnmap)) object.user_data = nullptr;
  if (Broken(Fault::kUnmapNotNoted)) return error;
  object.mapped.Assign(std::move(after));
  return error;
}

HSAKMT_STATUS Memory::Unmap(void* address) {
  if (address == nullptr) return HSAKMT_STATUS_SUCCESS;
  const auto start = reinterpret_cast<std::uint64_t>(address);
  const std::lock_guard operation(books_->operations);
  if (ScratchArea* area = books_->FindScratch(start)) return books_->UnmapScratch(*area, start);
  MemoryObject* object = books_->FindAny(start, true);
  if (object == nullptr) {
    return books_->space.cpu_only() || books_->svm_in_use() ? HSAKMT_STATUS_SUCCESS
                                                            : HSAKMT_STATUS_ERROR;
  }
  if (object->mappings > 1) {
    --object->mappings;
    return HSAKMT_STATUS_SUCCESS;
  }
  const Gpus mapped = object->mapped.gpus();
  if (books_->UnmapFrom(*object, mapped) < 0) return HSAKMT_STATUS_ERROR;
  object->mappings = 0;
  return HSAKMT_STATUS_SUCCESS;
}

}  // namespace kfdcts::thunk
