// What is done with queues that exist.
#include <array>
#include <vector>

#include "thunk/test/queues/queues_fixture.h"

namespace kfdcts::thunk {
namespace {

class QueueCallsTest : public QueuesTest {
 protected:
  HSAKMT_STATUS Update(HSA_QUEUEID id, HSAuint32 percentage, void* ring,
                       std::uint64_t bytes = kRingBytes) {
    return queues().With(id, [&](Queue& queue) {
      return queue.Update(percentage, HSA_QUEUE_PRIORITY_HIGH, ring, bytes);
    });
  }
  HSAKMT_STATUS SetMask(HSA_QUEUEID id, std::vector<HSAuint32> mask) {
    return queues().With(id, [&](Queue& queue) { return queue.SetCuMask(mask); });
  }
  HSAKMT_STATUS Describe(HSA_QUEUEID id, HsaQueueInfo& info) {
    return queues().With(id, [&](Queue& queue) { return queue.Describe(info); });
  }
  HSAKMT_STATUS Gws(HSA_QUEUEID id, HSAuint32 count, HSAuint32* first = nullptr) {
    return queues().With(id, [&](Queue& queue) { return queue.AllocateGws(count, first); });
  }
};

TEST_F(QueueCallsTest, IdsThatAreNone) {
  const HSA_QUEUEID gone = stage_->Make(HSA_QUEUE_SDMA);
  ASSERT_EQ(queues().Destroy(gone), HSAKMT_STATUS_SUCCESS);
  HsaQueueInfo info{};
  for (const auto& [id, status] :
       std::vector<std::pair<HSA_QUEUEID, HSAKMT_STATUS>>{{0, HSAKMT_STATUS_INVALID_PARAMETER},
                                                          {gone, HSAKMT_STATUS_INVALID_HANDLE},
                                                          {1, HSAKMT_STATUS_INVALID_HANDLE}}) {
    EXPECT_EQ(queues().Destroy(id), status);
    EXPECT_EQ(Update(id, 100, stage_->ring()), status);
    EXPECT_EQ(SetMask(id, {1}), status);
    EXPECT_EQ(Describe(id, info), status);
    EXPECT_EQ(Gws(id, 1), status);
  }
}

TEST_F(QueueCallsTest, Update) {
  const HSA_QUEUEID id = stage_->Make(HSA_QUEUE_COMPUTE);
  void* const ring = stage_->Allocate(2 * kRingBytes);
  EXPECT_EQ(Update(id, 50, ring, 2 * kRingBytes), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.updated.queue_percentage, 50U);
  EXPECT_EQ(kernel_.updated.queue_priority, 11U);
  EXPECT_EQ(kernel_.updated.ring_base_address, reinterpret_cast<std::uintptr_t>(ring));
  EXPECT_EQ(kernel_.updated.ring_size, 2 * kRingBytes);
  EXPECT_EQ(Update(id, 101, ring, 2 * kRingBytes), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(Update(id, 0, ring, 1ULL << 40U), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Update(id, 0, nullptr, 0), HSAKMT_STATUS_SUCCESS) << "stops it";
}

TEST_F(QueueCallsTest, InfoOfAStoppedQueue) {
  const HSA_QUEUEID id = stage_->Make(HSA_QUEUE_COMPUTE);
  HsaQueueInfo info{};
  EXPECT_EQ(Describe(id, info), HSAKMT_STATUS_ERROR) << "it runs";
  ASSERT_EQ(Update(id, 0, stage_->ring()), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Describe(id, info), HSAKMT_STATUS_SUCCESS);
  auto* const start = reinterpret_cast<std::byte*>(kernel_.created.ctx_save_restore_address);
  EXPECT_EQ(reinterpret_cast<std::byte*>(info.SaveAreaHeader), start);
  EXPECT_EQ(reinterpret_cast<std::byte*>(info.UserContextSaveArea), start + 0x5000);
  EXPECT_EQ(reinterpret_cast<std::byte*>(info.ControlStackTop), start + 0x5000 - 0x40);
  EXPECT_EQ(Copy(info.ControlStackUsedInBytes), kFakeControlStackUsed);
  EXPECT_EQ(Copy(info.SaveAreaSizeInBytes), kFakeSaveAreaUsed);
  EXPECT_EQ(Copy(info.NumCUAssigned), 64U);
  EXPECT_EQ(info.CUMaskInfo[0], ~0U);
  EXPECT_EQ(info.CUMaskInfo[1], ~0U);
}

TEST_F(QueueCallsTest, InfoOfSdma) {
  const HSA_QUEUEID id = stage_->Make(HSA_QUEUE_SDMA);
  HsaQueueInfo info{};
  EXPECT_EQ(Describe(id, info), HSAKMT_STATUS_ERROR);
}

TEST_F(QueueCallsTest, MaskIsToldWhereItWasTaken) {
  const HSA_QUEUEID id = stage_->Make(HSA_QUEUE_COMPUTE);
  ASSERT_EQ(SetMask(id, {0x5, 0x6, 0x7}), HSAKMT_STATUS_SUCCESS);
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_SET_CU_MASK), 1, EINVAL);
  EXPECT_EQ(SetMask(id, {0x9}), HSAKMT_STATUS_ERROR);
  ASSERT_EQ(Update(id, 0, stage_->ring()), HSAKMT_STATUS_SUCCESS);
  HsaQueueInfo info{};
  ASSERT_EQ(Describe(id, info), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Copy(info.NumCUAssigned), 96U);
  EXPECT_EQ((std::array{info.CUMaskInfo[0], info.CUMaskInfo[1], info.CUMaskInfo[2]}),
            (std::array<HSAuint32, 3>{0x5, 0x6, 0x7}));
  EXPECT_EQ(SetMask(id, std::vector<HSAuint32>(40, 1)), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Describe(id, info), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Copy(info.NumCUAssigned), 1024U);
}

TEST_F(QueueCallsTest, OneQueueHasGws) {
  const HSA_QUEUEID id = stage_->Make(HSA_QUEUE_COMPUTE);
  const HSA_QUEUEID other = stage_->Make(HSA_QUEUE_COMPUTE);
  HSAuint32 first = 99;
  EXPECT_EQ(Gws(id, 64, &first), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(first, 0U);
  EXPECT_EQ(Gws(other, 64), HSAKMT_STATUS_OUT_OF_RESOURCES);
  EXPECT_EQ(Gws(id, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Gws(id, 0), HSAKMT_STATUS_INVALID_PARAMETER);
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_ALLOC_QUEUE_GWS), 1, ENODEV);
  EXPECT_EQ(Gws(id, 64), HSAKMT_STATUS_NOT_SUPPORTED);
}

TEST_F(QueueCallsTest, RefusedDestroyLeavesTheQueue) {
  const HSA_QUEUEID id = stage_->Make(HSA_QUEUE_COMPUTE);
  const FakeHoldings before = Holdings();
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_DESTROY_QUEUE), 1, ERESTART);
  EXPECT_EQ(queues().Destroy(id), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(Holdings(), before);
  EXPECT_EQ(queues().Destroy(id), HSAKMT_STATUS_SUCCESS);
}

TEST_F(QueueCallsTest, MemoryOfARunningQueueIsNotFreed) {
  const HSA_QUEUEID id = stage_->Make(HSA_QUEUE_COMPUTE);
  EXPECT_EQ(stage_->context().memory().Unmap(stage_->ring()), HSAKMT_STATUS_ERROR);
  ASSERT_EQ(queues().Destroy(id), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(stage_->context().memory().Unmap(stage_->ring()), HSAKMT_STATUS_SUCCESS);
}

}  // namespace
}  // namespace kfdcts::thunk
