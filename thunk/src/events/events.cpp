#include "thunk/src/events/events.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "thunk/src/kernel/status.h"

namespace kfdcts::thunk {
namespace {

constexpr std::size_t kSlots = KFD_SIGNAL_EVENT_LIMIT;
constexpr std::size_t kPageBytes = kSlots * sizeof(std::uint64_t);

/// Events that the driver signals; the API neither sets nor resets them.
bool IsSystemEvent(HSA_EVENTTYPE type) {
  return type != HSA_EVENTTYPE_SIGNAL && type != HSA_EVENTTYPE_DEBUG_EVENT;
}

}  // namespace

Events::~Events() {
  ReleaseAll();
  if (page_is_kernels_) kfd_.calls().Munmap(page_, kPageBytes);
  if (page_memory_.address != nullptr) memory_.FreeInternal(page_memory_);
}

HSAKMT_STATUS Events::Create(const HsaEventDescriptor& descriptor, bool manual_reset, bool signaled,
                             HsaEvent** event) {
  if (descriptor.EventType >= HSA_EVENTTYPE_MAXID) return HSAKMT_STATUS_INVALID_PARAMETER;
  const Node* node = topology_.Find(descriptor.NodeId);
  if (node == nullptr) return HSAKMT_STATUS_INVALID_NODE_UNIT;
  auto made = std::make_unique<HsaEvent>();
  kfd_ioctl_create_event_args args{};
  args.event_type = descriptor.EventType;
  args.node_id = node->sysfs_id;
  args.auto_reset = manual_reset ? 0 : 1;

  const std::lock_guard guard(mutex_);
  events_.reserve(events_.size() + 1);
  const HSAKMT_STATUS status = CreateInKernel(args);
  if (status != HSAKMT_STATUS_SUCCESS) return status;
  made->EventId = args.event_id;
  made->EventData.EventType = descriptor.EventType;
  made->EventData.EventData.SyncVar = descriptor.SyncVar;
  FillHardwareData(args, made->EventData);
  if (signaled && !IsSystemEvent(descriptor.EventType) && kfd_.SetEvent(args.event_id) < 0) {
    kfd_.DestroyEvent(args.event_id);
    return HSAKMT_STATUS_ERROR;
  }
  *event = *events_.insert(made.release()).first;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Events::CreateInKernel(kfd_ioctl_create_event_args& args) {
  const Gpu* owner = page_ == nullptr ? PageOwner() : nullptr;
  if (owner != nullptr) {
    const auto status = memory_.AllocateInternal(owner->node_id, kPageBytes,
                                                 Memory::InternalKind::kSignals, page_memory_);
    if (status != HSAKMT_STATUS_SUCCESS) return status;
    args.event_page_offset = page_memory_.handle;
  }
  const int error = kfd_.CreateEvent(args);
  if (error < 0) {
    if (owner != nullptr) memory_.FreeInternal(page_memory_);
    return error == -ENOSPC ? HSAKMT_STATUS_OUT_OF_RESOURCES : StatusOf(error);
  }
  if (owner != nullptr) {
    page_ = static_cast<std::uint64_t*>(page_memory_.address);
  } else if (page_ == nullptr && args.event_page_offset != 0) {
    const auto status = MapKernelsPage(args.event_page_offset);
    if (status != HSAKMT_STATUS_SUCCESS) kfd_.DestroyEvent(args.event_id);
    return status;
  }
  return HSAKMT_STATUS_SUCCESS;
}

/// A GPU that can only reach the page as memory of its own address space; without one the kernel
/// makes the page itself.
const Gpu* Events::PageOwner() const {
  const auto discrete =
      std::find_if(gpus_.begin(), gpus_.end(), [](const Gpu& gpu) { return !gpu.has_cpu; });
  return discrete == gpus_.end() ? nullptr : &*discrete;
}

HSAKMT_STATUS Events::MapKernelsPage(std::uint64_t offset) {
  void* mapped = nullptr;
  const int error = kfd_.calls().Mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                      kfd_.fd(), static_cast<off_t>(offset), &mapped);
  if (error < 0) return HSAKMT_STATUS_ERROR;
  kfd_.calls().Madvise(mapped, kPageBytes, MADV_DONTFORK);
  page_ = static_cast<std::uint64_t*>(mapped);
  page_is_kernels_ = true;
  return HSAKMT_STATUS_SUCCESS;
}

void Events::FillHardwareData(const kfd_ioctl_create_event_args& args, HsaEventData& data) const {
  data.HWData1 = args.event_id;
  data.HWData3 = args.event_trigger_data;
  if (page_ != nullptr && args.event_slot_index < kSlots) {
    data.HWData2 = reinterpret_cast<std::uintptr_t>(page_ + args.event_slot_index);
  }
}

HSAKMT_STATUS Events::Destroy(HsaEvent* event) {
  const std::lock_guard guard(mutex_);
  const auto found = events_.find(event);
  if (found == events_.end()) return HSAKMT_STATUS_INVALID_HANDLE;
  if (kfd_.DestroyEvent(event->EventId) < 0) return HSAKMT_STATUS_ERROR;
  events_.erase(found);
  delete event;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Events::Set(const HsaEvent& event) const {
  if (IsSystemEvent(event.EventData.EventType)) return HSAKMT_STATUS_ERROR;
  return kfd_.SetEvent(event.EventId) < 0 ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Events::Reset(const HsaEvent& event) const {
  if (IsSystemEvent(event.EventData.EventType)) return HSAKMT_STATUS_ERROR;
  return kfd_.ResetEvent(event.EventId) < 0 ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

void Events::ReleaseAll() {
  const std::lock_guard guard(mutex_);
  for (HsaEvent* event : events_) {
    kfd_.DestroyEvent(event->EventId);
    delete event;
  }
  events_.clear();
}

void Events::AbandonInChild() {
  for (HsaEvent* event : events_) delete event;
  events_.clear();
  page_ = nullptr;
  page_is_kernels_ = false;
  page_memory_ = {};
}

}  // namespace kfdcts::thunk
