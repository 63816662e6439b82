#include <gtest/gtest.h>

#include "harness/vgpu/test/engines/test_queues.h"

namespace kfdcts::vgpu {
namespace {

struct Hqd : testing::Test, EngineRig {
  std::uint64_t data = Alloc(4096);
  std::uint32_t At(std::uint64_t offset) { return LoadVram<std::uint32_t>(data + offset); }
};

TEST_F(Hqd, RegistersAreBankedByMePipeAndQueue) {
  const std::uint32_t reg = chip.cp_mqd_base_addr + hqd::kPqBase * 4;
  registers.Write(chip.grbm_gfx_cntl, 1u << 2);
  registers.Write(reg, 1);
  registers.Write(chip.grbm_gfx_cntl, 1u << 2 | 1u);
  registers.Write(reg, 2);
  registers.Write(chip.grbm_gfx_cntl, 1u << 2 | 1u << 8);
  registers.Write(reg, 3);
  registers.Write(chip.grbm_gfx_cntl, 2u << 2);
  EXPECT_EQ(registers.Read(reg), 0u);
  registers.Write(chip.grbm_gfx_cntl, 1u << 2 | 0xfu << 4);
  EXPECT_EQ(registers.Read(reg), 1u) << "the VMID selects no bank of these";
  registers.Write(chip.grbm_gfx_cntl, 1u << 2 | 1u);
  EXPECT_EQ(registers.Read(reg), 2u);
  registers.Write(chip.grbm_gfx_cntl, 1u << 2 | 1u << 8);
  EXPECT_EQ(registers.Read(reg), 3u);
}

TEST_F(Hqd, WithoutAMecSelectedNothingIsActivated) {
  registers.Write(chip.grbm_gfx_cntl, 0);
  registers.Write(chip.cp_hqd_pq_doorbell_control, hqd::kDoorbellEnable | 0x100);
  registers.Write(chip.cp_hqd_active, 1);
  engines.Doorbell(0x100, 5, true);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kUnclaimedDoorbell), 1u);
}

TEST_F(Hqd, KiqRunsAfterItsBringUpByRegisters) {
  TestKiq kiq(*this);
  kiq.Submit(Pm4Write(Mc(data), 1));
  EXPECT_EQ(At(0), 1u);
  EXPECT_EQ(kiq.ReadHqd(hqd::kActive) & 1, 1u);
  EXPECT_EQ(kiq.ReadHqd(hqd::kPqRptr), kiq.wptr());
  EXPECT_EQ(kiq.reported_rptr(), kiq.wptr());
}

TEST_F(Hqd, KiqStartsAtZeroAfterTheMecWasHalted) {
  TestKiq kiq(*this);
  kiq.Submit(Pm4Write(Mc(data), 1));
  registers.Write(chip.cp_mec_cntl, 1u << 30 | 1u << 28);
  EXPECT_EQ(kiq.ReadHqd(hqd::kActive) & 1, 0u);
  EXPECT_EQ(kiq.ReadHqd(hqd::kPqRptr), 0u) << "the driver does not write it after a reset";
}

TEST_F(Hqd, DequeueSavesToTheMqdAndALoadGoesOn) {
  TestUserCompute queue(*this);
  queue.Submit(Pm4Write(UserRing::kData, 1));
  queue.Emit(
      Pm4(pm4::kWaitRegMem, {3u | 1u << 4, Lo(UserRing::kData), Hi(UserRing::kData), 2, ~0u, 10}));
  queue.Submit(Pm4Write(UserRing::kData + 4, 3));
  EXPECT_TRUE(queue.Destroy()) << "also while it waits";
  EXPECT_EQ(queue.Mqd(128 + hqd::kPqRptr), 5u);
  EXPECT_EQ(queue.Mqd(128 + hqd::kPqWptrLo), queue.wptr());
  EXPECT_EQ(queue.Mqd(128 + hqd::kActive), 0u);
  StoreUser(UserRing::kData, 2u);
  RunFor(5'000'000);
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData + 4), 0u);
  queue.Load();
  RunFor(1'000'000);
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData + 4), 3u);
}

TEST_F(Hqd, DequeueInsideAnIndirectBufferGoesOnInsideIt) {
  TestUserCompute queue(*this);
  const std::uint64_t ib = UserRing::kData + 0x1000, counter = UserRing::kData + 8;
  Dwords inside = Pm4(pm4::kAtomicMem, {0x0f, Lo(counter), Hi(counter), 1, 0, 0, 0, 0});
  const Dwords wait =
      Pm4(pm4::kWaitRegMem, {3u | 1u << 4, Lo(UserRing::kData), Hi(UserRing::kData), 1, ~0u, 10});
  inside.insert(inside.end(), wait.begin(), wait.end());
  const Dwords add = Pm4(pm4::kAtomicMem, {0x0f, Lo(counter), Hi(counter), 0x100, 0, 0, 0, 0});
  inside.insert(inside.end(), add.begin(), add.end());
  for (std::size_t i = 0; i < inside.size(); ++i) StoreUser(ib + i * 4, inside[i]);
  queue.Emit(
      Pm4(pm4::kIndirectBuffer, {Lo(ib), Hi(ib), static_cast<std::uint32_t>(inside.size())}));
  queue.Submit(Pm4(pm4::kAtomicMem, {0x0f, Lo(counter), Hi(counter), 0x10000, 0, 0, 0, 0}));
  EXPECT_TRUE(queue.Destroy());
  StoreUser(UserRing::kData, 1u);
  queue.Load();
  RunFor(1'000'000);
  EXPECT_EQ(LoadUser<std::uint32_t>(counter), 0x10101u);
  EXPECT_EQ(queue.reported_rptr(), queue.wptr());
}

TEST_F(Hqd, DequeueWhileStalledOnAFault) {
  SetUserRetry(true);
  TestUserCompute queue(*this);
  queue.Submit(Pm4Write(kUserBase + kUserBytes, 1));
  EXPECT_TRUE(queue.Destroy());
  EXPECT_EQ(queue.Mqd(128 + hqd::kPqRptr), 0u);
  FaultCount();
  RunFor(100'000'000);
  EXPECT_EQ(FaultCount(), 0u);
}

TEST_F(Hqd, ADeadQueuesDoorbellIsCounted) {
  TestUserCompute queue(*this);
  queue.Destroy();
  queue.Submit(Pm4Write(UserRing::kData, 1));
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData), 0u);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kUnclaimedDoorbell, "doorbell 0x04008"), 1u);
}

TEST_F(Hqd, LoadReadsTheWritePointerFromMemory) {
  TestUserCompute queue(*this);
  queue.Destroy();
  queue.Emit(Pm4Write(UserRing::kData, 1));
  queue.SetTail(queue.wptr());
  queue.Load();
  Settle();
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData), 1u);
}

TEST_F(Hqd, AHaltedQueueStaysHaltedWhenLoadedAgain) {
  TestUserCompute queue(*this);
  queue.Submit(Pm4Write(kUserBase + kUserBytes, 1));
  EXPECT_EQ(FaultCount(), 1u);
  queue.Destroy();
  EXPECT_EQ(queue.Mqd(128 + hqd::kError), hqd::kErrorPqUtcl1);
  queue.Load();
  Settle();
  EXPECT_EQ(FaultCount(), 0u);
}

TEST_F(Hqd, AnImpossibleRingSizeActivatesNothing) {
  TestUserCompute queue(*this);
  queue.Destroy();
  queue.Select();
  queue.Write(hqd::kPqControl, 63);
  queue.Write(hqd::kActive, 1);
  EXPECT_EQ(queue.Read(hqd::kActive) & 1, 0u);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kMalformedRing), 1u);
}

TEST_F(Hqd, HaltingTheMecSwitchesItsQueuesOff) {
  TestUserCompute queue(*this);
  TestKiq kiq(*this);
  registers.Write(chip.cp_mec_cntl, 1u << 30);
  EXPECT_EQ(queue.Read(hqd::kActive) & 1, 0u);
  EXPECT_EQ(kiq.ReadHqd(hqd::kActive) & 1, 1u) << "it is in the other MEC";
  registers.Write(chip.cp_mec_cntl, 1u << 28);
  EXPECT_EQ(kiq.ReadHqd(hqd::kActive) & 1, 0u);
}

TEST_F(Hqd, AUserQueueOfBadPacketsStops) {
  TestUserCompute queue(*this);
  queue.Emit(Pm4(static_cast<pm4::Opcode>(0x5a), {1}));
  queue.Submit(Pm4Write(UserRing::kData, 1));
  EXPECT_TRUE(queue.halted());
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData), 0u);
  EXPECT_EQ(counters.exceptions, 1u);
  const std::uint32_t code = 0x4008 / 8 % 1024 | 20u << 10;
  EXPECT_EQ(Interrupts(),
            (std::vector<SeenInterrupt>{{0x14, 183, 2 | 1 << 2 | 3 << 4, kVmid, kPasid, code, 0}}));
}

TEST_F(Hqd, AUsersDispatchStopsTheQueue) {
  TestUserCompute queue(*this);
  queue.Emit(Pm4(pm4::kDispatchDirect, {1, 1, 1, 1}));
  queue.Submit(Pm4(pm4::kReleaseMem,
                   {0, pm4::kData32 << 29, Lo(UserRing::kData), Hi(UserRing::kData), 1, 0, 0}));
  EXPECT_TRUE(queue.halted());
  EXPECT_EQ(counters.fences, 0u);
}

/// kgd_gfx_v9_hqd_reset: a queue that hangs goes by SPI_COMPUTE_QUEUE_RESET.
TEST_F(Hqd, QueueResetFreesAHungQueue) {
  TestUserCompute queue(*this);
  engines.Control({.verb = ControlCommand::Verb::kHangQueue, .doorbell = queue.doorbell()});
  EXPECT_FALSE(queue.Destroy());
  queue.Select();
  registers.Write(chip.spi_compute_queue_reset, 1);
  EXPECT_EQ(queue.Read(hqd::kActive) & 1, 0u);
  queue.Load();
  queue.Submit(Pm4Write(UserRing::kData, 1));
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData), 1u);
}

TEST_F(Hqd, PipeResetFreesAHungQueueAndKeepsTheOthers) {
  TestUserCompute queue(*this);
  registers.Write(chip.grbm_gfx_cntl, 1u << 2 | 2u);
  registers.Write(chip.cp_hqd_active, 1);
  engines.Control({.verb = ControlCommand::Verb::kHangQueue, .doorbell = queue.doorbell()});
  registers.Write(chip.cp_mec_cntl, 1u << 18);
  registers.Write(chip.cp_mec_cntl, 0);
  EXPECT_EQ(queue.Read(hqd::kActive) & 1, 0u);
  registers.Write(chip.grbm_gfx_cntl, 1u << 2 | 2u);
  EXPECT_EQ(registers.Read(chip.cp_hqd_active) & 1, 1u);
}

}  // namespace
}  // namespace kfdcts::vgpu
