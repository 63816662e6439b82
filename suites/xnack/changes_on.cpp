// XNACK on: the CPU's page tables change under memory that a GPU has mapped.
#include <sys/mman.h>

#include <algorithm>

#include "suites/xnack/changes_test.h"

namespace kfdcts::suites {
namespace {

class ChangesOn : public ChangesTest {
 protected:
  /// Mapped on the test's GPU where it is, in system memory.
  void MapInSystemMemory() {
    memory_.FillPattern(kSeed);
    ASSERT_EQ(Set(memory_.All(), {Preferred(cpu_node())}), HSAKMT_STATUS_SUCCESS);
    for (std::size_t page = 0; page < kPages; ++page) {
      ASSERT_EQ(GpuRead(memory_.Word(page)), *memory_.Word(page));
    }
  }

  /// Every page was unmapped for `trigger`, and no queue was stopped.
  void ExpectUnmapOnly(EventLog& events, std::uint32_t trigger) {
    EXPECT_TRUE(events.WaitFor(KFD_SMI_EVENT_UNMAP_FROM_GPU)) << events.Text();
    EXPECT_EQ(Unmapped(events, trigger), std::string(kPages, 'u')) << events.Text();
    EXPECT_EQ(events.Count(KFD_SMI_EVENT_QUEUE_EVICTION), 0U) << events.Text();
  }

  /// A letter a page: 'u' where an event with this trigger covers it.
  std::string Unmapped(EventLog& events, std::uint32_t trigger) const {
    std::string pages(kPages, '-');
    for (const gpu::SmiEvent& event : events.All()) {
      if (event.type != KFD_SMI_EVENT_UNMAP_FROM_GPU || event.trigger != trigger) continue;
      for (std::size_t page = 0; page < kPages; ++page) {
        const auto at = reinterpret_cast<std::uintptr_t>(memory_.Word(page));
        if (at >= event.address && at < event.address + event.bytes) pages[page] = 'u';
      }
    }
    return pages;
  }
};

}  // namespace

KFD_TEST_CASES_F(XNACK, ChangeOnlyUnmaps, ChangesOn, kChanges,
                 .property =
                     "with XNACK on a change of the CPU's page tables unmaps the pages from "
                     "the GPU and stops no queue; the next access faults and sees what the "
                     "CPU sees",
                 .rules = "XNK-6 SVM-15", .needs = {Capability::kSvm}, .process = Process::kFresh,
                 .xnack = Xnack::kOn) {
  ASSERT_NO_FATAL_FAILURE(MapInSystemMemory());
  EventLog events(thunk(), gpu());
  const std::shared_ptr<void> made = param().make(memory_.All());
  ExpectUnmapOnly(events, KFD_SVM_UNMAP_TRIGGER_MMU_NOTIFY);
  ASSERT_EQ(events.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 0U);
  ExpectSameOnBothSides(param());
  EXPECT_GE(events.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 1U) << events.Text();
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_QUEUE_EVICTION), 0U) << events.Text();
}

KFD_TEST_CASES_F(XNACK, ChangeThenCpuWrite, ChangesOn, kChanges,
                 .property =
                     "what the CPU writes right after a change is what the GPU reads next, "
                     "each time",
                 .rules = "XNK-6 SVM-15", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = Xnack::kOn) {
  ASSERT_NO_FATAL_FAILURE(MapInSystemMemory());
  ChangeAndWrite(param());
}

KFD_TEST_F(XNACK, QueuesRunThroughChanges, ChangesOn,
           .property =
               "work that waits in a queue while the page tables change is neither lost nor "
               "stopped, and ends when its condition comes",
           .rules = "XNK-6", .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  ASSERT_NO_FATAL_FAILURE(MapInSystemMemory());
  const Allocation gate = Allocate(MemoryKind::kGtt, 1);
  MapToNodes(thunk(), gate.address(), gate.size(), {gpu().node_id});
  auto* const opened = static_cast<std::uint32_t*>(gate.address());
  *opened = 0;
  EventLog events(thunk(), gpu());
  const GpuWork::Ticket waits = Work().StartWaitFor(opened, 1);
  for (const Change& change : kChanges) {
    const std::shared_ptr<void> made = change.make(memory_.All());
    EXPECT_FALSE(Work().Done(waits)) << change.name;
  }
  gpu::StoreRelease(opened, 1U);
  EXPECT_TRUE(Done(Work().Finish(waits)));
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_QUEUE_EVICTION), 0U) << events.Text();
}

KFD_TEST_F(XNACK, CpuTouchOnlyUnmaps, ChangesOn,
           .property =
               "a CPU access that brings pages back from the GPU unmaps them there for a "
               "migration and stops no queue; the GPU's next access moves them again",
           .rules = "XNK-6 PRE-11", .needs = {Capability::kSvm, Capability::kPagemap},
           .process = Process::kFresh, .xnack = Xnack::kOn) {
  memory_.FillPattern(kSeed);
  ASSERT_TRUE(Done(Work().Write(memory_.Word(1), 1)));
  ASSERT_EQ(Residency(memory_.All()), "vvvvvvvv");
  EventLog events(thunk(), gpu());
  EXPECT_EQ(*memory_.Word(1), 1U);
  ExpectUnmapOnly(events, KFD_SVM_UNMAP_TRIGGER_MMU_NOTIFY_MIGRATE);
  EXPECT_EQ(Residency(memory_.All()), "mmmmmmmm");
  ASSERT_TRUE(Done(Work().Write(memory_.Word(1), 2)));
  EXPECT_EQ(Residency(memory_.All()), "vvvvvvvv");
  EXPECT_EQ(*memory_.Word(1), 2U);
  memory_.ExpectPattern(kSeed, 2, 6);
}

KFD_TEST_F(XNACK, UnmapIsReported, ChangesOn,
           .property = "munmap of pages that a GPU has mapped is reported as an unmap of just them",
           .rules = "XNK-6 SVM-14", .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  ASSERT_NO_FATAL_FAILURE(MapInSystemMemory());
  EventLog events(thunk(), gpu());
  memory_.Unmap(2, 3);
  EXPECT_TRUE(events.WaitFor(KFD_SMI_EVENT_UNMAP_FROM_GPU)) << events.Text();
  EXPECT_EQ(Unmapped(events, KFD_SVM_UNMAP_TRIGGER_UNMAP_FROM_CPU), "--uuu---") << events.Text();
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_QUEUE_EVICTION), 0U) << events.Text();
  EXPECT_EQ(GpuRead(memory_.Word(6)), *memory_.Word(6));
}

// The handling of such a fault once took its own lock a second time.
KFD_TEST_F(XNACK, FaultOnPagesSharedByFork, ChangesOn,
           .property =
               "a GPU write to a range that is half on the GPU and half shared by fork ends, "
               "with the data of both halves right",
           .rules = "XNK-6 SVM-15", .guards = "BUG-40", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  const SvmMemory memory(2 * kGranule);
  const std::size_t first = FirstGranule(memory), granule = kGranule;
  memory.FillPattern(8);
  ASSERT_EQ(Set(memory.Pages(first, granule), {Granularity(8)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_TRUE(Done(Work().Write(memory.Word(first), 1)));
  ASSERT_EQ(Residency(memory.Pages(first, granule)),
            std::string(granule / 2, 'v') + std::string(granule / 2, 'm'));
  const ForkedHolder holder;
  ASSERT_EQ(Set(memory.Pages(first, granule),
                {Granularity(9), Access(gpu().node_id), ClearFlags(HSA_SVM_FLAG_GPU_RO)}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_TRUE(Done(Work().Write(memory.Word(first + granule - 1), 2)));
  EXPECT_TRUE(Done(Work().Write(memory.Word(first), 3)));
  EXPECT_EQ(*memory.Word(first), 3U);
  EXPECT_EQ(*memory.Word(first + granule - 1), 2U);
  memory.ExpectPattern(8, first + 1, granule - 2);
}

}  // namespace kfdcts::suites
