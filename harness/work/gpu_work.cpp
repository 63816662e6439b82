#include "harness/work/gpu_work.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "harness/work/exception_events.h"
#include "harness/work/thunk_memory.h"

namespace kfdcts::harness {
namespace {

constexpr std::size_t kStagingBytes = 64 * 1024;
constexpr std::size_t kWordsOfWrite = 2048;

std::uint64_t AddressOf(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

}  // namespace

class GpuWork::State {
 public:
  State(const ThunkApi& thunk, const GpuNode& node, Engine on)
      : gpu(node),
        engine(on),
        staging(thunk, node, kStagingBytes),
        fence(thunk, node, sizeof(std::uint32_t)),
        exceptions(thunk, node.node_id),
        queue(thunk, node, on) {}

  WorkPackets Packets() const { return WorkPackets(gpu, engine); }

  Ticket Submit(WorkPackets packets) {
    packets.Fence(fence.address(), ++last);
    if (!queue.Submit(packets.words(), gpu::Deadline(gpu::kGpuTimeout))) {
      --last;
      throw std::runtime_error(std::string("the ring of a ") + NameOf(engine) +
                               " queue is full of work that does not end");
    }
    return last;
  }

  const GpuNode gpu;
  const Engine engine;
  ThunkMemory staging, fence;
  ExceptionEvents exceptions;
  WorkQueue queue;  // last: nothing writes to the memory once it is destroyed
  Ticket last = 0;
};

GpuWork::GpuWork(const ThunkApi& thunk, const GpuNode& gpu, Engine engine)
    : state_(std::make_unique<State>(thunk, gpu, engine)) {}

GpuWork::~GpuWork() = default;

const GpuNode& GpuWork::gpu() const { return state_->gpu; }
Engine GpuWork::engine() const { return state_->engine; }
HSA_QUEUEID GpuWork::queue_id() const { return state_->queue.id(); }

WorkResult GpuWork::Write(void* address, std::uint32_t value) {
  return Finish(StartWrite(address, value));
}

WorkResult GpuWork::Write(void* address, std::span<const std::uint32_t> values) {
  Ticket ticket = state_->last;
  for (std::size_t done = 0; done < values.size(); done += kWordsOfWrite) {
    const auto part = values.subspan(done, std::min(kWordsOfWrite, values.size() - done));
    ticket = state_->Submit(
        state_->Packets().Write(AddressOf(address) + done * sizeof(values[0]), part));
  }
  return Finish(ticket);
}

WorkResult GpuWork::Fill(void* address, std::uint32_t value, std::size_t bytes) {
  return Finish(StartFill(address, value, bytes));
}

WorkResult GpuWork::Copy(void* destination, const void* source, std::size_t bytes) {
  return Finish(StartCopy(destination, source, bytes));
}

WorkResult GpuWork::Read(const void* address, std::uint32_t& value) {
  std::uint32_t read = 0;
  const WorkResult result = Read(address, std::as_writable_bytes(std::span(&read, 1)));
  if (result) value = read;
  return result;
}

WorkResult GpuWork::Read(const void* address, std::span<std::byte> out) {
  WorkResult result{WorkResult::End::kDone, {}};
  for (std::size_t done = 0; done < out.size() && result; done += kStagingBytes) {
    const std::size_t part = std::min(kStagingBytes, out.size() - done);
    result = Copy(state_->staging.data(), static_cast<const std::byte*>(address) + done, part);
    if (result) std::memcpy(out.data() + done, state_->staging.data(), part);
  }
  return result;
}

WorkResult GpuWork::Atomic(AtomicOp op, void* address, std::uint64_t operand,
                           std::uint64_t compare) {
  return Finish(StartAtomic(op, address, operand, compare));
}

GpuWork::Ticket GpuWork::StartWrite(void* address, std::uint32_t value) {
  return state_->Submit(state_->Packets().Write(AddressOf(address), {&value, 1}));
}

GpuWork::Ticket GpuWork::StartFill(void* address, std::uint32_t value, std::size_t bytes) {
  return state_->Submit(state_->Packets().Fill(AddressOf(address), value, bytes));
}

GpuWork::Ticket GpuWork::StartCopy(void* destination, const void* source, std::size_t bytes) {
  return state_->Submit(state_->Packets().Copy(AddressOf(destination), AddressOf(source), bytes));
}

GpuWork::Ticket GpuWork::StartAtomic(AtomicOp op, void* address, std::uint64_t operand,
                                     std::uint64_t compare) {
  return state_->Submit(state_->Packets().Atomic(op, AddressOf(address), operand, compare));
}

GpuWork::Ticket GpuWork::StartWaitFor(const void* address, std::uint32_t value) {
  return state_->Submit(state_->Packets().WaitFor(AddressOf(address), value));
}

bool GpuWork::Done(Ticket ticket) const {
  const std::uint32_t reached = gpu::LoadAcquire(state_->fence.as<std::uint32_t>());
  return static_cast<std::int32_t>(reached - ticket) >= 0;
}

WorkResult GpuWork::Finish(Ticket ticket, const gpu::Deadline& deadline) {
  gpu::Backoff backoff;
  while (!Done(ticket)) {
    if (const auto exception = state_->exceptions.Take()) return *exception;
    if (deadline.expired())
      return {Done(ticket) ? WorkResult::End::kDone : WorkResult::End::kTimeout, {}};
    backoff.Pause();
  }
  return {WorkResult::End::kDone, {}};
}

}  // namespace kfdcts::harness
