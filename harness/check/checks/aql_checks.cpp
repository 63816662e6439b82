// AQL packets that need no shader: barriers, and what becomes of a kernel that cannot be started.
#include <cstring>
#include <span>
#include <vector>

#include "harness/check/fixture.h"
#include "harness/gpu/aql_packets.h"
#include "harness/gpu/events.h"
#include "harness/gpu/queue.h"

namespace kfdcts::check {
namespace {

using gpu::AqlPacket;
using gpu::AqlSignal;
using gpu::AqlType;
using gpu::Buffer;
using gpu::BufferKind;
using gpu::Queue;
using gpu::QueueType;
using std::chrono::milliseconds;

/// Signals in GPU-visible memory.
class Signals {
 public:
  explicit Signals(gpu::Gpu& gpu) : buffer_(gpu, BufferKind::kGtt, gpu::kPageBytes) {
    std::memset(buffer_.data(), 0, buffer_.bytes());
  }
  AqlSignal* Make(std::int64_t value) {
    AqlSignal* const signal = buffer_.as<AqlSignal>() + used_++;
    signal->kind = AqlSignal::kUserSignal;
    gpu::StoreRelease(&signal->value, value);
    return signal;
  }

 private:
  Buffer buffer_;
  std::size_t used_ = 0;
};

std::uint64_t Address(const AqlSignal* signal) { return reinterpret_cast<std::uint64_t>(signal); }
std::int64_t Value(const AqlSignal* signal) { return gpu::LoadAcquire(&signal->value); }

bool Becomes(const AqlSignal* signal, std::int64_t value, milliseconds limit = gpu::kGpuTimeout) {
  return gpu::WaitUntil([=] { return Value(signal) == value; }, gpu::Deadline(limit));
}

class Aql : public GpuCheck {};
ON_EACH_GPU(Aql);

GPU_CHECK(Aql, BarrierWithoutDependenciesCompletes) {
  Signals signals(check.gpu());
  Queue queue(check.gpu(), QueueType::kAql);
  AqlSignal* const done = signals.Make(3);
  ASSERT_TRUE(queue.Submit(gpu::AqlBarrier(AqlType::kBarrierAnd, {}, Address(done))));
  EXPECT_TRUE(Becomes(done, 2)) << Value(done);
  EXPECT_TRUE(queue.WaitIdle());
}

GPU_CHECK(Aql, BarrierAndWaitsForAll) {
  Signals signals(check.gpu());
  Queue queue(check.gpu(), QueueType::kAql);
  AqlSignal* const done = signals.Make(1);
  std::vector<AqlSignal*> waits;
  std::vector<std::uint64_t> addresses;
  for (int i = 0; i < 5; ++i) {
    waits.push_back(signals.Make(1));
    addresses.push_back(Address(waits.back()));
  }
  ASSERT_TRUE(queue.Submit(gpu::AqlBarrier(AqlType::kBarrierAnd, addresses, Address(done))));
  for (AqlSignal* wait : waits) {
    EXPECT_FALSE(Becomes(done, 0, milliseconds(10)));
    gpu::StoreRelease(&wait->value, std::int64_t{0});
  }
  EXPECT_TRUE(Becomes(done, 0)) << Value(done);
}

GPU_CHECK(Aql, BarrierOrWaitsForOne) {
  for (std::size_t released = 0; released < 3; ++released) {
    Signals signals(check.gpu());
    Queue queue(check.gpu(), QueueType::kAql);
    AqlSignal* const done = signals.Make(1);
    AqlSignal* const waits[] = {signals.Make(1), signals.Make(1), signals.Make(1)};
    const std::uint64_t addresses[] = {Address(waits[0]), Address(waits[1]), Address(waits[2])};
    ASSERT_TRUE(queue.Submit(gpu::AqlBarrier(AqlType::kBarrierOr, addresses, Address(done))));
    EXPECT_FALSE(Becomes(done, 0, milliseconds(10)));
    gpu::StoreRelease(&waits[released]->value, std::int64_t{0});
    EXPECT_TRUE(Becomes(done, 0)) << "signal " << released;
  }
}

// One queue runs its packets in order, and a dependency may be another queue's completion.
GPU_CHECK(Aql, QueuesWaitForEachOther) {
  Signals signals(check.gpu());
  Queue first(check.gpu(), QueueType::kAql), second(check.gpu(), QueueType::kAql);
  AqlSignal* const gate = signals.Make(1);
  AqlSignal* const middle = signals.Make(1);
  AqlSignal* const done = signals.Make(1);
  const std::uint64_t middle_address = Address(middle), gate_address = Address(gate);
  ASSERT_TRUE(
      second.Submit(gpu::AqlBarrier(AqlType::kBarrierAnd, {&middle_address, 1}, Address(done))));
  ASSERT_TRUE(
      first.Submit(gpu::AqlBarrier(AqlType::kBarrierAnd, {&gate_address, 1}, Address(middle))));
  EXPECT_FALSE(Becomes(done, 0, milliseconds(20)));
  EXPECT_EQ(Value(middle), 1);
  gpu::StoreRelease(&gate->value, std::int64_t{0});
  EXPECT_TRUE(Becomes(done, 0));
  EXPECT_EQ(Value(middle), 0);
}

GPU_CHECK(Aql, MorePacketsThanTheRingHolds) {
  constexpr std::uint32_t kRing = 4096;
  constexpr int kPackets = 3 * kRing / 64 + 5;
  Signals signals(check.gpu());
  Queue queue(check.gpu(), QueueType::kAql, {.ring_bytes = kRing});
  AqlSignal* const left = signals.Make(kPackets);
  for (int i = 0; i < kPackets; ++i) {
    ASSERT_TRUE(queue.Submit(gpu::AqlBarrier(AqlType::kBarrierAnd, {}, Address(left))))
        << "packet " << i;
  }
  EXPECT_TRUE(Becomes(left, 0)) << Value(left);
}

GPU_CHECK(Aql, CompletionSignalsAnEvent) {
  Signals signals(check.gpu());
  const gpu::Event event(check.session().events(), KFD_IOC_EVENT_SIGNAL);
  Queue queue(check.gpu(), QueueType::kAql);
  AqlSignal* const done = signals.Make(1);
  done->event_mailbox = event.slot_address();
  done->event_id = event.trigger();
  ASSERT_TRUE(queue.Submit(gpu::AqlBarrier(AqlType::kBarrierAnd, {}, Address(done))));
  const gpu::EventWait wait = event.Wait();
  EXPECT_TRUE(wait.complete()) << "error " << wait.error << " result " << wait.result;
  EXPECT_EQ(Value(done), 0);
}

}  // namespace
}  // namespace kfdcts::check
