// The last GPU loses its access to a range that it has mapped.
#include <sys/mman.h>

#include "suites/support/event_log.h"
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 8;

class LastAccessTest : public SharingTest {
 protected:
  /// Nobody has access but the test's first GPU, which has mapped the range.
  void ShareAlone(const SvmMemory& memory, Placement placement) {
    std::vector<HSA_SVM_ATTRIBUTE> none;
    for (const harness::GpuNode& node : system_gpus()) none.push_back(NoAccess(node.node_id));
    ASSERT_EQ(Set(memory.All(), none), HSAKMT_STATUS_SUCCESS);
    Share(memory, placement, 1);
    ExpectGpuSees(memory, 1);
  }

  void CheckTakenAway(Placement placement) {
    const SvmMemory memory(kPages);
    ShareAlone(memory, placement);
    ASSERT_EQ(Set(memory.All(), {NoAccess(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(StateOf(memory.All()).access.at(gpu().node_id), HSA_SVM_ATTR_NO_ACCESS);
    memory.ExpectPattern(1);
    ASSERT_EQ(Set(memory.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
    ExpectGpuSees(memory, 1);
    ExpectOneMemory(memory, 1, 2);
  }
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, LastAccessTakenAwayWithRetry, LastAccessTest, kPlacements,
                 .property =
                     "the last GPU's access to a mapped range can be taken away and given "
                     "back, with the data kept; XNACK on",
                 .rules = "SVM-21", .guards = "BUG-53", .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = harness::Xnack::kOn) {
  CheckTakenAway(param().placement);
}

KFD_TEST_CASES_F(SVMRange, LastAccessTakenAwayWithoutRetry, LastAccessTest, kPlacements,
                 .property =
                     "the last GPU's access to a mapped range can be taken away and given "
                     "back, with the data kept; XNACK off",
                 .rules = "SVM-21", .guards = "BUG-53", .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = harness::Xnack::kOff) {
  CheckTakenAway(param().placement);
}

KFD_TEST_F(SVMRange, AccessTakenFromAPart, LastAccessTest,
           .property =
               "the last GPU's access taken from part of a mapped range leaves the rest to "
               "it",
           .rules = "SVM-21 SVM-5", .guards = "BUG-53", .needs = {Capability::kSvm},
           .process = Process::kFresh) {
  const SvmMemory memory(kPages);
  ShareAlone(memory, Placement::kSystem);
  ASSERT_EQ(Set(memory.Pages(3, 2), {NoAccess(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  std::vector<std::byte> seen(3 * PageSize());
  ASSERT_TRUE(Done(Work().Read(memory.Word(0), seen)));
  EXPECT_EQ(gpu::FirstMismatch(seen, 1), seen.size());
  ASSERT_TRUE(Done(Work().Write(memory.Word(5), 0x55)));
  EXPECT_EQ(gpu::LoadAcquire(memory.Word(5)), 0x55U);
}

KFD_TEST_F(SVMRange, AccessTakenAwayIsGone, LastAccessTest,
           .property =
               "after the last GPU's access was taken away its write is a memory fault; "
               "XNACK off",
           .rules = "SVM-21 SVM-18", .guards = "BUG-42", .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(kPages);
  ShareAlone(memory, Placement::kSystem);
  ASSERT_EQ(Set(memory.All(), {NoAccess(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  ExpectFault(Work().Write(memory.Word(1), 0xBAD), memory.Word(1), true);
  memory.ExpectPattern(1);
}

KFD_TEST_F(SVMRange, AccessTakenAwayFromOneOfTwo, LastAccessTest,
           .property =
               "access taken away from one of two GPUs is gone for it, and the other one "
               "goes on; XNACK off",
           .rules = "SVM-21 SVM-18", .guards = "BUG-42", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm}, .process = Process::kFresh, .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {Access(gpu(0).node_id), Access(gpu(1).node_id)}),
            HSAKMT_STATUS_SUCCESS);
  ExpectGpuSees(memory, 1, 0);
  ExpectGpuSees(memory, 1, 1);
  ASSERT_EQ(Set(memory.All(), {NoAccess(gpu(0).node_id)}), HSAKMT_STATUS_SUCCESS);
  ExpectGpuSees(memory, 1, 1);
  ASSERT_TRUE(Done(Work(1).Write(memory.Word(2), 0x600D)));
  ExpectFault(Work(0).Write(memory.Word(1), 0xBAD), memory.Word(1), true, 0);
  EXPECT_EQ(gpu::LoadAcquire(memory.Word(2)), 0x600DU);
  memory.ExpectPattern(1, 0, 2);
}

KFD_TEST_F(SVMRange, NoEvictionWithoutAccess, LastAccessTest,
           .property =
               "once no GPU has access any more, changes by the CPU stop no queue; XNACK "
               "off",
           .rules = "SVM-21", .guards = "BUG-42", .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(kPages);
  ShareAlone(memory, Placement::kSystem);
  ASSERT_EQ(Set(memory.All(), {NoAccess(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  const SvmMemory other(1);
  ASSERT_EQ(Set(other.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_TRUE(Done(Work().Write(other.Word(0), 1)));
  EventLog events(thunk(), gpu(), kQueueEvents);
  ASSERT_EQ(mprotect(memory.Word(0), memory.All().size(), PROT_READ), 0);
  ASSERT_EQ(madvise(memory.Word(0), memory.All().size(), MADV_DONTNEED), 0);
  ASSERT_TRUE(Done(Work().Write(other.Word(0), 2)));
  EXPECT_TRUE(events.All().empty()) << events.Text();
}

KFD_TEST_F(SVMRange, EvictionWithAccess, LastAccessTest,
           .property =
               "while a GPU has access, a change by the CPU stops its queues once and lets "
               "them run again; XNACK off",
           .rules = "SVM-21 SVM-15", .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(kPages);
  ShareAlone(memory, Placement::kSystem);
  EventLog events(thunk(), gpu(), kQueueEvents);
  ASSERT_EQ(mprotect(memory.Word(0), memory.All().size(), PROT_READ), 0);
  ASSERT_TRUE(events.WaitForQueuesBack()) << events.Text();
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_QUEUE_EVICTION), 1U) << events.Text();
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_QUEUE_EVICTION, IsForSvm), 1U) << events.Text();
  ExpectGpuSees(memory, 1);
}

}  // namespace kfdcts::suites
