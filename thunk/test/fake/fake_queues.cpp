#include "thunk/test/fake/fake_queues.h"

#include <algorithm>
#include <bit>
#include <cerrno>

#include "thunk/test/fake/fake_process.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint32_t kMostQueues = 1024;
constexpr int kNotSupported = -524;  // the kernel's own ENOTSUPP, which user space has no name for
constexpr std::uint64_t kDoorbellBytes = 8;

std::uint64_t WholePages(std::uint64_t bytes) {
  return (bytes + kFakePage - 1) / kFakePage * kFakePage;
}

bool IsCompute(std::uint32_t type) {
  return type == KFD_IOC_QUEUE_TYPE_COMPUTE || type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
}

bool IsRingSize(std::uint32_t bytes) { return bytes == 0 || std::has_single_bit(bytes); }

std::uint32_t RingBytes(std::uint32_t asked) {
  return std::max<std::uint32_t>(asked, KFD_MIN_QUEUE_RING_SIZE);
}

bool IsActive(std::uint32_t percentage, std::uint64_t ring) {
  return (percentage & 0xffU) > 0 && ring != 0;
}

}  // namespace

FakeQueues::Queue* FakeQueues::Find(std::uint32_t id) {
  const auto found = queues_.find(id);
  return found == queues_.end() ? nullptr : &found->second;
}

std::uint32_t FakeQueues::FreeId() const {
  std::uint32_t id = 0;
  while (queues_.contains(id)) ++id;
  return id;
}

int FakeQueues::CheckProperties(const kfdcts_create_queue_args& arguments) const {
  if ((arguments.queue_percentage & 0xffU) > KFD_MAX_QUEUE_PERCENTAGE ||
      arguments.queue_priority > KFD_MAX_QUEUE_PRIORITY || !IsRingSize(arguments.ring_size)) {
    return -EINVAL;
  }
  return arguments.queue_type > KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID ? kNotSupported : 0;
}

int FakeQueues::CheckEngine(std::size_t gpu, const kfdcts_create_queue_args& arguments) const {
  const std::uint32_t type = arguments.queue_type;
  if (type == KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID && arguments.sdma_engine_id >= kFakeSdmaEngines) {
    return -EINVAL;
  }
  if (queues_.size() >= kMostQueues || type == KFD_IOC_QUEUE_TYPE_SDMA_XGMI) return -ENOMEM;
  if (IsCompute(type)) return 0;
  const auto of_sdma = std::count_if(queues_.begin(), queues_.end(), [&](const auto& entry) {
    return entry.second.gpu == gpu && !IsCompute(entry.second.type);
  });
  return of_sdma >= kFakeSdmaEngines * kFakeSdmaQueuesPerEngine ? -ENOMEM : 0;
}

int FakeQueues::PiecesOf(std::size_t gpu, const kfdcts_create_queue_args& arguments,
                         std::vector<Piece>& pieces) const {
  const FakeGpu& model = machine_.gpus[gpu];
  pieces = {{arguments.ring_base_address, WholePages(RingBytes(arguments.ring_size))},
            {arguments.write_pointer_address / kFakePage * kFakePage, kFakePage},
            {arguments.read_pointer_address / kFakePage * kFakePage, kFakePage}};
  if (!IsCompute(arguments.queue_type)) return 0;
  if (arguments.eop_buffer_address != 0) {
    if (arguments.eop_buffer_size < model.eop_bytes) return -EINVAL;
    pieces.push_back({arguments.eop_buffer_address, WholePages(arguments.eop_buffer_size)});
  }
  if (arguments.ctl_stack_size != model.ctl_stack_bytes ||
      arguments.ctx_save_restore_size < model.cwsr_bytes) {
    return -EINVAL;
  }
  const std::uint64_t an_xcc =
      std::uint64_t{arguments.ctx_save_restore_size} + model.debug_memory_bytes;
  const std::uint64_t bytes = WholePages(an_xcc * model.xccs);
  // No bytes need no mapping: the kernel then finds them in its SVM.
  if (bytes != 0) pieces.push_back({arguments.ctx_save_restore_address, bytes});
  return 0;
}

int FakeQueues::Hold(Queue& queue, const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces) {
    FakeBuffer* buffer = process_.FindMapped(queue.gpu, piece.address, piece.bytes);
    if (buffer == nullptr) {
      LetGo(queue);
      return -EINVAL;
    }
    ++buffer->queues_on[queue.gpu];
    queue.pieces.push_back(piece);
  }
  return 0;
}

void FakeQueues::LetGo(Queue& queue) {
  for (const Piece& piece : queue.pieces) {
    --process_.FindMapped(queue.gpu, piece.address, piece.bytes)->queues_on[queue.gpu];
  }
  queue.pieces.clear();
}

int FakeQueues::Create(std::size_t gpu, kfdcts_create_queue_args& arguments) {
  if (const int error = CheckProperties(arguments)) return error;
  if (arguments.queue_type == KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID && machine_.kfd_minor < 17) {
    return kNotSupported;
  }
  if (const int error = CheckEngine(gpu, arguments)) return error;
  std::vector<Piece> pieces;
  if (const int error = PiecesOf(gpu, arguments, pieces)) return error;
  Queue queue;
  queue.gpu = gpu;
  queue.type = arguments.queue_type;
  if (const int error = Hold(queue, pieces)) return error;
  queue.active = IsActive(arguments.queue_percentage, arguments.ring_base_address);
  arguments.queue_id = FreeId();
  arguments.doorbell_offset = DoorbellOffset(machine_.gpus[gpu]);
  if (machine_.gpus[gpu].gfx_target_version >= 90000) {
    arguments.doorbell_offset |= arguments.queue_id * kDoorbellBytes;
  }
  queues_[arguments.queue_id] = queue;
  return 0;
}

int FakeQueues::Update(const kfd_ioctl_update_queue_args& arguments) {
  if ((arguments.queue_percentage & 0xffU) > KFD_MAX_QUEUE_PERCENTAGE ||
      arguments.queue_priority > KFD_MAX_QUEUE_PRIORITY || !IsRingSize(arguments.ring_size)) {
    return -EINVAL;
  }
  Queue* queue = Find(arguments.queue_id);
  if (queue == nullptr) return -EFAULT;
  if (arguments.ring_base_address != 0) {
    const Piece ring{arguments.ring_base_address, WholePages(RingBytes(arguments.ring_size))};
    FakeBuffer* buffer = process_.FindMapped(queue->gpu, ring.address, ring.bytes);
    if (buffer == nullptr) return -EFAULT;
    Piece& old = queue->pieces.front();
    ++buffer->queues_on[queue->gpu];
    --process_.FindMapped(queue->gpu, old.address, old.bytes)->queues_on[queue->gpu];
    old = ring;
  }
  queue->active = IsActive(arguments.queue_percentage, arguments.ring_base_address);
  return 0;
}

int FakeQueues::Destroy(std::uint32_t id) {
  Queue* queue = Find(id);
  if (queue == nullptr) return -EINVAL;
  LetGo(*queue);
  queues_.erase(id);
  return 0;
}

int FakeQueues::SetCuMask(const kfd_ioctl_set_cu_mask_args& arguments) {
  if (arguments.num_cu_mask == 0 || arguments.num_cu_mask % 32 != 0) return -EINVAL;
  return Find(arguments.queue_id) == nullptr ? -EFAULT : 0;
}

int FakeQueues::GetWaveState(kfd_ioctl_get_queue_wave_state_args& arguments) const {
  const auto found = queues_.find(arguments.queue_id);
  if (found == queues_.end()) return -EFAULT;
  if (!IsCompute(found->second.type) || found->second.active) return -EINVAL;
  arguments.ctl_stack_used_size = kFakeControlStackUsed;
  arguments.save_area_used_size = kFakeSaveAreaUsed;
  return 0;
}

int FakeQueues::AllocGws(kfd_ioctl_alloc_queue_gws_args& arguments) {
  Queue* queue = Find(arguments.queue_id);
  if (queue == nullptr) return -EINVAL;
  if (!machine_.gpus[queue->gpu].gws) return -ENODEV;
  const bool taken = std::any_of(queues_.begin(), queues_.end(), [&](const auto& entry) {
    return entry.second.gpu == queue->gpu && entry.second.gws;
  });
  const bool wanted = arguments.num_gws != 0;
  if (wanted == taken) return wanted ? -EBUSY : -EINVAL;
  queue->gws = wanted;
  arguments.first_gws = 0;
  return 0;
}

}  // namespace kfdcts::thunk
