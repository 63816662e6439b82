// The mode of a process that has queues.
#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {
namespace {

struct QueueCase {
  std::string_view name;
  Engine engine;
  bool same;  ///< The mode that the process has already.
};

constexpr QueueCase kQueues[] = {
    {"sdma_other_mode", Engine::kSdma, false},
    {"sdma_same_mode", Engine::kSdma, true},
    {"pm4_other_mode", Engine::kPm4, false},
    {"pm4_same_mode", Engine::kPm4, true},
};

}  // namespace

KFD_TEST_CASES_F(XNACK, QueuesKeepTheMode, XnackTest, kQueues,
                 .property =
                     "with a queue the mode cannot be set, not even to what it is; after "
                     "the queue's end it can",
                 .rules = "XNK-2", .needs = {Capability::kSvm}, .process = Process::kFresh) {
  const HSAint32 before = Mode();
  const HSAint32 asked = param().same ? before : 1 - before;
  Work(0, param().engine);
  EXPECT_EQ(thunk().hsaKmtSetXNACKMode(asked), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(Mode(), before);
  EndWork();
  EXPECT_EQ(thunk().hsaKmtSetXNACKMode(before), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(thunk().hsaKmtSetXNACKMode(0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Mode(), 0);
}

KFD_TEST_F(XNACK, QueueOfAnotherGpuKeepsTheMode, XnackTest,
           .property = "a queue of any GPU keeps the mode until the last one is gone",
           .rules = "XNK-2", .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm},
           .process = Process::kFresh) {
  auto first = std::make_unique<GpuWork>(thunk(), gpu(0));
  auto second = std::make_unique<GpuWork>(thunk(), gpu(1));
  first.reset();
  EXPECT_EQ(thunk().hsaKmtSetXNACKMode(0), HSAKMT_STATUS_ERROR);
  second.reset();
  EXPECT_EQ(thunk().hsaKmtSetXNACKMode(0), HSAKMT_STATUS_SUCCESS);
}

}  // namespace kfdcts::suites
