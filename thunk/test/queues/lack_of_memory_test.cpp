// Each allocation of a queue's creation fails once: nothing stays, and then it can be made.
#include <new>

#include "thunk/test/memory/rich_kernel.h"
#include "thunk/test/queues/queues_fixture.h"

namespace kfdcts::thunk {
namespace {

/// As the API layer does.
HSAKMT_STATUS Create(QueueStage& stage, HsaQueueResource& resource) {
  try {
    return stage.Create(HSA_QUEUE_COMPUTE, resource);
  } catch (const std::bad_alloc&) {
    return HSAKMT_STATUS_NO_MEMORY;
  }
}

/// True where there is an nth allocation.
bool CreateWithout(long nth) {
  RichKernel kernel;
  {
    QueueStage stage(kernel);
    HsaQueueResource resource{};
    failing_allocations = {.left = nth};
    const HSAKMT_STATUS status = Create(stage, resource);
    const bool failed = failing_allocations.failed;
    failing_allocations = {};
    if (status != HSAKMT_STATUS_SUCCESS) {
      EXPECT_TRUE(failed);
      EXPECT_EQ(status, HSAKMT_STATUS_NO_MEMORY) << nth;
      EXPECT_EQ(stage.queues().Count(), 0U) << nth;
      EXPECT_EQ(kernel.Holdings().queues, 0U) << nth;
      EXPECT_EQ(stage.Create(HSA_QUEUE_COMPUTE, resource), HSAKMT_STATUS_SUCCESS) << nth;
    }
    EXPECT_EQ(stage.queues().Destroy(resource.QueueId), HSAKMT_STATUS_SUCCESS) << nth;
    if (!failed) return false;
  }
  EXPECT_EQ(kernel.Leftovers(), "") << nth;
  return true;
}

TEST(QueueLackOfMemory, LeavesNothing) {
  long nth = 0;
  while (CreateWithout(nth)) ASSERT_LT(++nth, 1000) << "never ends";
  EXPECT_GT(nth, 3);
}

}  // namespace
}  // namespace kfdcts::thunk
