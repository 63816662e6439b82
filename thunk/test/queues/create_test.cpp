// What a new queue is made of, and what is refused.
#include <array>

#include "thunk/test/queues/queues_fixture.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint64_t kPage = 4096;

class CreateTest : public QueuesTest {};

struct TypeCase {
  const char* name;
  HSA_QUEUE_TYPE type;
  std::uint32_t kernels;
  bool compute;
};
constexpr std::array kTypes = {
    TypeCase{"Pm4", HSA_QUEUE_COMPUTE, KFD_IOC_QUEUE_TYPE_COMPUTE, true},
    TypeCase{"Aql", HSA_QUEUE_COMPUTE_AQL, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, true},
    TypeCase{"Sdma", HSA_QUEUE_SDMA, KFD_IOC_QUEUE_TYPE_SDMA, false},
    TypeCase{"SdmaByEngine", HSA_QUEUE_SDMA_BY_ENG_ID, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, false}};

class TypeTest : public CreateTest, public testing::WithParamInterface<TypeCase> {};

TEST_P(TypeTest, KernelGetsWhatItWants) {
  HsaQueueResource resource = stage_->Resource(GetParam().type);
  QueueRequest request = stage_->Request(GetParam().type, 2);
  request.sdma_engine = 1;
  ASSERT_EQ(queues().Create(request, resource), HSAKMT_STATUS_SUCCESS);
  const kfdcts_create_queue_args& made = kernel_.created;
  EXPECT_EQ(made.gpu_id, kernel_.machine().gpus[1].gpu_id);
  EXPECT_EQ(made.queue_type, GetParam().kernels);
  EXPECT_EQ(made.queue_percentage, 100U);
  EXPECT_EQ(made.queue_priority, 7U);
  EXPECT_EQ(made.sdma_engine_id, 1U);
  EXPECT_EQ(made.ring_base_address, reinterpret_cast<std::uintptr_t>(stage_->ring()));
  EXPECT_EQ(made.ring_size, kRingBytes);
  EXPECT_EQ(made.write_pointer_address, Copy(resource.QueueWptrValue));
  EXPECT_EQ(made.read_pointer_address, Copy(resource.QueueRptrValue));
  EXPECT_EQ(made.eop_buffer_size, GetParam().compute ? kPage : 0);
  EXPECT_EQ(made.ctl_stack_size, GetParam().compute ? 0x5000U : 0U);
  EXPECT_EQ(made.ctx_save_restore_size, GetParam().compute ? 0x1545000U : 0U);
  EXPECT_EQ(queues().Destroy(resource.QueueId), HSAKMT_STATUS_SUCCESS);
}

TEST_P(TypeTest, MemoryGoesWithTheQueue) {
  const HSA_QUEUEID first = stage_->Make(GetParam().type);
  const FakeHoldings doorbells_and_one = Holdings();
  ASSERT_EQ(queues().Destroy(first), HSAKMT_STATUS_SUCCESS);
  const FakeHoldings none = Holdings();
  EXPECT_EQ(none.queues, 0U);
  for (int i = 0; i < 20; ++i) {
    const HSA_QUEUEID queue = stage_->Make(GetParam().type);
    EXPECT_EQ(Holdings(), doorbells_and_one);
    ASSERT_EQ(queues().Destroy(queue), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Holdings(), none);
  }
}

INSTANTIATE_TEST_SUITE_P(Queues, TypeTest, testing::ValuesIn(kTypes),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_F(CreateTest, PointersAreTheThunksButForAql) {
  HsaQueueResource resource{};
  ASSERT_EQ(stage_->Create(HSA_QUEUE_SDMA, resource), HSAKMT_STATUS_SUCCESS);
  ASSERT_NE(Copy(resource.Queue_read_ptr_aql), nullptr);
  EXPECT_NE(Copy(resource.Queue_read_ptr_aql), Copy(resource.Queue_write_ptr_aql));
  EXPECT_EQ(*resource.Queue_read_ptr_aql, 0U);
  EXPECT_EQ(*resource.Queue_write_ptr_aql, 0U);
  *resource.Queue_write_ptr_aql = ~0ULL;
  EXPECT_EQ(*resource.Queue_read_ptr_aql, 0U);
  ASSERT_EQ(stage_->Create(HSA_QUEUE_COMPUTE_AQL, resource), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Copy(resource.Queue_write_ptr), stage_->pointers());
}

TEST_F(CreateTest, DoorbellsOfAGpuAreOneMapping) {
  HsaQueueResource first{};
  HsaQueueResource second{};
  HsaQueueResource elsewhere{};
  ASSERT_EQ(stage_->Create(HSA_QUEUE_SDMA, first), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(stage_->Create(HSA_QUEUE_COMPUTE, second), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(stage_->Create(HSA_QUEUE_SDMA, elsewhere, 2), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(second.QueueDoorBell - first.QueueDoorBell, 8U);
  EXPECT_EQ(first.QueueDoorBell % kPage, 0U);
  // It is the third of the process's queues.
  const std::uint64_t start = elsewhere.QueueDoorBell - 2 * 8;
  EXPECT_EQ(start % kPage, 0U);
  EXPECT_TRUE(start >= first.QueueDoorBell + 2 * kPage || start + 2 * kPage <= first.QueueDoorBell);
  *first.Queue_DoorBell_aql = 1;
}

TEST_F(CreateTest, DoorbellsStayUntilTheLastClose) {
  HsaQueueResource resource{};
  ASSERT_EQ(stage_->Create(HSA_QUEUE_SDMA, resource), HSAKMT_STATUS_SUCCESS);
  const std::uint64_t before = resource.QueueDoorBell;
  ASSERT_EQ(queues().Destroy(resource.QueueId), HSAKMT_STATUS_SUCCESS);
  *reinterpret_cast<std::uint64_t*>(before) = 1;
  kernel_.RestartCounts();
  ASSERT_EQ(stage_->Create(HSA_QUEUE_SDMA, resource), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Copy(resource.QueueDoorBell), before);
  EXPECT_EQ(kernel_.Calls(KfdCall(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)), 1U) << "the pointers' page";
}

TEST_F(CreateTest, DoorbellsAreMappedOnTheirGpu) {
  const FakeHoldings before = Holdings();
  stage_->Make(HSA_QUEUE_SDMA);
  EXPECT_EQ(Holdings().gpu_mappings - before.gpu_mappings, 2U) << "the pointers' page and they";
  stage_->Make(HSA_QUEUE_SDMA);
  EXPECT_EQ(Holdings().gpu_mappings - before.gpu_mappings, 3U) << "the second's pointers";
}

TEST_F(CreateTest, RefusedAllocationLeavesDoorbellsToTheCpu) {
  const FakeHoldings before = Holdings();
  // The doorbells' own allocation is the second, after the pointers'.
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU), 2, EINVAL);
  HsaQueueResource resource{};
  ASSERT_EQ(stage_->Create(HSA_QUEUE_SDMA, resource), HSAKMT_STATUS_SUCCESS);
  *resource.Queue_DoorBell_aql = 1;
  EXPECT_EQ(Holdings().gpu_mappings - before.gpu_mappings, 1U) << "the pointers' page";
}

TEST_F(CreateTest, RefusedMappingLeavesDoorbellsToTheCpu) {
  const FakeHoldings before = Holdings();
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_MAP_MEMORY_TO_GPU), 2, EINVAL);
  HsaQueueResource resource{};
  ASSERT_EQ(stage_->Create(HSA_QUEUE_SDMA, resource), HSAKMT_STATUS_SUCCESS);
  *resource.Queue_DoorBell_aql = 1;
  EXPECT_EQ(Holdings().buffers - before.buffers, 1U) << "the pointers' page";
}

TEST_F(CreateTest, EventAndPayloadAreInTheHeader) {
  HsaEvent event{};
  event.EventId = 77;
  volatile HSAint64 payload = 0;
  QueueRequest request = stage_->Request(HSA_QUEUE_COMPUTE);
  request.event = &event;
  HsaQueueResource resource{};
  resource.ErrorReason = &payload;
  ASSERT_EQ(queues().Create(request, resource), HSAKMT_STATUS_SUCCESS);
  const auto* header = reinterpret_cast<const HsaUserContextSaveAreaHeader*>(
      kernel_.created.ctx_save_restore_address);
  EXPECT_EQ(header->ErrorEventId, 77U);
  EXPECT_EQ(Copy(header->ErrorReason), &payload);
  EXPECT_EQ(header->DebugOffset, 0x1545000U);
  EXPECT_EQ(header->DebugSize, 0x10000U);
}

TEST_F(CreateTest, Priorities) {
  constexpr std::uint32_t kKernels[] = {0, 3, 5, 7, 9, 11, 15};
  for (int i = 0; i < 7; ++i) {
    QueueRequest request = stage_->Request(HSA_QUEUE_COMPUTE);
    request.priority = static_cast<HSA_QUEUE_PRIORITY>(i - 3);
    HsaQueueResource resource{};
    ASSERT_EQ(queues().Create(request, resource), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(kernel_.created.queue_priority, kKernels[i]);
  }
}

TEST_F(CreateTest, BadArguments) {
  HsaQueueResource resource{};
  const auto create = [&](auto change) {
    QueueRequest request = stage_->Request(HSA_QUEUE_SDMA);
    change(request);
    return queues().Create(request, resource);
  };
  using R = QueueRequest;
  const FakeHoldings before = Holdings();
  const auto priority = [](int one) { return static_cast<HSA_QUEUE_PRIORITY>(one); };
  EXPECT_EQ(create([&](R& r) { r.priority = priority(4); }), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([&](R& r) { r.priority = priority(-4); }), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](R& r) { r.node = 0; }), HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(create([](R& r) { r.node = 3; }), HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(create([](R& r) { r.type = HSA_QUEUE_DMA_AQL; }), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](R& r) { r.percentage = 101; }), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](R& r) { r.ring_bytes = 0x3000; }), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](R& r) { r.ring_bytes = 1ULL << 32U; }), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](R& r) { r.ring_bytes = 0x2000; }), HSAKMT_STATUS_INVALID_PARAMETER)
      << "half of the ring's mapping";
  EXPECT_EQ(create([](R& r) {
              r.type = HSA_QUEUE_SDMA_BY_ENG_ID;
              r.sdma_engine = 2;
            }),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](R& r) { r.type = HSA_QUEUE_SDMA_XGMI; }), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(Holdings(), before);
  EXPECT_EQ(Copy(resource.QueueId), 0U);
  EXPECT_EQ(Copy(resource.QueueWptrValue), 0U);
  EXPECT_EQ(queues().Count(), 0U);
}

TEST_F(CreateTest, AsManySdmaQueuesAsTheGpuHas) {
  for (int i = 0; i < 4; ++i) stage_->Make(HSA_QUEUE_SDMA);
  HsaQueueResource resource{};
  EXPECT_EQ(stage_->Create(HSA_QUEUE_SDMA, resource), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(stage_->Create(HSA_QUEUE_SDMA, resource, 2), HSAKMT_STATUS_SUCCESS);
}

/// A GPU of several XCCs whose sizes the kernel tells.
FakeMachine SeveralXccs() {
  FakeMachine machine = MakeFakeMachine();
  for (FakeGpu& gpu : machine.gpus) {
    gpu.xccs = 4;
    gpu.cwsr_bytes = 0x123000;
    gpu.ctl_stack_bytes = 0x3000;
    gpu.tells_cwsr = true;
  }
  return machine;
}

class SeveralXccsTest : public QueuesTest {
 protected:
  SeveralXccsTest() : QueuesTest(SeveralXccs()) {}
};

TEST_F(SeveralXccsTest, AnAreaEach) {
  stage_->Make(HSA_QUEUE_COMPUTE);
  EXPECT_EQ(kernel_.created.ctx_save_restore_size, 0x123000U);
  EXPECT_EQ(kernel_.created.ctl_stack_size, 0x3000U);
  for (std::uint32_t xcc = 0; xcc < 4; ++xcc) {
    const auto* header = reinterpret_cast<const HsaUserContextSaveAreaHeader*>(
        kernel_.created.ctx_save_restore_address + xcc * 0x123000ULL);
    EXPECT_EQ(header->DebugOffset, (4 - xcc) * 0x123000) << xcc;
    EXPECT_EQ(header->DebugSize, 4 * 0x10000U) << xcc;
  }
}

/// A GPU of before SOC15, whose doorbells have 4 bytes, and of no context save.
FakeMachine OldGpu() {
  FakeMachine machine = MakeFakeMachine(1);
  machine.gpus[0].gfx_target_version = 70000;
  machine.gpus[0].eop_bytes = 0;
  machine.gpus[0].ctl_stack_bytes = machine.gpus[0].cwsr_bytes = 0;
  machine.gpus[0].debug_memory_bytes = 0;
  return machine;
}

class OldGpuTest : public QueuesTest {
 protected:
  OldGpuTest() : QueuesTest(OldGpu()) {}
};

TEST_F(OldGpuTest, DoorbellsOfFourBytes) {
  HsaQueueResource resource{};
  ASSERT_EQ(stage_->Create(HSA_QUEUE_SDMA, resource), HSAKMT_STATUS_SUCCESS);
  const std::uint64_t first = resource.QueueDoorBell;
  ASSERT_EQ(stage_->Create(HSA_QUEUE_SDMA, resource), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(resource.QueueDoorBell - first, 4U);
}

TEST_F(OldGpuTest, NoEndOfPipeAndNothingSaved) {
  stage_->Make(HSA_QUEUE_COMPUTE);
  EXPECT_EQ(kernel_.created.eop_buffer_address, 0U);
  EXPECT_EQ(kernel_.created.eop_buffer_size, 0U);
  EXPECT_EQ(kernel_.created.ctx_save_restore_address, 0U);
  EXPECT_EQ(kernel_.created.ctl_stack_size, 0U);
}

/// GPUs that cannot ring doorbells by an address of their own.
struct OutOfReach {
  const char* name;
  std::uint32_t version;
  bool merged_apu;
};

class OutOfReachTest : public QueuesTest, public testing::WithParamInterface<OutOfReach> {
 protected:
  OutOfReachTest() : QueuesTest(Machine()) {}

 private:
  static FakeMachine Machine() {
    FakeMachine machine = MakeFakeMachine(1);
    machine.gpus[0].gfx_target_version = GetParam().version;
    machine.merged_apu = GetParam().merged_apu;
    return machine;
  }
};

TEST_P(OutOfReachTest, DoorbellsAreNotMappedOnTheGpu) {
  kernel_.RestartCounts();
  HsaQueueResource resource{};
  ASSERT_EQ(stage_->Create(HSA_QUEUE_SDMA, resource, kernel_.machine().NodeOf(0)),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.Calls(KfdCall(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)), 1U) << "the pointers' page";
  *resource.Queue_DoorBell = 1;
}

INSTANTIATE_TEST_SUITE_P(Queues, OutOfReachTest,
                         testing::Values(OutOfReach{"Tonga", 80002, false},
                                         OutOfReach{"Apu", 90000, true}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace kfdcts::thunk
