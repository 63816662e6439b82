#include "thunk/src/memory/memory_object.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "thunk/src/fault/points.h"

namespace kfdcts::thunk {

GpuList::~GpuList() { std::free(array_); }

bool GpuList::Contains(const Gpu* gpu) const {
  return std::find(gpus_.begin(), gpus_.end(), gpu) != gpus_.end();
}

void GpuList::Assign(std::vector<const Gpu*>&& gpus) noexcept {
  gpus_ = std::move(gpus);
  if (Broken(Fault::kStaleArray)) return;
  std::free(std::exchange(array_, nullptr));
}

bool GpuList::MakeArray() {
  if (!needs_array()) return true;
  array_ = static_cast<HSAuint32*>(std::malloc(gpus_.size() * sizeof(HSAuint32)));
  if (array_ == nullptr) return false;
  std::transform(gpus_.begin(), gpus_.end(), array_, [](const Gpu* gpu) {
    return Broken(Fault::kNodesAreGpuIds) ? gpu->gpu_id : gpu->node_id;
  });
  return true;
}

HSA_POINTER_TYPE TypeOf(const MemoryObject& object) {
  if (const auto wrong = fault::WrongType(object)) return *wrong;
  if (object.is_imported) return HSA_POINTER_REGISTERED_SHARED;
  if (object.is_graphics) return HSA_POINTER_REGISTERED_GRAPHICS;
  if (object.is_user_pointer) return HSA_POINTER_REGISTERED_USER;
  if (!object.has_memory) return HSA_POINTER_RESERVED_ADDR;
  return HSA_POINTER_ALLOCATED;
}

void FillPointerInfo(const MemoryObject& object, HsaPointerInfo& info) {
  info.Type = TypeOf(object);
  info.Node = object.node;
  info.MemFlags = object.flags;
  info.CPUAddress = nullptr;
  info.GPUAddress = object.start;
  info.SizeInBytes = object.size;
  info.NRegisteredNodes = static_cast<HSAuint32>(object.registered.gpus().size());
  info.NMappedNodes = static_cast<HSAuint32>(object.mapped.gpus().size());
  info.RegisteredNodes = object.registered.array();
  info.MappedNodes = object.mapped.array();
  info.UserData = object.user_data.load(std::memory_order_relaxed);
  if (info.Type == HSA_POINTER_REGISTERED_USER) {
    info.CPUAddress = reinterpret_cast<void*>(object.user_address);
    info.GPUAddress = object.start + OffsetInPage(object.user_address);
    info.SizeInBytes = object.user_size;
  } else if (info.Type == HSA_POINTER_ALLOCATED) {
    info.CPUAddress = reinterpret_cast<void*>(object.start);
  }
}

}  // namespace kfdcts::thunk
