// XNACK off: the CPU's page tables change under memory that a GPU has mapped.
#include <sys/mman.h>

#include <vector>

#include "suites/xnack/changes_test.h"

namespace kfdcts::suites {
namespace {

class ChangesOff : public ChangesTest {
 protected:
  void MapInSystemMemory() {
    memory_.FillPattern(kSeed);
    ASSERT_EQ(Set(memory_.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(GpuRead(memory_.Word(0)), *memory_.Word(0));
  }

  /// Queues were stopped for SVM and for nothing else, and run again.
  static void ExpectEvictionAndRestore(EventLog& events) {
    EXPECT_TRUE(events.WaitForQueuesBack()) << events.Text();
    EXPECT_GE(events.Count(KFD_SMI_EVENT_QUEUE_EVICTION), 1U) << events.Text();
    EXPECT_EQ(events.Count(KFD_SMI_EVENT_QUEUE_EVICTION,
                           [](const gpu::SmiEvent& event) {
                             return event.trigger != KFD_QUEUE_EVICTION_TRIGGER_SVM;
                           }),
              0U)
        << events.Text();
    EXPECT_EQ(events.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 0U) << events.Text();
  }
};

}  // namespace

KFD_TEST_CASES_F(XNACK, ChangeStopsQueues, ChangesOff, kChanges,
                 .property =
                     "with XNACK off a change of the CPU's page tables stops the queues, "
                     "maps the memory anew and starts them; the GPU sees what the CPU sees",
                 .rules = "XNK-7 SVM-15", .needs = {Capability::kSvm}, .process = Process::kFresh,
                 .xnack = Xnack::kOff) {
  ASSERT_NO_FATAL_FAILURE(MapInSystemMemory());
  EventLog events(thunk(), gpu());
  const std::shared_ptr<void> made = param().make(memory_.All());
  ExpectEvictionAndRestore(events);
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_UNMAP_FROM_GPU), 0U) << events.Text();
  ExpectSameOnBothSides(param());
}

KFD_TEST_CASES_F(XNACK, NoStalePage, ChangesOff, kChanges,
                 .property =
                     "what the CPU writes right after a change is what the GPU reads next, "
                     "though the queues may just be coming back",
                 .rules = "XNK-7 SVM-15", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = Xnack::kOff) {
  ASSERT_NO_FATAL_FAILURE(MapInSystemMemory());
  ChangeAndWrite(param());
}

KFD_TEST_F(XNACK, WaitingWorkOutlivesEviction, ChangesOff,
           .property =
               "work that waits in a queue when the queues are stopped goes on when they are "
               "back, and ends when its condition comes",
           .rules = "XNK-7", .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = Xnack::kOff) {
  ASSERT_NO_FATAL_FAILURE(MapInSystemMemory());
  const Allocation gate = Allocate(MemoryKind::kGtt, 1);
  MapToNodes(thunk(), gate.address(), gate.size(), {gpu().node_id});
  auto* const opened = static_cast<std::uint32_t*>(gate.address());
  *opened = 0;
  EventLog events(thunk(), gpu());
  const GpuWork::Ticket waits = Work().StartWaitFor(opened, 1);
  ASSERT_EQ(madvise(memory_.All().data(), memory_.All().size(), MADV_DONTNEED), 0);
  ExpectEvictionAndRestore(events);
  EXPECT_FALSE(Work().Done(waits));
  gpu::StoreRelease(opened, 1U);
  EXPECT_TRUE(Done(Work().Finish(waits)));
}

KFD_TEST_F(XNACK, CpuTouchStopsQueues, ChangesOff,
           .property =
               "a CPU access that brings pages back from the GPU stops the queues and maps "
               "the pages where they are then",
           .rules = "XNK-7 PRE-11", .needs = {Capability::kSvm, Capability::kPagemap},
           .process = Process::kFresh, .xnack = Xnack::kOff) {
  memory_.FillPattern(kSeed);
  ASSERT_EQ(Set(memory_.All(), {Access(gpu().node_id), Prefetch(gpu().node_id)}),
            HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Residency(memory_.All()), "vvvvvvvv");
  ASSERT_TRUE(Done(Work().Write(memory_.Word(1), 1)));
  EventLog events(thunk(), gpu());
  EXPECT_EQ(*memory_.Word(1), 1U);
  ExpectEvictionAndRestore(events);
  EXPECT_EQ(Residency(memory_.All()), "mmmmmmmm");
  ASSERT_TRUE(Done(Work().Write(memory_.Word(1), 2)));
  EXPECT_EQ(*memory_.Word(1), 2U);
  EXPECT_EQ(Residency(memory_.All()), "mmmmmmmm") << "without XNACK an access moves nothing";
  memory_.ExpectPattern(kSeed, 2, 6);
}

// A storm of these once ended in the firmware's refusal to take a queue off, and a reset.
KFD_TEST_F(XNACK, StormOfEvictions, ChangesOff,
           .property =
               "many queues outlive many changes: each eviction has its restore, and every "
               "queue works in the end",
           .rules = "XNK-7", .guards = "BUG-44", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm}, .process = Process::kFresh, .xnack = Xnack::kOff,
           .time_limit = std::chrono::seconds(120), .labels = "reset") {
  ASSERT_NO_FATAL_FAILURE(MapInSystemMemory());
  std::vector<std::unique_ptr<GpuWork>> queues;
  for (const Engine engine : {Engine::kSdma, Engine::kPm4, Engine::kSdma, Engine::kPm4}) {
    queues.push_back(std::make_unique<GpuWork>(thunk(), gpu(), engine));
  }
  EventLog events(thunk(), gpu());
  for (std::uint32_t round = 1; round <= 20; ++round) {
    std::vector<GpuWork::Ticket> tickets;
    for (std::size_t i = 0; i < queues.size(); ++i) {
      tickets.push_back(queues[i]->StartAtomic(AtomicOp::kAdd32, memory_.Word(i), 1));
    }
    ASSERT_EQ(mprotect(memory_.All().data(), memory_.All().size(), PROT_READ), 0);
    ASSERT_EQ(mprotect(memory_.All().data(), memory_.All().size(), PROT_READ | PROT_WRITE), 0);
    for (std::size_t i = 0; i < queues.size(); ++i)
      ASSERT_TRUE(Done(queues[i]->Finish(tickets[i])));
    events.All();
  }
  EXPECT_TRUE(events.WaitForQueuesBack()) << events.Text();
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_QUEUE_RESTORE, IsBack),
            events.Count(KFD_SMI_EVENT_QUEUE_EVICTION));
  for (std::size_t i = 0; i < queues.size(); ++i) {
    EXPECT_TRUE(Done(queues[i]->Write(memory_.Word(i), 42)));
    EXPECT_EQ(*memory_.Word(i), 42U);
  }
}

KFD_TEST_F(XNACK, RevokedRangeStopsNoQueue, ChangesOff,
           .property =
               "after the last access was taken away a change of the page tables stops no "
               "queue",
           .rules = "XNK-7 SVM-21", .guards = "BUG-42", .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = Xnack::kOff) {
  ASSERT_NO_FATAL_FAILURE(MapInSystemMemory());
  ASSERT_EQ(Set(memory_.All(), {NoAccess(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  EventLog events(thunk(), gpu());
  ASSERT_EQ(madvise(memory_.All().data(), memory_.All().size(), MADV_DONTNEED), 0);
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_QUEUE_EVICTION), 0U) << events.Text();
}

}  // namespace kfdcts::suites
