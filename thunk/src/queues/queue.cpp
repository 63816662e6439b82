#include "thunk/src/queues/queue.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>

#include "thunk/src/kernel/page.h"
#include "thunk/src/kernel/status.h"

namespace kfdcts::thunk {
namespace {

constexpr std::size_t kWritePointer = 0;
constexpr std::size_t kReadPointer = 128;  // its own cache line

bool KernelType(HSA_QUEUE_TYPE type, std::uint32_t& kernels) {
  switch (type) {
    case HSA_QUEUE_COMPUTE:
      kernels = KFD_IOC_QUEUE_TYPE_COMPUTE;
      return true;
    case HSA_QUEUE_SDMA:
      kernels = KFD_IOC_QUEUE_TYPE_SDMA;
      return true;
    case HSA_QUEUE_SDMA_XGMI:
      kernels = KFD_IOC_QUEUE_TYPE_SDMA_XGMI;
      return true;
    case HSA_QUEUE_SDMA_BY_ENG_ID:
      kernels = KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID;
      return true;
    case HSA_QUEUE_COMPUTE_AQL:
      kernels = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
      return true;
    default:
      return false;
  }
}

bool KernelPriority(HSA_QUEUE_PRIORITY priority, std::uint32_t& kernels) {
  constexpr std::array<std::uint32_t, 7> kPriorities = {0, 3, 5, 7, 9, 11, 15};
  const auto place =
      static_cast<std::int64_t>(static_cast<std::int32_t>(priority)) - HSA_QUEUE_PRIORITY_MINIMUM;
  if (place < 0 || place >= static_cast<std::int64_t>(kPriorities.size())) return false;
  kernels = kPriorities[static_cast<std::size_t>(place)];
  return true;
}

bool IsCompute(HSA_QUEUE_TYPE type) {
  return type == HSA_QUEUE_COMPUTE || type == HSA_QUEUE_COMPUTE_AQL;
}

bool FitsWord(HSAuint64 value) { return value <= std::numeric_limits<std::uint32_t>::max(); }

HSAKMT_STATUS SuccessOrError(int error) {
  return error == 0 ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

std::uint64_t AddressOf(const Memory::Internal& memory) {
  return reinterpret_cast<std::uintptr_t>(memory.address);
}

}  // namespace

Queue::~Queue() {
  memory_.FreeInternal(context_save_);
  memory_.FreeInternal(end_of_pipe_);
  memory_.FreeInternal(pointers_);
}

void Queue::AbandonInChild() {
  exists_ = false;
  context_save_ = {};
  end_of_pipe_ = {};
  pointers_ = {};
}

bool Queue::Allocate(std::uint64_t bytes, Memory::InternalKind kind, Memory::Internal& memory) {
  return memory_.AllocateInternal(gpu_.node_id, bytes, kind, memory) == HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Queue::AllocateForCompute(const NodeNumbers& numbers, const QueueRequest& request,
                                        const HsaQueueResource& resource) {
  const bool aql = request.type == HSA_QUEUE_COMPUTE_AQL;
  const std::uint32_t end_of_pipe = EndOfPipeBytes(gpu_.gfx_version, aql);
  if (end_of_pipe != 0 && !Allocate(end_of_pipe, Memory::InternalKind::kVram, end_of_pipe_)) {
    return HSAKMT_STATUS_NO_MEMORY;
  }
  layout_ = ContextSaveLayoutOf(numbers);
  if (layout_.MappingBytes() == 0) return HSAKMT_STATUS_SUCCESS;
  if (!Allocate(layout_.MappingBytes(), Memory::InternalKind::kSystem, context_save_)) {
    return HSAKMT_STATUS_NO_MEMORY;
  }
  WriteContextSaveHeaders(layout_, context_save_.address,
                          request.event != nullptr ? request.event->EventId : 0,
                          resource.ErrorReason);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Queue::AllocateSystemMemory(const NodeNumbers& numbers, const QueueRequest& request,
                                          HsaQueueResource& resource) {
  if (request.type != HSA_QUEUE_COMPUTE_AQL) {
    if (!Allocate(PageSize(), Memory::InternalKind::kUncachedSystem, pointers_)) {
      return HSAKMT_STATUS_NO_MEMORY;
    }
    std::memset(pointers_.address, 0, PageSize());
    resource.QueueWptrValue = AddressOf(pointers_) + kWritePointer;
    resource.QueueRptrValue = AddressOf(pointers_) + kReadPointer;
  }
  return IsCompute(request.type) ? AllocateForCompute(numbers, request, resource)
                                 : HSAKMT_STATUS_SUCCESS;
}

void Queue::SelectAllCus(const NodeNumbers& numbers) {
  const std::uint64_t units = std::min<std::uint64_t>(
      numbers.simd_count / std::max<std::uint64_t>(1, numbers.simd_per_cu), kMostCuWords * 32);
  cu_count_ = static_cast<HSAuint32>((units + 31) / 32 * 32);
  for (std::size_t i = 0; i < units; ++i) cu_mask_[i / 32] |= 1U << (i % 32);
}

HSAKMT_STATUS Queue::Create(const QueueRequest& request, const NodeNumbers& numbers,
                            HsaQueueResource& resource, std::uint64_t& doorbell_offset) {
  kfdcts_create_queue_args args{};
  if (!KernelPriority(request.priority, args.queue_priority) ||
      !KernelType(request.type, args.queue_type) || !FitsWord(request.ring_bytes)) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  HsaQueueResource filled = resource;
  const HSAKMT_STATUS status = AllocateSystemMemory(numbers, request, filled);
  if (status != HSAKMT_STATUS_SUCCESS) return status;
  SelectAllCus(numbers);
  args.gpu_id = gpu_.gpu_id;
  args.queue_percentage = request.percentage;
  args.ring_base_address = reinterpret_cast<std::uintptr_t>(request.ring);
  args.ring_size = static_cast<std::uint32_t>(request.ring_bytes);
  args.write_pointer_address = filled.QueueWptrValue;
  args.read_pointer_address = filled.QueueRptrValue;
  args.sdma_engine_id = request.sdma_engine;
  if (end_of_pipe_.object != nullptr) {
    args.eop_buffer_address = AddressOf(end_of_pipe_);
    args.eop_buffer_size = end_of_pipe_.size;
  }
  if (context_save_.object != nullptr) {
    args.ctx_save_restore_address = AddressOf(context_save_);
    args.ctx_save_restore_size = layout_.area;
    args.ctl_stack_size = layout_.control_stack;
  }
  if (const int error = kfd_.CreateQueue(args); error < 0) return StatusOf(error);
  id_ = args.queue_id;
  exists_ = true;
  doorbell_offset = args.doorbell_offset;
  resource = filled;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Queue::Update(HSAuint32 percentage, HSA_QUEUE_PRIORITY priority, const void* ring,
                            HSAuint64 ring_bytes) {
  kfd_ioctl_update_queue_args args{};
  if (!KernelPriority(priority, args.queue_priority) || !FitsWord(ring_bytes)) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  const std::lock_guard guard(mutex_);
  if (!exists_) return HSAKMT_STATUS_INVALID_HANDLE;
  args.queue_id = id_;
  args.queue_percentage = percentage;
  args.ring_base_address = reinterpret_cast<std::uintptr_t>(ring);
  args.ring_size = static_cast<std::uint32_t>(ring_bytes);
  return SuccessOrError(kfd_.UpdateQueue(args));
}

HSAKMT_STATUS Queue::Destroy() {
  const std::lock_guard guard(mutex_);
  if (!exists_) return HSAKMT_STATUS_INVALID_HANDLE;
  const int error = kfd_.DestroyQueue(id_);
  // The GPU did not let go of the queue (ETIME, EIO): the kernel has dropped it all the same.
  if (error == 0 || error == -ETIME || error == -EIO) exists_ = false;
  return SuccessOrError(error);
}

HSAKMT_STATUS Queue::SetCuMask(std::span<const HSAuint32> mask) {
  const std::span<const HSAuint32> kept = mask.first(std::min(mask.size(), kMostCuWords));
  const std::lock_guard guard(mutex_);
  if (!exists_) return HSAKMT_STATUS_INVALID_HANDLE;
  if (kfd_.SetCuMask(id_, kept) < 0) return HSAKMT_STATUS_ERROR;
  std::copy(kept.begin(), kept.end(), cu_mask_.begin());
  cu_count_ = static_cast<HSAuint32>(kept.size() * 32);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Queue::Describe(HsaQueueInfo& info) {
  const std::lock_guard guard(mutex_);
  if (!exists_) return HSAKMT_STATUS_INVALID_HANDLE;
  std::uint32_t stack_used = 0;
  std::uint32_t save_area_used = 0;
  if (context_save_.object == nullptr ||
      kfd_.GetQueueWaveState(id_, context_save_.address, stack_used, save_area_used) < 0) {
    return HSAKMT_STATUS_ERROR;
  }
  auto* const start = static_cast<std::byte*>(context_save_.address);
  std::byte* const waves = start + layout_.control_stack;
  info = {};
  info.NumCUAssigned = cu_count_;
  info.CUMaskInfo = cu_mask_.data();
  info.UserContextSaveArea = reinterpret_cast<HSAuint32*>(waves);
  info.SaveAreaSizeInBytes = save_area_used;
  info.ControlStackTop = reinterpret_cast<HSAuint32*>(waves - stack_used);
  info.ControlStackUsedInBytes = stack_used;
  info.SaveAreaHeader = reinterpret_cast<HsaUserContextSaveAreaHeader*>(start);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Queue::AllocateGws(HSAuint32 count, HSAuint32* first) {
  const std::lock_guard guard(mutex_);
  if (!exists_) return HSAKMT_STATUS_INVALID_HANDLE;
  std::uint32_t got = 0;
  switch (kfd_.AllocQueueGws(id_, count, got)) {
    case 0:
      if (first != nullptr) *first = got;
      return HSAKMT_STATUS_SUCCESS;
    case -EINVAL:
      return HSAKMT_STATUS_INVALID_PARAMETER;
    case -EBUSY:
      return HSAKMT_STATUS_OUT_OF_RESOURCES;
    case -ENODEV:
      return HSAKMT_STATUS_NOT_SUPPORTED;
    default:
      return HSAKMT_STATUS_ERROR;
  }
}

}  // namespace kfdcts::thunk
