#include <gtest/gtest.h>

#include "harness/vgpu/test/engines/hws.h"

namespace kfdcts::vgpu {
namespace {

using Verb = ControlCommand::Verb;
constexpr std::uint64_t kData = TestProcess::kData;

struct Controlled : testing::Test, HwsRig {
  std::string Do(Verb verb, std::uint32_t number = 1) {
    return engines.Control({.verb = verb, .doorbell = number, .count = number});
  }
  std::string Do(Verb verb, const char* engine) {
    return engines.Control({.verb = verb, .engine = engine});
  }
};

TEST_F(Controlled, AHungSchedulerAnswersNothingUntilReleased) {
  AddProcess();
  RunAll();
  Do(Verb::kHangScheduler);
  EXPECT_FALSE(Unmap(pm4::kUnmapAllNonStatic));
  RunFor(100'000'000);
  EXPECT_FALSE(Fenced());
  Do(Verb::kUnhangScheduler);
  RunFor(2'000'000);
  EXPECT_TRUE(Fenced());
}

TEST_F(Controlled, HaltingTheMecEndsAHungSchedulerAndForgetsTheRunList) {
  TestProcess& process = AddProcess();
  RunAll();
  Do(Verb::kHangScheduler);
  registers.Write(chip.cp_mec_cntl, 1u << 30 | 1u << 28);
  registers.Write(chip.cp_mec_cntl, 0);
  EXPECT_FALSE(controls.scheduler_hung);
  process.Emit(Pm4Write(kData, 1)).Kick();
  Settle();
  EXPECT_EQ(process.Load(), 0u);
  EXPECT_EQ(process.Mqd(128 + hqd::kPqWptrLo), 0u)
      << "nothing was saved: the memory may be another's by now";
}

/// The firmware gives up after the latency that the driver set, names the queue in the HIQ's MQD
/// and answers.
TEST_F(Controlled, AHungQueueIsNamedAfterTheUnmapLatency) {
  TestProcess& process = AddProcess();
  AddProcess();
  RunAll();
  process.Emit(Pm4Write(kData, 1)).Kick();
  Do(Verb::kHangQueue, process.doorbell());
  RunFor(1'000'000);
  EXPECT_EQ(process.Load(), 0u);
  EXPECT_FALSE(Unmap(pm4::kUnmapAllNonStatic));
  RunFor(3'900'000'000);
  EXPECT_FALSE(Fenced());
  RunFor(200'000'000);
  EXPECT_TRUE(Fenced());
  EXPECT_EQ(LoadVram<std::uint32_t>(hiq.mqd() + mqd::kQueueDoorbellId0 * 4),
            process.doorbell() / 4);
  // It still is in its slot, where the driver finds and resets it (kgd_gfx_v9_hqd_get_pq_addr,
  // _hqd_reset).
  registers.Write(chip.grbm_gfx_cntl, 1u << 2);
  EXPECT_EQ(registers.Read(chip.cp_hqd_active) & 1, 1u);
  EXPECT_EQ(registers.Read(chip.cp_mqd_base_addr + hqd::kPqBase * 4), Lo(TestProcess::kRing >> 8));
  registers.Write(chip.spi_compute_queue_reset, 1);
  EXPECT_EQ(registers.Read(chip.cp_hqd_active) & 1, 0u);
  RunAll();
  Settle();
  EXPECT_EQ(process.Load(), 1u);
}

TEST_F(Controlled, UnhangingLetsTheUnmapFinish) {
  TestProcess& process = AddProcess();
  RunAll();
  Do(Verb::kHangQueue, process.doorbell());
  EXPECT_FALSE(Unmap(pm4::kUnmapAllNonStatic));
  Do(Verb::kUnhangQueue, process.doorbell());
  RunFor(2'000'000);
  EXPECT_TRUE(Fenced());
  EXPECT_EQ(LoadVram<std::uint32_t>(hiq.mqd() + mqd::kQueueDoorbellId0 * 4), 0u);
}

TEST_F(Controlled, ResetQueuesTakesAHungOne) {
  TestProcess& process = AddProcess();
  RunAll();
  Do(Verb::kHangQueue, process.doorbell());
  EXPECT_TRUE(Unmap(pm4::kUnmapPasid, process.pasid(), pm4::kResetQueues));
  EXPECT_TRUE(controls.hung_doorbells.empty());
}

TEST_F(Controlled, AHungSdmaQueueKeepsTheUnmapWaiting) {
  TestProcess& process = AddProcess();
  RunList({process.MapProcess(), process.MapQueue(0)});
  Do(Verb::kHangQueue, process.doorbell());
  EXPECT_FALSE(Unmap(pm4::kUnmapAllNonStatic));
  RunFor(10'000'000'000);
  EXPECT_FALSE(Fenced());
}

TEST_F(Controlled, AHungQueueKeepsItsVmid) {
  SetResources(0x0100, ~0ULL, 4000);
  TestProcess& one = AddProcess();
  TestProcess& two = AddProcess();
  RunList({one.MapProcess(), one.MapQueue(), two.MapProcess(), two.MapQueue()});
  Settle();
  Do(Verb::kHangQueue, (VmidOf(one) ? one : two).doorbell());
  TestProcess& other = VmidOf(one) ? two : one;
  other.Emit(Pm4Write(kData, 1)).Kick();
  RunFor(1'000'000'000);
  EXPECT_EQ(other.Load(), 0u);
}

TEST_F(Controlled, HeldEnginesStandStill) {
  TestGfxRing gfx(*this);
  TestSdmaRing dma(*this);
  const std::uint64_t data = Alloc(4096);
  EXPECT_EQ(Do(Verb::kHoldEngine, "cp"), "");
  EXPECT_EQ(Do(Verb::kHoldEngine, "sdma0"), "");
  gfx.Submit(Pm4Write(Mc(data), 1));
  dma.Submit({sdma::Header(sdma::kFence), Lo(Mc(data + 4)), Hi(Mc(data)), 2});
  EXPECT_EQ(LoadVram<std::uint64_t>(data), 0u);
  EXPECT_EQ(engines.NextWake(), UINT64_MAX);
  Do(Verb::kReleaseEngine, "sdma0");
  Settle();
  EXPECT_EQ(LoadVram<std::uint64_t>(data), 2ULL << 32);
  Do(Verb::kReleaseEngine, "cp");
  Settle();
  EXPECT_EQ(LoadVram<std::uint64_t>(data), 2ULL << 32 | 1);
}

TEST_F(Controlled, UnknownEngineIsAnError) {
  EXPECT_EQ(Do(Verb::kHoldEngine, "sdma2"), "no engine \"sdma2\"");
  EXPECT_EQ(Do(Verb::kReleaseEngine, ""), "no engine \"\"");
}

TEST_F(Controlled, FailedAndCorruptedCopies) {
  TestSdmaRing dma(*this);
  const std::uint64_t data = Alloc(4096);
  const Dwords copy{sdma::Header(sdma::kCopy), 3,           0, Lo(Mc(data)), Hi(Mc(data)),
                    Lo(Mc(data + 8)),          Hi(Mc(data))};
  StoreVram(data, 0x1122'3344u);
  Do(Verb::kFailCopies, 1);
  dma.Submit(copy);
  EXPECT_EQ(LoadVram<std::uint32_t>(data + 8), 0u);
  Do(Verb::kCorruptCopies, 1);
  dma.Submit(copy);
  EXPECT_EQ(LoadVram<std::uint32_t>(data + 8), 0x1122'33bbu);
  dma.Submit(copy);
  EXPECT_EQ(LoadVram<std::uint32_t>(data + 8), 0x1122'3344u);
}

TEST_F(Controlled, DroppedInterrupts) {
  TestSdmaRing dma(*this);
  Do(Verb::kDropInterrupts, 1);
  dma.Submit({sdma::Header(sdma::kTrap), 1});
  dma.Submit({sdma::Header(sdma::kTrap), 2});
  const auto seen = Interrupts();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].data0, 2u);
  EXPECT_EQ(counters.interrupts_dropped, 1u);
}

TEST_F(Controlled, HeldInterruptsComeInTheirOrder) {
  TestSdmaRing dma(*this);
  Do(Verb::kHoldInterrupts);
  dma.Submit({sdma::Header(sdma::kTrap), 1});
  dma.Submit({sdma::Header(sdma::kTrap), 2});
  EXPECT_TRUE(Interrupts().empty());
  Do(Verb::kReleaseInterrupts);
  const auto seen = Interrupts();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].data0, 1u);
  EXPECT_EQ(seen[1].data0, 2u);
}

/// A test holds a fault back until it has unmapped the range; the fault then names the process that
/// made it.
TEST_F(Controlled, AHeldFaultKeepsItsProcess) {
  TestUserCompute queue(*this);
  SetUserRetry(true);
  Do(Verb::kHoldInterrupts);
  queue.Submit(Pm4Write(kUserBase + kUserBytes, 1));
  registers.Set(chip.atc_vmid0_pasid_mapping + kVmid * 4, 0x4444u | 1u << 31);
  Do(Verb::kReleaseInterrupts);
  const auto seen = Interrupts();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].pasid, kPasid);
}

}  // namespace
}  // namespace kfdcts::vgpu
