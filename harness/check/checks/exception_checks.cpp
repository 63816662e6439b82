// What the GPU cannot execute is an exception of its queue, and never a completion.
#include <cstring>

#include <gmock/gmock.h>

#include "harness/check/fixture.h"
#include "harness/gpu/aql_packets.h"
#include "harness/gpu/queue.h"

namespace kfdcts::check {
namespace {

using gpu::AqlSignal;
using gpu::AqlType;
using gpu::Buffer;
using gpu::BufferKind;
using gpu::Queue;
using gpu::QueueMemory;
using gpu::QueueType;

class Exceptions : public GpuCheck {};
ON_EACH_GPU(Exceptions);

/// A kernel without code, its completion signal, and what is behind it in the queue.
struct Dispatch {
  explicit Dispatch(gpu::Gpu& gpu) : signals(gpu, BufferKind::kGtt, gpu::kPageBytes) {
    std::memset(signals.data(), 0, signals.bytes());
    completion()->value = behind()->value = 1;
  }
  AqlSignal* completion() { return signals.as<AqlSignal>(); }
  AqlSignal* behind() { return signals.as<AqlSignal>() + 1; }
  bool Submit(Queue& queue) {
    return queue.Submit(gpu::AqlDispatch(0, 0, reinterpret_cast<std::uint64_t>(completion()))) &&
           queue.Submit(gpu::AqlBarrier(AqlType::kBarrierAnd, {},
                                        reinterpret_cast<std::uint64_t>(behind())));
  }
  void ExpectNothingCompleted() {
    EXPECT_EQ(gpu::LoadAcquire(&completion()->value), 1) << "a kernel that never ran completed";
    EXPECT_EQ(gpu::LoadAcquire(&behind()->value), 1) << "the queue went on";
  }

  Buffer signals;
};

void ExpectExceptionLog() { ExpectKernelLog("Illegal opcode in command stream"); }

// Kernels with the runtime interface write the reason through the context save area's header and
// set an event.
GPU_CHECK(Exceptions, DispatchWithoutCodeIsToldToTheRuntime) {
  SKIP_UNLESS(NeedsIoctl(check.session().kfd(), AMDKFD_IOC_RUNTIME_ENABLE, "RUNTIME_ENABLE"));
  ExpectExceptionLog();
  const gpu::Event event(check.session().events(), KFD_IOC_EVENT_SIGNAL);
  kfd_ioctl_runtime_enable_args runtime{};
  runtime.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK;
  ASSERT_EQ(check.session().kfd().Call(AMDKFD_IOC_RUNTIME_ENABLE, runtime), 0);
  EXPECT_EQ(check.session().kfd().Call(AMDKFD_IOC_RUNTIME_ENABLE, runtime), EBUSY);

  Dispatch dispatch(check.gpu());
  QueueMemory memory(check.gpu(), QueueType::kAql, 4096, BufferKind::kGtt);
  std::uint64_t payload = 0;
  auto* const header = memory.context_save->as<kfd_context_save_area_header>();
  header->err_payload_addr = reinterpret_cast<std::uint64_t>(&payload);
  header->err_event_id = event.id();
  Queue queue(std::move(memory), {});
  ASSERT_TRUE(dispatch.Submit(queue));
  const gpu::EventWait wait = event.Wait();
  EXPECT_TRUE(wait.complete()) << "error " << wait.error << ", result " << wait.result;
  EXPECT_THAT(gpu::LoadAcquire(&payload),
              ::testing::AnyOf(KFD_EC_MASK(EC_QUEUE_PACKET_UNSUPPORTED),
                               KFD_EC_MASK(EC_QUEUE_PACKET_DISPATCH_CODE_INVALID)));
  dispatch.ExpectNothingCompleted();
  EXPECT_EQ(queue.Destroy(), 0);
}

// Older kernels set the hardware exception event, without data.
GPU_CHECK(Exceptions, DispatchWithoutCodeIsAHardwareException) {
  if (NeedsIoctl(check.session().kfd(), AMDKFD_IOC_RUNTIME_ENABLE, "").empty()) {
    GTEST_SKIP() << "kernel tells the runtime instead";
  }
  const gpu::Event event(check.session().events(), KFD_IOC_EVENT_HW_EXCEPTION);
  Dispatch dispatch(check.gpu());
  Queue queue(check.gpu(), QueueType::kAql);
  ASSERT_TRUE(dispatch.Submit(queue));
  const gpu::EventWait wait = event.Wait();
  EXPECT_TRUE(wait.complete()) << "error " << wait.error << ", result " << wait.result;
  EXPECT_EQ(wait.data[0].hw_exception_data.memory_lost, 0U);
  EXPECT_EQ(wait.data[0].hw_exception_data.reset_cause, 0U);
  dispatch.ExpectNothingCompleted();
  EXPECT_EQ(queue.Destroy(), 0);
}

// Other queues of the process go on.
GPU_CHECK(Exceptions, OtherQueuesGoOn) {
  ExpectExceptionLog();
  const gpu::Event event(check.session().events(),
                         KFD_IOC_EVENT_HW_EXCEPTION);  // else older kernels send SIGTERM
  Dispatch dispatch(check.gpu());
  Queue queue(check.gpu(), QueueType::kAql), other(check.gpu(), QueueType::kAql);
  ASSERT_TRUE(dispatch.Submit(queue));
  Buffer buffer(check.gpu(), BufferKind::kGtt, gpu::kPageBytes);
  auto* const signal = buffer.as<AqlSignal>();
  *signal = {};
  signal->value = 1;
  ASSERT_TRUE(other.Submit(gpu::AqlBarrier(AqlType::kBarrierAnd, {}, buffer.address())));
  EXPECT_TRUE(gpu::WaitUntil([&] { return gpu::LoadAcquire(&signal->value) == 0; }));
  dispatch.ExpectNothingCompleted();
}

}  // namespace
}  // namespace kfdcts::check
