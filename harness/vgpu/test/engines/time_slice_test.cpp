#include <gtest/gtest.h>

#include "harness/vgpu/test/engines/hws.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kData = TestProcess::kData, kGate = kData + 8;
constexpr std::uint64_t kQuantum = 10'000'000;

/// More processes than VMIDs.
struct TimeSlice : testing::Test, HwsRig {
  void Add(unsigned count) {
    for (unsigned i = 0; i < count; ++i) AddProcess();
  }
  static Dwords WaitForGate() {
    return Pm4(pm4::kWaitRegMem, {3u | 1u << 4, Lo(kGate), Hi(kGate), 1, ~0u, 10});
  }
  static Dwords Increment() {
    return Pm4(pm4::kAtomicMem, {0x0f, Lo(kData), Hi(kData), 1, 0, 0, 0, 0});
  }
  unsigned Running() {
    unsigned count = 0;
    for (std::uint8_t vmid = 8; vmid < 16; ++vmid) count += memory.PasidOf(vmid) != 0;
    return count;
  }
};

TEST_F(TimeSlice, TwentyProcessesWithShortWorkAllFinishAtOnce) {
  Add(20);
  RunAll();
  for (const auto& process : processes) process->Emit(Increment()).Kick();
  Settle();
  for (const auto& process : processes) EXPECT_EQ(process->Load(), 1u);
  EXPECT_EQ(Running(), 8u);
}

TEST_F(TimeSlice, IdleProcessesGiveTheirVmidAtTheDoorbell) {
  Add(9);
  RunAll();
  for (unsigned round = 1; round <= 5; ++round) {
    for (const auto& process : processes) {
      process->Emit(Increment()).Kick();
      Settle();
      ASSERT_EQ(process->Load(), round);
    }
  }
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kUnclaimedDoorbell), 0u);
}

TEST_F(TimeSlice, ADoorbellIsServedAtOnceWhereAnIdleOneCanGiveWay) {
  Add(9);
  RunAll();
  Settle();
  for (const auto& process : processes) {
    process->Emit(Increment()).Kick();
    EXPECT_LE(engines.NextWake(), host.NowNs()) << "somebody has to step the engines";
    Settle();
  }
}

TEST_F(TimeSlice, BusyOnesGiveWayAfterTheirQuantum) {
  Add(9);
  for (unsigned i = 0; i < 8; ++i) processes[i]->Emit(WaitForGate()).Emit(Increment()).Tail();
  processes[8]->Emit(Increment()).Tail();
  RunAll();
  RunFor(kQuantum / 2);
  EXPECT_EQ(processes[8]->Load(), 0u) << "nobody's quantum is over";
  RunFor(kQuantum);
  EXPECT_EQ(processes[8]->Load(), 1u);
  for (unsigned i = 0; i < 8; ++i) processes[i]->Store(kGate, 1u);
  RunFor(10 * kQuantum);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(processes[i]->Load(), 1u) << i;
}

TEST_F(TimeSlice, TheQuantumIsTheProcesss) {
  Add(9);
  for (unsigned i = 0; i < 8; ++i) processes[i]->Emit(WaitForGate()).Tail();
  processes[8]->Emit(Increment()).Tail();
  RunAll(100);
  RunFor(5 * kQuantum);
  EXPECT_EQ(processes[8]->Load(), 0u);
  RunFor(6 * kQuantum);
  EXPECT_EQ(processes[8]->Load(), 1u);
}

/// All wait for something that only a process without VMID does, in a ring of twenty.
TEST_F(TimeSlice, AChainOfTwentyThatWaitForEachOther) {
  Add(20);
  for (unsigned i = 0; i < 20; ++i) processes[i]->Emit(WaitForGate()).Emit(Increment()).Tail();
  RunAll();
  for (unsigned i = 20; i-- > 0;) {
    processes[i]->Store(kGate, 1u);
    RunFor(4 * kQuantum);
    ASSERT_EQ(processes[i]->Load(), 1u) << i;
  }
  EXPECT_GT(counters.preemptions, 20u);
}

TEST_F(TimeSlice, EndlessWorkDoesNotStarveAnybody) {
  Add(20);
  for (const auto& process : processes) {
    for (unsigned i = 0; i < 100; ++i) process->Emit(Increment());
    process->Emit(WaitForGate()).Tail();
  }
  RunAll();
  RunFor(10 * kQuantum);
  for (const auto& process : processes) EXPECT_EQ(process->Load(), 100u);
}

TEST_F(TimeSlice, PreemptionInsideAnIndirectBufferRepeatsNothing) {
  Add(9);
  for (const auto& process : processes) {
    const std::uint64_t ib = kData + 0x1000;
    std::uint64_t at = ib;
    for (const Dwords& packet : {Increment(), WaitForGate(), Increment()}) {
      for (const std::uint32_t dword : packet) {
        process->Store(at, dword);
        at += 4;
      }
    }
    process
        ->Emit(
            Pm4(pm4::kIndirectBuffer, {Lo(ib), Hi(ib), static_cast<std::uint32_t>((at - ib) / 4)}))
        .Emit(Increment())
        .Tail();
  }
  RunAll();
  RunFor(5 * kQuantum);
  for (const auto& process : processes) EXPECT_EQ(process->Load(), 1u);
  for (const auto& process : processes) process->Store(kGate, 1u);
  RunFor(10 * kQuantum);
  for (const auto& process : processes) EXPECT_EQ(process->Load(), 3u);
}

TEST_F(TimeSlice, ASmallVmidMaskIsKept) {
  SetResources(0x0300, ~0ULL, 4000);
  Add(5);
  RunAll();
  for (const auto& process : processes) process->Emit(Increment()).Kick();
  Settle();
  for (const auto& process : processes) EXPECT_EQ(process->Load(), 1u);
  for (std::uint8_t vmid = 10; vmid < 16; ++vmid) EXPECT_EQ(memory.PasidOf(vmid), 0u);
}

TEST_F(TimeSlice, ProcessesWithoutQueuesTakeNoVmid) {
  Add(12);
  std::vector<Dwords> packets;
  for (unsigned i = 0; i < 12; ++i) {
    packets.push_back(processes[i]->MapProcess());
    if (i == 11) packets.push_back(processes[i]->MapQueue());
  }
  RunList(packets);
  EXPECT_EQ(VmidOf(*processes[11]), 8);
  EXPECT_EQ(Running(), 1u);
}

TEST_F(TimeSlice, StalledProcessesArePreemptedToo) {
  SetResources(0x0100, ~0ULL, 4000);
  Add(2);
  for (const auto* hub : {&chip.gfx_hub, &chip.mm_hub})
    registers.Set(hub->context0_cntl + 8 * 4, kRetryFaults);
  processes[0]->Emit(Pm4Write(kUserBase + 0x10'0000, 1)).Emit(Increment()).Tail();
  processes[1]->Emit(Increment()).Tail();
  RunAll();
  RunFor(2 * kQuantum);
  EXPECT_EQ(processes[1]->Load(), 1u);
  processes[0]->tables().MapSystem(kUserBase + 0x10'0000, kUserBus + 0x8'0000);
  RunFor(20 * kQuantum);
  EXPECT_EQ(processes[0]->Load(), 1u);
}

}  // namespace
}  // namespace kfdcts::vgpu
