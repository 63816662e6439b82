// Ranges with GPU_ALWAYS_MAPPED, XNACK on.
#include <sys/mman.h>

#include "suites/xnack/change.h"
#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 8;

class AlwaysMapped : public XnackTest {
 protected:
  /// Mapped on the test's GPU, in system memory; no page of it is to fault any more.
  void Map(HSA_SVM_ATTRIBUTE access) {
    memory_.FillPattern(7);
    ASSERT_EQ(Set(memory_.All(),
                  {Preferred(cpu_node()), access, SetFlags(HSA_SVM_FLAG_GPU_ALWAYS_MAPPED)}),
              HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(GpuRead(memory_.Word(0)), *memory_.Word(0));
  }

  SvmMemory& memory_ = Own(kPages);
};

}  // namespace

KFD_TEST_CASES_F(XNACK, AlwaysMappedStopsQueues, AlwaysMapped, kChanges,
                 .property =
                     "a change under a range with GPU_ALWAYS_MAPPED stops the queues and maps "
                     "it anew, as with XNACK off: no later access faults",
                 .rules = "XNK-10", .needs = {Capability::kSvm}, .process = Process::kFresh,
                 .xnack = Xnack::kOn) {
  ASSERT_NO_FATAL_FAILURE(Map(AccessInPlace(gpu().node_id)));
  EventLog events(thunk(), gpu());
  const std::shared_ptr<void> made = param().make(memory_.All());
  EXPECT_TRUE(events.WaitForQueuesBack()) << events.Text();
  EXPECT_GE(events.Count(KFD_SMI_EVENT_QUEUE_EVICTION), 1U) << events.Text();
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_UNMAP_FROM_GPU), 0U) << events.Text();
  for (std::size_t page = 0; page < kPages; ++page) {
    EXPECT_EQ(GpuRead(memory_.Word(page) + 3), memory_.Word(page)[3]) << page;
  }
  ASSERT_TRUE(Done(Work().Write(memory_.Word(2), 0x77)));
  EXPECT_EQ(*memory_.Word(2), 0x77U);
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 0U) << events.Text();
}

KFD_TEST_F(XNACK, AlwaysMappedMapsInPlaceAtOnce, AlwaysMapped,
           .property = "a range with GPU_ALWAYS_MAPPED is mapped on GPUs with IN_PLACE by the set",
           .rules = "XNK-10 XNK-9", .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  Work();
  EventLog events(thunk(), gpu());
  ASSERT_NO_FATAL_FAILURE(Map(AccessInPlace(gpu().node_id)));
  ASSERT_TRUE(Done(Work().Write(memory_.Word(2), 0x77)));
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 0U) << events.Text();
}

KFD_TEST_F(XNACK, AlwaysMappedMapsAccessAtOnce, AlwaysMapped,
           .property = "a range with GPU_ALWAYS_MAPPED is mapped on GPUs with ACCESS by the set",
           .rules = "XNK-10 XNK-9", .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  Work();
  EventLog events(thunk(), gpu());
  ASSERT_NO_FATAL_FAILURE(Map(Access(gpu().node_id)));
  ASSERT_TRUE(Done(Work().Write(memory_.Word(2), 0x77)));
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 0U) << events.Text();
}

// Without the flag each change unmaps such memory, and a copy under way faults.
KFD_TEST_F(XNACK, AlwaysMappedCopiesThroughChanges, AlwaysMapped,
           .property =
               "copies of pinned memory go on through changes of its protection without a "
               "page fault",
           .rules = "XNK-10", .guards = "BUG-16", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm}, .process = Process::kFresh, .xnack = Xnack::kOn) {
  ASSERT_NO_FATAL_FAILURE(Map(AccessInPlace(gpu().node_id)));
  const Allocation target = Allocate(MemoryKind::kGtt, kPages);
  MapToNodes(thunk(), target.address(), target.size(), {gpu().node_id});
  EventLog events(thunk(), gpu());
  const auto source = memory_.All();
  for (int round = 0; round < 20; ++round) {
    const GpuWork::Ticket copy = Work().StartCopy(target.address(), source.data(), source.size());
    ASSERT_EQ(mprotect(source.data(), source.size(), PROT_READ), 0);
    ASSERT_EQ(mprotect(source.data(), source.size(), PROT_READ | PROT_WRITE), 0);
    ASSERT_TRUE(Done(Work().Finish(copy)));
    ASSERT_EQ(memcmp(target.address(), source.data(), source.size()), 0) << round;
    events.All();
  }
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 0U) << events.Text();
}

}  // namespace kfdcts::suites
