// Queues over the close of their context, over a fork, in threads and with system calls that fail.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "thunk/src/context/contexts.h"
#include "thunk/test/queues/queues_fixture.h"

namespace kfdcts::thunk {
namespace {

class QueueLifeTest : public QueuesTest {};

TEST_F(QueueLifeTest, ReleaseDestroysAll) {
  const HSA_QUEUEID queue = stage_->Make(HSA_QUEUE_COMPUTE);
  stage_->Make(HSA_QUEUE_SDMA, 2);
  stage_->context().ReleaseObjects();
  EXPECT_EQ(queues().Count(), 0U);
  EXPECT_EQ(Holdings().queues, 0U);
  EXPECT_EQ(queues().Destroy(queue), HSAKMT_STATUS_INVALID_HANDLE);
}

TEST_F(QueueLifeTest, IdOfAGoneQueueIsNoOthers) {
  const HSA_QUEUEID gone = stage_->Make(HSA_QUEUE_SDMA);
  ASSERT_EQ(queues().Destroy(gone), HSAKMT_STATUS_SUCCESS);
  for (int i = 0; i < 3; ++i) EXPECT_NE(stage_->Make(HSA_QUEUE_SDMA), gone);
  EXPECT_EQ(queues().Destroy(gone), HSAKMT_STATUS_INVALID_HANDLE);
  EXPECT_EQ(queues().Count(), 3U);
}

TEST_F(QueueLifeTest, IdIsOfOneContext) {
  QueueKernel other_kernel;
  QueueStage other(other_kernel);
  const HSA_QUEUEID id = stage_->Make(HSA_QUEUE_SDMA);
  other.Make(HSA_QUEUE_SDMA);
  EXPECT_EQ(other.queues().Destroy(id), HSAKMT_STATUS_INVALID_HANDLE);
}

TEST_F(QueueLifeTest, DoorbellsAfterAClose) {
  stage_->Make(HSA_QUEUE_SDMA);
  const FakeHoldings before = Holdings();
  stage_->context().ReleaseObjects();
  EXPECT_EQ(Holdings().queues, 0U);
  EXPECT_LT(Holdings().mapped_bytes, before.mapped_bytes);
  stage_->AllocateCallersMemory();
  HsaQueueResource resource{};
  ASSERT_EQ(stage_->Create(HSA_QUEUE_SDMA, resource), HSAKMT_STATUS_SUCCESS);
  *resource.Queue_DoorBell_aql = 1;
  EXPECT_EQ(Holdings(), before);
}

TEST_F(QueueLifeTest, QueueThatDoesNotGoIsTriedAgain) {
  stage_->Make(HSA_QUEUE_SDMA);
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_DESTROY_QUEUE), 1, EPERM);
  queues().ReleaseAll();
  EXPECT_EQ(Holdings().queues, 1U);
  queues().ReleaseAll();
  EXPECT_EQ(Holdings().queues, 0U);
}

TEST_F(QueueLifeTest, HungQueueIsDropped) {
  for (const int error : {ETIME, EIO}) {
    const HSA_QUEUEID queue = stage_->Make(HSA_QUEUE_COMPUTE);
    // The fake kernel keeps a queue whose destruction it was told to fail; the real one does not.
    kernel_.FailNthOf(KfdCall(AMDKFD_IOC_DESTROY_QUEUE), 1, error);
    EXPECT_EQ(queues().Destroy(queue), HSAKMT_STATUS_ERROR);
    EXPECT_EQ(queues().Destroy(queue), HSAKMT_STATUS_INVALID_HANDLE);
    EXPECT_EQ(queues().Count(), 0U);
    const int fd = kernel_.Open("/dev/kfd", 0);
    kfd_ioctl_destroy_queue_args left{};
    EXPECT_EQ(kernel_.Ioctl(fd, AMDKFD_IOC_DESTROY_QUEUE, &left), 0);
    kernel_.Close(fd);
  }
}

TEST_F(QueueLifeTest, ChildTouchesNoQueue) {
  HsaQueueResource resource{};
  ASSERT_EQ(stage_->Create(HSA_QUEUE_COMPUTE, resource), HSAKMT_STATUS_SUCCESS);
  const pid_t child = fork();
  if (child == 0) {
    void* const doorbell_page = reinterpret_cast<void*>(resource.QueueDoorBell & ~0xfffULL);
    void* const saved = reinterpret_cast<void*>(kernel_.created.ctx_save_restore_address);
    const auto is_gone = [](void* page) { return msync(page, 4096, MS_ASYNC) != 0; };
    const bool unmapped = is_gone(doorbell_page) && is_gone(saved);
    kernel_.RestartCounts();
    stage_->context().AbandonInChild();
    const bool no_ioctl = kernel_.Calls() == 0;
    const bool forgotten = queues().Count() == 0;
    _exit((unmapped ? 0 : 1) + (no_ioctl ? 0 : 2) + (forgotten ? 0 : 4));
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(queues().Destroy(resource.QueueId), HSAKMT_STATUS_SUCCESS);
}

TEST_F(QueueLifeTest, ThreadsMakeAndDestroy) {
  std::vector<std::thread> threads;
  for (HSAuint32 thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 25; ++i) {
        const HSA_QUEUEID id = stage_->Make(HSA_QUEUE_COMPUTE, 1 + thread % 2);
        EXPECT_EQ(queues().Destroy(id), HSAKMT_STATUS_SUCCESS);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(queues().Count(), 0U);
  EXPECT_EQ(Holdings().queues, 0U);
}

TEST_F(QueueLifeTest, OneOfManyDestroysIt) {
  for (int i = 0; i < 50; ++i) {
    const HSA_QUEUEID id = stage_->Make(HSA_QUEUE_SDMA);
    std::atomic<int> succeeded = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&] {
        const HSAKMT_STATUS status = queues().Destroy(id);
        EXPECT_TRUE(status == HSAKMT_STATUS_SUCCESS || status == HSAKMT_STATUS_INVALID_HANDLE);
        if (status == HSAKMT_STATUS_SUCCESS) ++succeeded;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(succeeded, 1);
  }
}

class QueueFailureSweep : public testing::TestWithParam<std::tuple<HSA_QUEUE_TYPE, int /*errno*/>> {
 protected:
  /// Creation and destruction with the nth call failing; true where there are so many.
  bool RunOnce(std::uint64_t n) {
    const auto [type, error] = GetParam();
    QueueKernel kernel;
    bool struck = false;
    {
      QueueStage stage(kernel);
      kernel.FailNth(n, error);
      HsaQueueResource resource{};
      const HSAKMT_STATUS status = stage.Create(type, resource);
      struck = kernel.LastFailed().has_value();
      kernel.RestartCounts();
      if (status != HSAKMT_STATUS_SUCCESS) {
        EXPECT_EQ(Copy(resource.QueueId), 0U);
        EXPECT_EQ(kernel.Holdings().queues, 0U);
        EXPECT_EQ(stage.queues().Count(), 0U);
        EXPECT_EQ(stage.Create(type, resource), HSAKMT_STATUS_SUCCESS) << "afterwards";
      }
      EXPECT_EQ(stage.queues().Destroy(resource.QueueId), HSAKMT_STATUS_SUCCESS);
      stage.context().ReleaseObjects();
      EXPECT_EQ(kernel.Holdings().queues, 0U);
    }
    EXPECT_EQ(kernel.Leftovers(), "") << "call " << n;
    return struck;
  }
};

TEST_P(QueueFailureSweep, LeavesNothingHalfMade) {
  std::uint64_t n = 1;
  while (RunOnce(n)) {
    if (HasFailure()) FAIL() << "call " << n;
    ASSERT_LT(++n, 100U) << "never ends";
  }
  EXPECT_GT(n, 8U);
}

INSTANTIATE_TEST_SUITE_P(
    Queues, QueueFailureSweep,
    testing::Combine(testing::Values(HSA_QUEUE_COMPUTE, HSA_QUEUE_SDMA, HSA_QUEUE_COMPUTE_AQL),
                     testing::Values(EINVAL, ENOMEM, EPERM, EBUSY, EIO, EFAULT, ENOTTY)),
    [](const auto& one) {
      return "Type" + std::to_string(std::get<0>(one.param)) + "_" +
             strerrorname_np(std::get<1>(one.param));
    });

}  // namespace
}  // namespace kfdcts::thunk
