// Queues of each type: their life, what CREATE_QUEUE and UPDATE_QUEUE refuse, rings that wrap,
// waits that never end.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <tuple>
#include <vector>

#include "harness/check/fixture.h"
#include "harness/check/target.h"
#include "harness/gpu/queue.h"
#include "harness/gpu/runner.h"

namespace kfdcts::check {
namespace {

using gpu::AqlSignal;
using gpu::AqlType;
using gpu::Buffer;
using gpu::BufferKind;
using gpu::Pm4Packets;
using gpu::Queue;
using gpu::QueueMemory;
using gpu::QueueType;
using gpu::SdmaPackets;
using std::chrono::milliseconds;

constexpr std::uint32_t kRing = 4096;
constexpr int kENOTSUPP = 524;  // the kernel's own number, which it lets out
constexpr std::uint64_t kKernelAddress = 0xffff888000000000;

/// A type of queue on one GPU: "gpu0_Sdma".
class Queues : public MachineCheck,
               public ::testing::WithParamInterface<std::tuple<std::size_t, QueueType>> {
 public:
  gpu::Gpu& gpu() { return session().gpu(std::get<0>(GetParam())); }
  QueueType type() const { return std::get<1>(GetParam()); }
  std::string Missing() override { return NeedsGpu(std::get<0>(GetParam())); }

  /// errno of CREATE_QUEUE; a queue that comes into being is destroyed.
  int Create(kfd_ioctl_create_queue_args args) {
    const int error = session().kfd().Call(AMDKFD_IOC_CREATE_QUEUE, args);
    if (error == 0) Destroy(args.queue_id);
    return error;
  }
  int Destroy(std::uint32_t id) {
    kfd_ioctl_destroy_queue_args args{};
    args.queue_id = id;
    return session().kfd().Call(AMDKFD_IOC_DESTROY_QUEUE, args);
  }

  /// Submits something that writes `value` to `*word`, which is GPU memory.
  bool SubmitWrite(Queue& queue, std::uint32_t* word, std::uint32_t value) {
    const auto address = reinterpret_cast<std::uint64_t>(word);
    switch (type()) {
      case QueueType::kSdma:
        return queue.Submit(SdmaPackets().Fence(address, value));
      case QueueType::kPm4:
        return queue.Submit(Pm4Packets().WriteData(address, value));
      case QueueType::kAql:
        break;
    }
    // A barrier packet only decrements: from value + 1 to value.
    auto* const signal = reinterpret_cast<AqlSignal*>(address - offsetof(AqlSignal, value));
    gpu::StoreRelease(&signal->value, std::int64_t{value} + 1);
    return queue.Submit(
        gpu::AqlBarrier(AqlType::kBarrierAnd, {}, reinterpret_cast<std::uint64_t>(signal)));
  }

  /// Submits a wait for `*signal`.value to become 0.
  bool SubmitWait(Queue& queue, const AqlSignal* signal) {
    const auto address = reinterpret_cast<std::uint64_t>(signal);
    switch (type()) {
      case QueueType::kSdma:
        return queue.Submit(SdmaPackets().Poll(address + offsetof(AqlSignal, value), 0));
      case QueueType::kPm4:
        return queue.Submit(Pm4Packets().WaitRegMem(address + offsetof(AqlSignal, value), 0));
      case QueueType::kAql:
        return queue.Submit(gpu::AqlBarrier(AqlType::kBarrierAnd, {&address, 1}, 0));
    }
    return false;
  }
};

/// Those whose packets write numbers. AQL's counterpart of its check is in aql_checks.cpp.
class WordQueues : public Queues {};

std::string TypeName(const ::testing::TestParamInfo<std::tuple<std::size_t, QueueType>>& info) {
  return "gpu" + std::to_string(std::get<0>(info.param)) + "_" + gpu::Name(std::get<1>(info.param));
}

auto Types(std::initializer_list<QueueType> types) {
  return ::testing::Combine(::testing::ValuesIn(GpuOrdinals()), ::testing::ValuesIn(types));
}

INSTANTIATE_TEST_SUITE_P(, Queues, Types({QueueType::kSdma, QueueType::kPm4, QueueType::kAql}),
                         TypeName);
INSTANTIATE_TEST_SUITE_P(, WordQueues, Types({QueueType::kSdma, QueueType::kPm4}), TypeName);

/// Two signals in GPU memory: one that a queue writes, one that it waits for.
struct Words {
  explicit Words(gpu::Gpu& gpu) : buffer(gpu, BufferKind::kGtt, gpu::kPageBytes) {
    std::memset(buffer.data(), 0, buffer.bytes());
    gate()->value = 1;
  }
  std::uint32_t* word() {
    return reinterpret_cast<std::uint32_t*>(&buffer.as<AqlSignal>()[0].value);
  }
  AqlSignal* gate() { return &buffer.as<AqlSignal>()[1]; }
  bool Becomes(std::uint32_t value, milliseconds limit = gpu::kGpuTimeout) {
    return gpu::WaitUntil([&] { return gpu::LoadAcquire(word()) == value; }, gpu::Deadline(limit));
  }

  Buffer buffer;
};

GPU_CHECK(Queues, RunsWhatIsSubmitted) {
  Words words(check.gpu());
  Queue queue(check.gpu(), check.type());
  ASSERT_TRUE(check.SubmitWrite(queue, words.word(), 41));
  EXPECT_TRUE(words.Becomes(41));
  EXPECT_TRUE(queue.WaitIdle()) << "the read pointer stays behind";
  ASSERT_TRUE(check.SubmitWrite(queue, words.word(), 42));
  EXPECT_TRUE(words.Becomes(42));
  EXPECT_EQ(queue.Destroy(), 0);
}

GPU_CHECK(WordQueues, MoreWorkThanTheRingHolds) {
  constexpr std::uint32_t kWrites = 1500;
  Words words(check.gpu());
  Queue queue(check.gpu(), check.type(), {.ring_bytes = kRing});
  for (std::uint32_t i = 1; i <= kWrites; ++i) {
    ASSERT_TRUE(check.SubmitWrite(queue, words.word() + i % 3 * 4, i)) << "write " << i;
  }
  ASSERT_TRUE(queue.WaitIdle());
  EXPECT_TRUE(words.Becomes(kWrites));
  EXPECT_EQ(words.word()[4], kWrites - 2);
  EXPECT_EQ(words.word()[8], kWrites - 1);
}

GPU_CHECK(Queues, UpdateToZeroPercentStopsIt) {
  Words words(check.gpu());
  Queue queue(check.gpu(), check.type());
  ASSERT_TRUE(check.SubmitWrite(queue, words.word(), 1));
  ASSERT_TRUE(words.Becomes(1));
  ASSERT_EQ(queue.Update(0, 7), 0);
  ASSERT_TRUE(check.SubmitWrite(queue, words.word(), 10));
  EXPECT_FALSE(words.Becomes(10, milliseconds(50)));
  ASSERT_EQ(queue.Update(100, 7), 0);
  EXPECT_TRUE(words.Becomes(10));
}

GPU_CHECK(Queues, UpdateOfPriorityLetsItRun) {
  Words words(check.gpu());
  Queue queue(check.gpu(), check.type());
  for (std::uint32_t priority = 0; priority <= KFD_MAX_QUEUE_PRIORITY; priority += 5) {
    ASSERT_EQ(queue.Update(100, priority), 0);
    ASSERT_TRUE(check.SubmitWrite(queue, words.word(), 10 + priority));
    EXPECT_TRUE(words.Becomes(10 + priority)) << "priority " << priority;
  }
}

// A queue whose wait never ends can be preempted and destroyed, and the GPU goes on.
GPU_CHECK(Queues, EndlessWaitCanBeDestroyed) {
  Words words(check.gpu());
  Queue endless(check.gpu(), check.type());
  ASSERT_TRUE(check.SubmitWait(endless, words.gate()));
  Queue other(check.gpu(), check.type());
  ASSERT_TRUE(check.SubmitWrite(other, words.word(), 5));
  EXPECT_TRUE(words.Becomes(5)) << "another queue must not wait for it";
  EXPECT_FALSE(endless.Idle());
  EXPECT_EQ(endless.Destroy(), 0);
  ASSERT_TRUE(check.SubmitWrite(other, words.word(), 6));
  EXPECT_TRUE(words.Becomes(6));
}

GPU_CHECK(Queues, WaitHoldsWhatIsBehindIt) {
  Words words(check.gpu());
  Queue queue(check.gpu(), check.type());
  ASSERT_TRUE(check.SubmitWait(queue, words.gate()));
  ASSERT_TRUE(check.SubmitWrite(queue, words.word(), 5));
  EXPECT_FALSE(words.Becomes(5, milliseconds(30)));
  gpu::StoreRelease(&words.gate()->value, std::int64_t{0});
  EXPECT_TRUE(words.Becomes(5));
}

GPU_CHECK(Queues, CreateRefusesWrongNumbers) {
  ExpectKernelLog("Ring size must be a power of 2 or 0");
  ExpectKernelLog("Queue percentage must be between 0 to");
  ExpectKernelLog("Queue priority must be between 0 to");
  ExpectKernelLog("Can't access (ring base address|read pointer|write pointer)");
  const QueueMemory memory(check.gpu(), check.type(), kRing);
  const auto with = [&](auto change) {
    kfd_ioctl_create_queue_args args = memory.Arguments();
    change(args);
    return check.Create(args);
  };
  EXPECT_EQ(with([](auto&) {}), 0);
  EXPECT_EQ(with([](auto& args) { args.ring_size = 5000; }), EINVAL);
  EXPECT_EQ(with([](auto& args) { args.queue_percentage = 101; }), EINVAL);
  EXPECT_EQ(with([](auto& args) { args.queue_priority = 16; }), EINVAL);
  EXPECT_EQ(with([](auto& args) { args.queue_type = 99; }), kENOTSUPP);
  EXPECT_EQ(with([](auto& args) { args.gpu_id = 0xbad1; }), EINVAL);
  EXPECT_EQ(with([](auto& args) { args.ring_base_address = kKernelAddress; }), EFAULT);
  EXPECT_EQ(with([](auto& args) { args.read_pointer_address = kKernelAddress; }), EFAULT);
  EXPECT_EQ(with([](auto& args) { args.write_pointer_address = kKernelAddress; }), EFAULT);
}

// Each piece of memory must be a mapping of exactly the size that is needed.
GPU_CHECK(Queues, CreateRefusesMemoryThatIsNotItsOwnMapping) {
  const QueueMemory memory(check.gpu(), check.type(), 2 * kRing);
  const auto with = [&](auto change) {
    kfd_ioctl_create_queue_args args = memory.Arguments();
    change(args);
    return check.Create(args);
  };
  if (with([](auto& args) { args.ring_size = kRing; }) == 0)
    GTEST_SKIP() << "kernel does not check queue memory";
  EXPECT_EQ(with([](auto& args) { args.ring_size = kRing; }), EINVAL) << "half of the mapping";
  EXPECT_EQ(with([](auto& args) { args.ring_base_address += kRing, args.ring_size = kRing; }),
            EINVAL);
  EXPECT_EQ(with([](auto& args) { args.read_pointer_address = 0x10000000; }), EINVAL);
  EXPECT_EQ(with([](auto& args) { args.write_pointer_address = 0x10000000; }), EINVAL);
  if (check.type() == QueueType::kSdma) return;
  EXPECT_EQ(with([](auto& args) { args.eop_buffer_address = 0x10000000; }), EINVAL);
  EXPECT_EQ(with([](auto& args) { args.eop_buffer_size = 2048; }), EINVAL);
  EXPECT_EQ(with([](auto& args) { args.ctl_stack_size += 4096U; }), EINVAL);
  EXPECT_EQ(with([](auto& args) { args.ctx_save_restore_size -= 4096U; }), EINVAL);
  EXPECT_EQ(with([](auto& args) { args.ctx_save_restore_size += 4096U; }), EINVAL);
  EXPECT_EQ(with([](auto& args) { args.ctx_save_restore_address += 4096U; }), EINVAL);
}

GPU_CHECK(Queues, UpdateRefusesWrongNumbers) {
  ExpectKernelLog("Queue percentage must be between 0 to");
  ExpectKernelLog("Queue priority must be between 0 to");
  Words words(check.gpu());
  Queue queue(check.gpu(), check.type());
  EXPECT_EQ(queue.Update(101, 7), EINVAL);
  EXPECT_EQ(queue.Update(100, 16), EINVAL);
  kfd_ioctl_update_queue_args unknown{};
  unknown.queue_id = 77;
  EXPECT_EQ(check.session().kfd().Call(AMDKFD_IOC_UPDATE_QUEUE, unknown), EFAULT);
  ASSERT_TRUE(check.SubmitWrite(queue, words.word(), 9));
  EXPECT_TRUE(words.Becomes(9)) << "the queue is as before";
}

GPU_CHECK(Queues, DestroyOfNoQueueIsEINVAL) {
  ExpectKernelLog("Queue id does not match any known queue");
  Queue queue(check.gpu(), check.type());
  const std::uint32_t id = queue.id();
  EXPECT_EQ(queue.Destroy(), 0);
  EXPECT_EQ(check.Destroy(id), EINVAL);
  EXPECT_EQ(check.Destroy(77), EINVAL);
}

class Doorbells : public GpuCheck {};
ON_EACH_GPU(Doorbells);

GPU_CHECK(Doorbells, AreMappedAsAWhole) {
  const QueueMemory memory(check.gpu(), QueueType::kSdma, kRing);
  kfd_ioctl_create_queue_args args = memory.Arguments();
  ASSERT_EQ(check.session().kfd().Call(AMDKFD_IOC_CREATE_QUEUE, args), 0);
  const std::uint64_t bytes = check.gpu().DoorbellBytes();
  const auto map_error = [&](std::uint64_t size, std::uint64_t offset) {
    void* map = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, check.session().kfd().fd(),
                     static_cast<off_t>(offset));
    if (map == MAP_FAILED) return errno;
    munmap(map, size);
    return 0;
  };
  const std::uint64_t offset = args.doorbell_offset & ~(bytes - 1);
  EXPECT_EQ(map_error(bytes, offset), 0);
  EXPECT_EQ(map_error(bytes / 2, offset), EINVAL);
  EXPECT_EQ(map_error(2 * bytes, offset), EINVAL);
  constexpr std::uint64_t kGpuIdShift = 46, kGpuIdMask = 0xffffULL << kGpuIdShift;
  EXPECT_EQ(map_error(bytes, (offset & ~kGpuIdMask) | 0xbad1ULL << kGpuIdShift), ENODEV);
  kfd_ioctl_destroy_queue_args destroy{};
  destroy.queue_id = args.queue_id;
  EXPECT_EQ(check.session().kfd().Call(AMDKFD_IOC_DESTROY_QUEUE, destroy), 0);
}

class SdmaLimit : public GpuCheck {};
ON_EACH_GPU(SdmaLimit);

// SDMA queues are slots of the hardware: as many as the topology says, and one more is ENOMEM. All
// of them run.
GPU_CHECK(SdmaLimit, AllSlotsAndNoMore) {
  ExpectKernelLog("No more SDMA queue to allocate");
  ExpectKernelLog("DQM create queue type .* failed. ret -12");
  ExpectKernelLog("DQM create queue failed");
  const auto& node = check.gpu().node();
  const std::uint64_t slots =
      node.Property("num_sdma_engines") * node.Property("num_sdma_queues_per_engine");
  ASSERT_GT(slots, 0U);
  std::vector<std::unique_ptr<gpu::SdmaRunner>> runners;
  for (std::uint64_t i = 0; i < slots; ++i) {
    runners.push_back(std::make_unique<gpu::SdmaRunner>(check.session(), check.gpu()));
  }
  const QueueMemory memory(check.gpu(), QueueType::kSdma, kRing);
  kfd_ioctl_create_queue_args args = memory.Arguments();
  EXPECT_EQ(check.session().kfd().Call(AMDKFD_IOC_CREATE_QUEUE, args), ENOMEM);
  std::vector<std::uint32_t> tickets;
  for (auto& runner : runners) tickets.push_back(runner->Start(SdmaPackets().Nop()));
  for (std::size_t i = 0; i < runners.size(); ++i) ASSERT_DONE(runners[i]->Finish(tickets[i]));
}

}  // namespace
}  // namespace kfdcts::check
