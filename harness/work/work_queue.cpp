#include "harness/work/work_queue.h"

#include <atomic>
#include <stdexcept>
#include <string>

namespace kfdcts::harness {
namespace {

constexpr std::size_t kRingBytes = 64 * 1024;
constexpr std::uint64_t kWordBytes = sizeof(std::uint32_t);
/// Kept free, so that a full ring never looks like an empty one.
constexpr std::uint64_t kGapWords = 64;

HSA_QUEUE_TYPE TypeOf(Engine engine) {
  return engine == Engine::kSdma ? HSA_QUEUE_SDMA : HSA_QUEUE_COMPUTE;
}

/// SDMA's pointers count bytes, a compute queue's count words.
std::uint64_t PointerUnit(Engine engine) { return engine == Engine::kSdma ? kWordBytes : 1; }

}  // namespace

const char* NameOf(Engine engine) { return engine == Engine::kSdma ? "SDMA" : "PM4"; }

WorkQueue::WorkQueue(const ThunkApi& thunk, const GpuNode& gpu, Engine engine)
    : thunk_(thunk), engine_(engine), ring_(thunk, gpu, kRingBytes) {
  RequireSuccess(
      thunk.hsaKmtCreateQueue(gpu.node_id, TypeOf(engine), 100, HSA_QUEUE_PRIORITY_NORMAL,
                              ring_.data(), ring_.bytes(), nullptr, &resource_),
      std::string("hsaKmtCreateQueue(node ") + std::to_string(gpu.node_id) + ", " + NameOf(engine) +
          ")");
}

WorkQueue::~WorkQueue() { thunk_.hsaKmtDestroyQueue(resource_.QueueId); }

std::size_t WorkQueue::capacity() const { return ring_.bytes() / kWordBytes - kGapWords; }

std::uint64_t WorkQueue::Used() const {
  const std::uint64_t ring_words = ring_.bytes() / kWordBytes;
  const std::uint64_t read = gpu::LoadAcquire(resource_.Queue_read_ptr_aql) / PointerUnit(engine_);
  // Compute queues report 32 bits, modulo the ring or not: the place in the ring is the same for
  // all.
  return (written_ - read) & (ring_words - 1);
}

bool WorkQueue::Submit(std::span<const std::uint32_t> words, const gpu::Deadline& deadline) {
  if (words.size() > capacity()) throw std::length_error("more packets than the ring holds");
  if (!gpu::WaitUntil([&] { return Used() + words.size() <= capacity(); }, deadline)) return false;
  const std::uint64_t ring_words = ring_.bytes() / kWordBytes;
  auto* const ring = ring_.as<std::uint32_t>();
  for (const std::uint32_t word : words) {
    gpu::StoreRelease(ring + (written_++ & (ring_words - 1)), word);
  }
  Ring();
  return true;
}

void WorkQueue::Ring() {
  const std::uint64_t pointer = written_ * PointerUnit(engine_);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  gpu::StoreRelease(resource_.Queue_write_ptr_aql, pointer);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  gpu::StoreRelease(resource_.Queue_DoorBell_aql, pointer);
}

}  // namespace kfdcts::harness
