#include "thunk/src/memory/books.h"

#include <algorithm>
#include <shared_mutex>
#include <utility>

#include "thunk/src/fault/points.h"

namespace kfdcts::thunk {
namespace {

/// A byte less than a page short of what TTM refuses for one buffer of user memory.
std::uint64_t GreatestUserPiece() { return (std::uint64_t{1} << 39U) - PageSize(); }

}  // namespace

Memory::Books::Books(const Kfd& the_kfd, std::span<const Gpu> the_gpus, const Options& the_options,
                     bool is_primary)
    : kfd(the_kfd),
      gpus(the_gpus),
      options(the_options),
      primary(is_primary),
      space(the_kfd.calls(), the_gpus, the_options) {}

Memory::Books::~Books() {
  ReleaseAll();
  // What the kernel refuses to the end is its own for the process's life, as the events page is.
  for (MemoryObject* object : refused_) {
    object->handles.clear();
    Destroy(object);
  }
}

bool Memory::Books::svm_in_use() const {
  return options.use_svm && primary && !gpus.empty() &&
         std::all_of(gpus.begin(), gpus.end(), [](const Gpu& gpu) { return gpu.has_svm; });
}

const Gpu* Memory::Books::FindGpuById(std::uint32_t gpu_id) const {
  for (const Gpu& gpu : gpus) {
    if (gpu.gpu_id == gpu_id) return &gpu;
  }
  return nullptr;
}

HSAKMT_STATUS Memory::Books::Resolve(NodeList nodes, Gpus& resolved) const {
  if (!nodes) return HSAKMT_STATUS_SUCCESS;
  if (nodes->empty()) return HSAKMT_STATUS_INVALID_PARAMETER;
  for (const HSAuint32 node : *nodes) {
    const Gpu* gpu = FindGpu(gpus, node);
    if (gpu == nullptr) return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (std::find(resolved.begin(), resolved.end(), gpu) == resolved.end()) resolved.push_back(gpu);
  }
  return HSAKMT_STATUS_SUCCESS;
}

Gpus Memory::Books::AllGpus() const {
  Gpus all;
  for (const Gpu& gpu : gpus) all.push_back(&gpu);
  return all;
}

const Gpu& Memory::Books::FirstGpu() const {
  for (const Gpu& gpu : gpus) {
    if (!AddressSpace::HasOwnAperture(gpu)) return gpu;
  }
  return gpus.front();
}

MemoryObject* Memory::Books::FindHolder(std::uint64_t address) const {
  const AddressSpace::Search search = space.SearchFor(address);
  MemoryObject* found = nullptr;
  if (search.user_pointers && !user_pointers.empty()) found = user_pointers.Find(address);
  if (found == nullptr && search.objects) found = objects.Find(address);
  if (found == nullptr && space.cpu_only()) found = cpu_objects.Find(address);
  return fault::Holder(found, objects, address);
}

MemoryObject* Memory::Books::FindAt(std::uint64_t address, std::uint64_t size) const {
  const AddressSpace::Search search = space.SearchFor(address);
  MemoryObject* found = nullptr;
  if (search.user_pointers) {
    if (size != 0) {
      found = user_pointers.FindExact(address, address + size);
    } else {
      int count = 0;
      user_pointers.ForEachAt(address, [&](MemoryObject& object) {
        found = &object;
        ++count;
      });
      if (count > 1 && !Broken(Fault::kSetterGuesses)) return nullptr;
    }
  }
  if (found != nullptr) return found;
  const std::uint64_t page = address - OffsetInPage(address);
  if (search.objects) found = objects.Find(page);
  if (found == nullptr && space.cpu_only()) found = cpu_objects.Find(page);
  if (found == nullptr || found->start != page) return nullptr;
  // By its address for the GPU a user pointer keeps its offset in the page.
  if (found->is_user_pointer && (OffsetInPage(found->user_address) != OffsetInPage(address) ||
                                 (size != 0 && size != found->user_size))) {
    return nullptr;
  }
  return found;
}

MemoryObject* Memory::Books::FindAny(std::uint64_t address, bool mapped) const {
  MemoryObject* first = nullptr;
  MemoryObject* fitting = nullptr;
  user_pointers.ForEachAt(address, [&](MemoryObject& object) {
    if (first == nullptr) first = &object;
    if (fitting == nullptr && (object.mappings > 0) == mapped) fitting = &object;
  });
  if (fitting != nullptr) return fitting;
  return first != nullptr ? first : FindAt(address, 0);
}

ScratchArea* Memory::Books::FindScratch(std::uint64_t address) {
  for (ScratchArea& area : scratch) {
    if (area.Contains(address)) return &area;
  }
  return nullptr;
}

void Memory::Books::GiveBack::operator()(MemoryObject* object) const noexcept {
  books->Destroy(object);
}

Memory::Books::Owned Memory::Books::New() {
  Owned object(pool_.New(), GiveBack{this});
  fault::Begins(*object);
  return object;
}

void Memory::Books::Destroy(MemoryObject* object) noexcept {
  if (!abandoned_ && !ReturnHandles(*object)) {
    try {
      refused_.push_back(object);  // its addresses, too: the kernel may still have memory there
      return;
    } catch (...) {  // no room for a note: the kernel keeps it as long as the process lives
    }
  }
  if (!abandoned_) space.Release(object->place, object->start, object->size);
  if (object->exported_fd >= 0) calls().Close(object->exported_fd);
  pool_.Delete(object);
}

bool Memory::Books::ReturnHandles(MemoryObject& object) noexcept {
  bool done = true;
  for (const Gpu* gpu : object.mapped.gpus()) {
    std::uint32_t unmapped = 0;
    for (const std::uint64_t handle : object.handles) {
      done = kfd.UnmapMemory(handle, {&gpu->gpu_id, 1}, unmapped) == 0 && done;
    }
  }
  if (done) object.mapped.Assign({});
  return FreeHandles(object) == 0;
}

void Memory::Books::RetryRefused() noexcept {
  for (MemoryObject* object : std::exchange(refused_, {})) Destroy(object);
}

int Memory::Books::Reserve(MemoryObject& object, const AddressSpace::Request& request) {
  const int error = space.Reserve(request, object.start);
  if (error < 0) return error;
  object.place = request.place;
  object.size = request.size;
  return 0;
}

int Memory::Books::AllocateMemory(MemoryObject& object, const Gpu& gpu, std::uint32_t flags,
                                  std::uint64_t& offset) {
  const bool user_memory = (flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) != 0;
  const std::uint64_t greatest = user_memory ? GreatestUserPiece() : object.size;
  const std::uint64_t address = space.KernelAddress(object.place, object.start);
  const std::uint64_t user_address = offset;
  object.handles.reserve((object.size + greatest - 1) / greatest);
  for (std::uint64_t done = 0; done < object.size;) {
    kfd_ioctl_alloc_memory_of_gpu_args memory{};
    memory.va_addr = object.place == Place::kHandle ? 0 : address + done;
    memory.size = std::min(greatest, object.size - done);
    memory.mmap_offset = user_memory ? user_address + done : 0;
    memory.gpu_id = gpu.gpu_id;
    memory.flags = flags | KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE;
    if (const int error = kfd.AllocMemory(memory); error < 0) return error;
    object.handles.push_back(memory.handle);
    if (done == 0) offset = memory.mmap_offset;
    done += memory.size;
  }
  object.has_memory = true;
  return 0;
}

int Memory::Books::FreeHandles(MemoryObject& object) {
  while (!object.handles.empty()) {
    if (const int error = kfd.FreeMemory(object.handles.back()); error < 0) return error;
    object.handles.pop_back();
  }
  return 0;
}

MemoryObject& Memory::Books::Publish(Owned object) {
  const std::unique_lock guard(lock);
  RangeIndex& index = object->place == Place::kCpu ? cpu_objects : objects;
  index.Insert(object->start, object->end(), object.get());
  if (object->is_user_pointer) {
    try {
      user_pointers.Insert(object->user_address, object->user_address + object->user_size,
                           object.get());
    } catch (...) {
      index.Erase(object->start, object->end());
      throw;
    }
  }
  return *object.release();
}

Memory::Books::Owned Memory::Books::Withdraw(MemoryObject& object) {
  fault::Ends(object);
  std::unique_lock guard(lock, std::defer_lock);
  // In a forked child a query of a thread that is not there may be on its way in for ever.
  if (!abandoned_) guard.lock();
  (object.place == Place::kCpu ? cpu_objects : objects).Erase(object.start, object.end());
  if (object.is_user_pointer) {
    user_pointers.Erase(object.user_address, object.user_address + object.user_size);
  }
  return {&object, GiveBack{this}};
}

HSAKMT_STATUS Memory::Books::Remove(MemoryObject& object) {
  const Gpus mapped = object.mapped.gpus();
  if (UnmapFrom(object, mapped) < 0) return HSAKMT_STATUS_ERROR;
  if (FreeHandles(object) < 0) return HSAKMT_STATUS_ERROR;
  Withdraw(object);
  return HSAKMT_STATUS_SUCCESS;
}

void Memory::Books::ReleaseAll() noexcept {
  const std::lock_guard operation(operations);
  for (ScratchArea& area : scratch) {
    if (!abandoned_) ReleaseScratch(area);
  }
  scratch.clear();
  for (RangeIndex* index : {&objects, &cpu_objects}) {
    while (MemoryObject* object = index->Any()) Withdraw(*object);
  }
  RetryRefused();
}

void Memory::Books::Abandon() {
  abandoned_ = true;
  space.AbandonInChild();
}

}  // namespace kfdcts::thunk
