// A retry fault that the kernel hears of late.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "suites/races/race_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 8;

/// What becomes of the page while its fault is held.
enum class Fate { kGone, kNew, kNewReadOnly, kRegistered, kRevoked, kMoved };

struct HeldCase {
  std::string_view name;
  Fate fate;
  bool had_range;  ///< The GPU had the page mapped once.
  bool is_fault;   ///< How the access is to end.
};

constexpr HeldCase kHeld[] = {
    {"munmap_of_a_range", Fate::kGone, true, true},
    {"munmap_without_range", Fate::kGone, false, true},
    {"address_used_again_of_a_range", Fate::kNew, true, false},
    {"address_used_again_without_range", Fate::kNew, false, false},
    {"read_only_now", Fate::kNewReadOnly, true, true},
    {"set_meanwhile", Fate::kRegistered, false, false},
    {"set_again_meanwhile", Fate::kRegistered, true, false},
    {"access_revoked", Fate::kRevoked, true, true},
    {"moved_by_mremap", Fate::kMoved, true, true},
};

class HeldFault : public RaceTest {
 protected:
  void Befall(Fate fate) {
    const auto all = memory_.All();
    switch (fate) {
      case Fate::kGone:
        memory_.Unmap(0, kPages);
        break;
      case Fate::kNew:
        MapAnew(all);
        break;
      case Fate::kNewReadOnly:
        MapAnew(all, PROT_READ);
        break;
      case Fate::kRegistered:
        ASSERT_EQ(Set(all, {Preferred(cpu_node())}), HSAKMT_STATUS_SUCCESS);
        break;
      case Fate::kRevoked:
        ASSERT_EQ(Set(all, {NoAccess(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
        break;
      case Fate::kMoved:
        ASSERT_TRUE(memory_.MoveTo(0, kPages, elsewhere_)) << std::strerror(errno);
        break;
    }
  }

  SvmMemory& memory_ = Own(kPages);
  SvmMemory& elsewhere_ = Own(kPages);
};

}  // namespace

KFD_TEST_CASES_F(XNACK, FaultHeardLate, HeldFault, kHeld,
                 .property =
                     "a fault that is handled after its memory went, was replaced or changed "
                     "is answered by what is there now: mapped, or a memory exception",
                 .rules = "XNK-11 XNK-3 XNK-4", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kDirector}, .process = Process::kFresh,
                 .xnack = Xnack::kOn) {
  memory_.FillPattern(1);
  GpuWork& work = Work();
  if (param().had_range) {
    ASSERT_TRUE(Done(work.Write(memory_.Word(3), 1)));
    ASSERT_EQ(*memory_.Word(3), 1U);  // and the CPU took it back
  }
  DirectorHold hold = HoldFaultsOf(memory_.All());
  const GpuWork::Ticket ticket = work.StartWrite(memory_.Word(3) + 1, 0x600D);
  ASSERT_TRUE(WaitForHeldFaults({memory_.Word(3)}));
  ASSERT_NO_FATAL_FAILURE(Befall(param().fate));
  hold.Release();
  const WorkResult result = work.Finish(ticket);
  if (param().is_fault) {
    ExpectFault(result, memory_.Word(3), true);
  } else {
    ASSERT_TRUE(result) << result.Text();
    EXPECT_EQ(memory_.Word(3)[1], 0x600DU);
  }
  if (param().fate == Fate::kNew) {
    EXPECT_EQ(memory_.Word(4)[0], 0U);
  }
  if (param().fate == Fate::kMoved) elsewhere_.ExpectPattern(1, 4, 4);
}

KFD_TEST_F(XNACK, FaultsOfTwoQueuesHeardLate, HeldFault,
           .property = "two queues' faults in one range, held and told at once, are both answered",
           .rules = "XNK-11", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kDirector}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  memory_.FillPattern(1);
  GpuWork& sdma = Work(0, Engine::kSdma);
  GpuWork& pm4 = Work(0, Engine::kPm4);
  DirectorHold hold = HoldFaultsOf(memory_.All());
  const GpuWork::Ticket first = sdma.StartWrite(memory_.Word(3), 0x11);
  const GpuWork::Ticket second = pm4.StartWrite(memory_.Word(5), 0x22);
  ASSERT_TRUE(WaitForHeldFaults({memory_.Word(3), memory_.Word(5)}));
  hold.Release();
  EXPECT_TRUE(Done(sdma.Finish(first)));
  EXPECT_TRUE(Done(pm4.Finish(second)));
  EXPECT_EQ(*memory_.Word(3), 0x11U);
  EXPECT_EQ(*memory_.Word(5), 0x22U);
}

// The neighbour's fault maps both, and the first queue is done before the driver hears of it.
KFD_TEST_F(XNACK, FaultThatNobodyWaitsFor, HeldFault,
           .property =
               "a fault that is heard of after its work ended and its address was used again "
               "changes nothing that CPU or GPU sees",
           .rules = "XNK-11 XNK-3", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kDirector}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  memory_.FillPattern(1);
  GpuWork& work = Work();
  DirectorHold hold = HoldFaultsOf(memory_.Pages(3));
  const GpuWork::Ticket ticket = work.StartWrite(memory_.Word(3), 0x600D);
  ASSERT_TRUE(WaitForHeldFaults({memory_.Word(3)}));
  ASSERT_TRUE(Done(Work(0, Engine::kPm4).Write(memory_.Word(5), 1)));
  ASSERT_TRUE(Done(work.Finish(ticket)));
  EXPECT_EQ(*memory_.Word(3), 0x600DU);
  MapAnew(memory_.All());
  *memory_.Word(4) = 0x0E11;
  hold.Release();
  ASSERT_TRUE(Done(work.Atomic(AtomicOp::kAdd32, memory_.Word(4), 1)));
  EXPECT_EQ(*memory_.Word(4), 0x0E12U);
  EXPECT_EQ(*memory_.Word(3), 0U);
}

KFD_TEST_F(XNACK, LostFaultInterrupt, HeldFault,
           .property =
               "a fault whose interrupt is lost is told again by the hardware, and mended "
               "then",
           .rules = "XNK-11", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kDirector}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  memory_.FillPattern(1);
  GpuWork& work = Work();
  const std::uint64_t dropped = Device().Counters().interrupts_dropped;
  Device().DropInterrupts(1);
  const WorkResult result = work.Write(memory_.Word(3), 0x600D);
  EXPECT_EQ(Device().Counters().interrupts_dropped, dropped + 1);
  Device().DropInterrupts(0);
  ASSERT_TRUE(result) << result.Text();
  EXPECT_EQ(*memory_.Word(3), 0x600DU);
}

}  // namespace kfdcts::suites
