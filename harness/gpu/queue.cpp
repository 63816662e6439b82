#include "harness/gpu/queue.h"

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "harness/gpu/context_save.h"

namespace kfdcts::gpu {
namespace {

constexpr std::uint64_t kWordBytes = 4;
constexpr std::uint64_t kAqlPacketWords = 16;
/// Kept free, so that a full ring never looks like an empty one.
constexpr std::uint64_t kGapWords = 64;

std::uint32_t KfdType(QueueType type) {
  switch (type) {
    case QueueType::kSdma:
      return KFD_IOC_QUEUE_TYPE_SDMA;
    case QueueType::kPm4:
      return KFD_IOC_QUEUE_TYPE_COMPUTE;
    case QueueType::kAql:
      return KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
  }
  throw std::invalid_argument("queue type");
}

/// In how many words the queue's pointers count: one step is a byte for SDMA (so a quarter), a
/// word, or a packet.
std::uint64_t ToPointer(QueueType type, std::uint64_t words) {
  switch (type) {
    case QueueType::kSdma:
      return words * kWordBytes;
    case QueueType::kPm4:
      return words;
    case QueueType::kAql:
      return words / kAqlPacketWords;
  }
  return words;
}

std::uint64_t ToWords(QueueType type, std::uint64_t pointer) {
  switch (type) {
    case QueueType::kSdma:
      return pointer / kWordBytes;
    case QueueType::kPm4:
      return pointer;
    case QueueType::kAql:
      return pointer * kAqlPacketWords;
  }
  return pointer;
}

}  // namespace

const char* Name(QueueType type) {
  switch (type) {
    case QueueType::kSdma:
      return "Sdma";
    case QueueType::kPm4:
      return "Pm4";
    case QueueType::kAql:
      return "Aql";
  }
  return "?";
}

QueueMemory::QueueMemory(Gpu& on, QueueType queue_type, std::uint32_t ring_bytes,
                         BufferKind save_kind)
    : gpu(on),
      type(queue_type),
      ring(on, BufferKind::kGtt, ring_bytes),
      pointers(on, BufferKind::kGtt, kPageBytes) {
  std::memset(ring.data(), 0, ring.bytes());
  std::memset(pointers.data(), 0, pointers.bytes());
  if (type == QueueType::kSdma) return;
  end_of_pipe.emplace(on, BufferKind::kVramPrivate, EndOfPipeBytes(on.node()));
  const ContextSaveSizes sizes = ContextSaveSizesOf(on.node());
  if (sizes.mapping > 0) context_save.emplace(on, save_kind, sizes.mapping);
}

kfd_ioctl_create_queue_args QueueMemory::Arguments() const {
  kfd_ioctl_create_queue_args args{};
  args.gpu_id = gpu.id();
  args.queue_type = KfdType(type);
  args.queue_percentage = 100;
  args.queue_priority = 7;
  args.ring_base_address = ring.address();
  args.ring_size = static_cast<std::uint32_t>(ring.bytes());
  args.write_pointer_address = pointers.address() + kWritePointer;
  args.read_pointer_address = pointers.address() + kReadPointer;
  if (end_of_pipe) {
    args.eop_buffer_address = end_of_pipe->address();
    args.eop_buffer_size = end_of_pipe->bytes();
  }
  if (context_save) {
    const ContextSaveSizes sizes = ContextSaveSizesOf(gpu.node());
    args.ctx_save_restore_address = context_save->address();
    args.ctx_save_restore_size = sizes.save_restore;
    args.ctl_stack_size = sizes.control_stack;
  }
  return args;
}

Queue::Queue(QueueMemory memory, const Options& options) : memory_(std::move(memory)) {
  kfd_ioctl_create_queue_args args = memory_.Arguments();
  args.queue_percentage = options.percentage;
  args.queue_priority = options.priority;
  memory_.gpu.kfd().Do(AMDKFD_IOC_CREATE_QUEUE, args, "CREATE_QUEUE");
  id_ = args.queue_id;
  exists_ = true;
  try {
    doorbell_ = memory_.gpu.Doorbell(args.doorbell_offset);
  } catch (...) {
    Destroy();
    throw;
  }
}

Queue::~Queue() {
  if (!exists_) return;
  if (const int error = Destroy()) {
    ReportReleaseFailure(std::string("DESTROY_QUEUE ") + Name(type()), error);
  }
}

std::uint64_t Queue::Used() const {
  const std::uint64_t ring_words = memory_.ring.bytes() / kWordBytes;
  const auto* read =
      reinterpret_cast<const std::uint64_t*>(memory_.pointers.data() + QueueMemory::kReadPointer);
  // PM4 queues report 32 bits, modulo the ring or not: only the place in the ring is the same for
  // all.
  return (written_ - ToWords(type(), LoadAcquire(read))) & (ring_words - 1);
}

bool Queue::Submit(std::span<const std::uint32_t> words, const Deadline& deadline) {
  const std::uint64_t ring_words = memory_.ring.bytes() / kWordBytes;
  const std::uint64_t room = ring_words - kGapWords;
  if (words.size() > room) throw std::length_error("more packets than the ring holds");
  if (!WaitUntil([&] { return Used() + words.size() <= room; }, deadline)) return false;

  auto* const ring = memory_.ring.as<std::uint32_t>();
  const std::uint64_t first = written_ & (ring_words - 1);
  const bool header_last = type() == QueueType::kAql && !words.empty();
  for (std::size_t i = header_last ? 1 : 0; i < words.size(); ++i) {
    StoreRelease(ring + ((first + i) & (ring_words - 1)), words[i]);
  }
  if (header_last) StoreRelease(ring + first, words[0]);
  written_ += words.size();
  Ring();
  return true;
}

void Queue::Ring() {
  const std::uint64_t pointer = ToPointer(type(), written_);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  StoreRelease(
      reinterpret_cast<std::uint64_t*>(memory_.pointers.data() + QueueMemory::kWritePointer),
      pointer);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  *doorbell_ = type() == QueueType::kAql
                   ? pointer - 1
                   : pointer;  // HSA: the doorbell takes the last packet's index.
}

bool Queue::Idle() const { return Used() == 0; }

bool Queue::WaitIdle(const Deadline& deadline) const {
  return WaitUntil([this] { return Idle(); }, deadline);
}

int Queue::Update(std::uint32_t percentage, std::uint32_t priority) {
  kfd_ioctl_update_queue_args args{};
  args.queue_id = id_;
  args.ring_base_address = memory_.ring.address();
  args.ring_size = static_cast<std::uint32_t>(memory_.ring.bytes());
  args.queue_percentage = percentage;
  args.queue_priority = priority;
  return memory_.gpu.kfd().Call(AMDKFD_IOC_UPDATE_QUEUE, args);
}

int Queue::Destroy() {
  kfd_ioctl_destroy_queue_args args{};
  args.queue_id = id_;
  exists_ = false;
  return memory_.gpu.kfd().Call(AMDKFD_IOC_DESTROY_QUEUE, args);
}

}  // namespace kfdcts::gpu
