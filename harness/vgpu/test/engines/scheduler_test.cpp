#include <gtest/gtest.h>

#include "harness/vgpu/test/engines/hws.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kData = TestProcess::kData;

struct Hws : testing::Test, HwsRig {};

TEST_F(Hws, RunListGivesAVmidItsPageTableAndPasid) {
  TestProcess& process = AddProcess();
  RunAll();
  const std::uint8_t vmid = VmidOf(process);
  EXPECT_EQ(vmid, 8);
  for (const auto* hub : {&chip.gfx_hub, &chip.mm_hub}) {
    EXPECT_EQ(registers.Get64(hub->context0_page_table_base_lo + vmid * 8u),
              process.tables().root() | kPteValid);
  }
  EXPECT_EQ(registers.Get(chip.atc_vmid0_pasid_mapping + vmid * 4u), process.pasid() | 1u << 31);
  EXPECT_EQ(registers.Get(chip.atc_vmid16_pasid_mapping + vmid * 4u), process.pasid() | 1u << 31);
  EXPECT_EQ(registers.Get(chip.ih_vmid0_lut + vmid * 4u), process.pasid());
  EXPECT_EQ(registers.Get(chip.ih_vmid0_lut_mm + vmid * 4u), process.pasid());
}

TEST_F(Hws, QueuesRunInTheirProcess) {
  TestProcess& one = AddProcess();
  TestProcess& two = AddProcess();
  RunAll();
  one.Emit(Pm4Write(kData, 1)).Kick();
  two.Emit(Pm4Write(kData, 2)).Kick();
  Settle();
  EXPECT_EQ(one.Load(), 1u);
  EXPECT_EQ(two.Load(), 2u);
  EXPECT_EQ(one.Load(TestProcess::kReport), one.wptr());
}

TEST_F(Hws, MappingReadsTheWritePointerFromMemory) {
  TestProcess& process = AddProcess();
  process.Emit(Pm4Write(kData, 1)).Tail();
  RunAll();
  EXPECT_EQ(process.Load(), 1u);
}

TEST_F(Hws, AVmidGivenAnewHasNoOldTranslations) {
  TestProcess& one = AddProcess();
  TestProcess& two = AddProcess();
  RunList({one.MapProcess(), one.MapQueue()});
  one.Emit(Pm4Write(kData, 1)).Kick();
  Settle();
  RunList({two.MapProcess(), two.MapQueue()});
  two.Emit(Pm4Write(kData, 2)).Kick();
  Settle();
  EXPECT_EQ(VmidOf(two), 8);
  EXPECT_EQ(one.Load(), 1u);
  EXPECT_EQ(two.Load(), 2u);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kStaleTranslation), 0u);
}

TEST_F(Hws, EvictAndRestoreLosesAndRepeatsNothing) {
  TestProcess& process = AddProcess();
  RunAll();
  for (unsigned round = 1; round <= 50; ++round) {
    for (unsigned i = 0; i < 7; ++i)
      process.Emit(Pm4(pm4::kAtomicMem, {0x0f, Lo(kData), Hi(kData), 1, 0, 0, 0, 0}));
    process.Kick();
    Settle(3);
    ASSERT_TRUE(Unmap(pm4::kUnmapAllNonStatic));
    RunAll();
    ASSERT_EQ(process.Load(), round * 7);
  }
  EXPECT_EQ(process.Load(TestProcess::kReport), process.wptr() % TestProcess::kRingDwords);
}

TEST_F(Hws, WorkQueuedWhileEvictedRunsAfterTheRestore) {
  TestProcess& process = AddProcess();
  RunAll();
  ASSERT_TRUE(Unmap(pm4::kUnmapAll));
  process.Emit(Pm4Write(kData, 1)).Kick();
  RunFor(10'000'000);
  EXPECT_EQ(process.Load(), 0u);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kUnclaimedDoorbell), 1u);
  RunAll();
  EXPECT_EQ(process.Load(), 1u);
}

TEST_F(Hws, UnmapWritesTheQueuesStateIntoTheMqd) {
  TestProcess& process = AddProcess();
  RunAll();
  process.Emit(Pm4Write(kData, 1)).Kick();
  Settle();
  process.Emit(Pm4(pm4::kWaitRegMem, {3u | 1u << 4, Lo(kData), Hi(kData), 9, ~0u, 10})).Kick();
  Settle();
  ASSERT_TRUE(Unmap(pm4::kUnmapAllNonStatic));
  EXPECT_EQ(process.Mqd(128 + hqd::kPqRptr), 5u);
  EXPECT_EQ(process.Mqd(128 + hqd::kPqWptrLo), process.wptr());
  EXPECT_EQ(process.Mqd(128 + hqd::kActive), 0u);
  EXPECT_EQ(process.Mqd(128 + hqd::kPqControl), 9u);
}

TEST_F(Hws, SdmaQueuesOfBothEngines) {
  TestProcess& one = AddProcess();
  TestProcess& two = AddProcess();
  RunList({one.MapProcess(), one.MapQueue(0), two.MapProcess(), two.MapQueue(1)});
  one.Emit({sdma::Header(sdma::kFence), Lo(kData), Hi(kData), 1})
      .Emit({sdma::Header(sdma::kTrap), 11})
      .KickSdma();
  two.Emit({sdma::Header(sdma::kFence), Lo(kData), Hi(kData), 2})
      .Emit({sdma::Header(sdma::kTrap), 22})
      .KickSdma();
  Settle();
  EXPECT_EQ(one.Load(), 1u);
  EXPECT_EQ(two.Load(), 2u);
  const auto seen = Interrupts();
  EXPECT_EQ(std::count(seen.begin(), seen.end(),
                       SeenInterrupt{8, 224, 2, VmidOf(one), one.pasid(), 11, 0}),
            1);
  EXPECT_EQ(std::count(seen.begin(), seen.end(),
                       SeenInterrupt{9, 224, 2, VmidOf(two), two.pasid(), 22, 0}),
            1);
}

TEST_F(Hws, SdmaQueuesGoOnAfterAnUnmap) {
  TestProcess& process = AddProcess();
  const auto map = [&] { RunList({process.MapProcess(), process.MapQueue(0)}); };
  map();
  process.Emit({sdma::Header(sdma::kAtomic) | 0x0fu << 25, Lo(kData), Hi(kData), 1, 0, 0, 0, 0})
      .KickSdma();
  Settle();
  ASSERT_TRUE(Unmap(pm4::kUnmapAllNonStatic));
  EXPECT_EQ(process.SdmaMqd(sdma_mqd::kRbRptr), 32u);
  EXPECT_EQ(registers.Get(chip.sdma_gfx_rb_cntl[0] + chip.sdma_rlc0_offset) & 1, 0u);
  process.Emit({sdma::Header(sdma::kAtomic) | 0x0fu << 25, Lo(kData), Hi(kData), 1, 0, 0, 0, 0})
      .Tail(4);
  map();
  EXPECT_EQ(process.Load(), 2u);
  EXPECT_EQ(process.Load(TestProcess::kReport), process.wptr() * 4);
}

TEST_F(Hws, AFifthSdmaQueueWaitsForAFreeOne) {
  std::vector<Dwords> packets;
  for (unsigned i = 0; i < 3; ++i) {
    TestProcess& process = AddProcess();
    process.Emit({sdma::Header(sdma::kFence), Lo(kData), Hi(kData), 1}).Tail(4);
    packets.push_back(process.MapProcess());
    packets.push_back(process.MapQueue(0));
  }
  RunList(packets);
  EXPECT_EQ(processes[2]->Load(), 0u);
  ASSERT_TRUE(Unmap(pm4::kUnmapPasid, processes[0]->pasid()));
  Settle();
  EXPECT_EQ(processes[2]->Load(), 1u);
}

TEST_F(Hws, UnmapOfOnePasidLeavesTheOthers) {
  TestProcess& one = AddProcess();
  TestProcess& two = AddProcess();
  RunAll();
  ASSERT_TRUE(Unmap(pm4::kUnmapPasid, one.pasid()));
  one.Emit(Pm4Write(kData, 1)).Kick();
  two.Emit(Pm4Write(kData, 2)).Kick();
  Settle();
  EXPECT_EQ(one.Load(), 0u);
  EXPECT_EQ(two.Load(), 2u);
}

TEST_F(Hws, UnmapByDoorbell) {
  TestProcess& one = AddProcess();
  TestProcess& two = AddProcess();
  RunAll();
  hiq.Submit(
      Pm4(pm4::kUnmapQueues, {pm4::kUnmapSpecified << 4 | 1u << 29, one.doorbell(), 0, 0, 0}));
  one.Emit(Pm4Write(kData, 1)).Kick();
  two.Emit(Pm4Write(kData, 2)).Kick();
  Settle();
  EXPECT_EQ(one.Load(), 0u);
  EXPECT_EQ(two.Load(), 2u);
}

TEST_F(Hws, StaticQueuesSurviveTheUnmapOfTheOthersAndANewList) {
  TestProcess& process = AddProcess();
  TestProcess& other = AddProcess();
  RunList({process.MapProcess(), process.MapQueue(-1, true), other.MapProcess(), other.MapQueue()});
  const std::uint8_t vmid = VmidOf(process);
  ASSERT_TRUE(Unmap(pm4::kUnmapAllNonStatic));
  process.Emit(Pm4Write(kData, 1)).Kick();
  other.Emit(Pm4Write(kData, 1)).Kick();
  Settle();
  EXPECT_EQ(process.Load(), 1u);
  EXPECT_EQ(other.Load(), 0u);
  RunList({process.MapProcess(), process.MapQueue(-1, true)});
  process.Emit(Pm4Write(kData, 2)).Kick();
  Settle();
  EXPECT_EQ(process.Load(), 2u);
  EXPECT_EQ(VmidOf(process), vmid);
  ASSERT_TRUE(Unmap(pm4::kUnmapAll));
  process.Emit(Pm4Write(kData, 3)).Kick();
  Settle();
  EXPECT_EQ(process.Load(), 2u);
}

TEST_F(Hws, QueryStatusOfEachCommand) {
  const auto query = [&](std::uint32_t command) {
    StoreVram(fence, std::uint64_t{0});
    hiq.Submit(Pm4(pm4::kQueryStatus,
                   {command << 30 | 0x123, 0, Lo(Mc(fence)), Hi(Mc(fence)), 0x77, 0x88}));
  };
  const SeenInterrupt interrupt{0x14, 199, 2 << 2 | 1, 0, 0, 0x123, 0};
  query(0);
  EXPECT_EQ(LoadVram<std::uint64_t>(fence), 0u);
  EXPECT_EQ(Interrupts(), std::vector{interrupt});
  query(2);
  EXPECT_EQ(LoadVram<std::uint64_t>(fence), 0x88'0000'0077u);
  EXPECT_TRUE(Interrupts().empty());
  query(3);
  EXPECT_EQ(LoadVram<std::uint64_t>(fence), 0x88'0000'0077u);
  EXPECT_EQ(Interrupts(), std::vector{interrupt});
}

TEST_F(Hws, MapQueuesOntoANamedSlotLoadsTheMqd) {
  TestProcess& process = AddProcess();
  const std::uint64_t ring = Alloc(4096), data = Alloc(4096), wptr = Alloc(4096);
  StoreVram(process.mqd() + 4 * (128 + hqd::kPqBase), Mc(ring) >> 8);
  StoreVram(process.mqd() + 4 * (128 + hqd::kPqRptrReportAddr), std::uint64_t{0});
  // KIQ and HIQ do so: ME 1, pipe 3, queue 1, VMID 0.
  hiq.Submit(Pm4(pm4::kMapQueues,
                 {1u << 13 | 3u << 16 | 1u << 26 | 1u << 29, process.doorbell(),
                  Lo(Mc(process.mqd())), Hi(Mc(process.mqd())), Lo(Mc(wptr)), Hi(Mc(wptr))}));
  registers.Write(chip.grbm_gfx_cntl, 1u << 2 | 3u | 1u << 8);
  EXPECT_EQ(registers.Read(chip.cp_hqd_active) & 1, 1u);
  const Dwords packet = Pm4Write(Mc(data), 1);
  for (std::size_t i = 0; i < packet.size(); ++i) StoreVram(ring + i * 4, packet[i]);
  engines.Doorbell(process.doorbell(), packet.size(), true);
  Settle();
  EXPECT_EQ(LoadVram<std::uint32_t>(data), 1u);
  hiq.Submit(Pm4(pm4::kUnmapQueues, {pm4::kResetQueues | 1u << 29, process.doorbell(), 0, 0, 0}));
  EXPECT_EQ(registers.Read(chip.cp_hqd_active) & 1, 0u);
}

TEST_F(Hws, OversubscribedListEndsWithAChainToItself) {
  TestProcess& process = AddProcess();
  RunList({process.MapProcess(), process.MapQueue(),
           Pm4(pm4::kRunList, {Lo(Mc(list)), Hi(Mc(list)), 27 | 1u << 20})});
  process.Emit(Pm4Write(kData, 1)).Kick();
  Settle();
  EXPECT_EQ(process.Load(), 1u);
}

TEST_F(Hws, MoreQueuesThanSlotsAllRun) {
  SetResources(0xff00, 0x3, 4000);
  for (unsigned i = 0; i < 6; ++i) AddProcess();
  RunAll();
  for (const auto& process : processes) process->Emit(Pm4Write(kData, 1)).Kick();
  Settle();
  for (const auto& process : processes) EXPECT_EQ(process->Load(), 1u);
}

TEST_F(Hws, MalformedListsAreCounted) {
  TestProcess& process = AddProcess();
  RunList({process.MapQueue()});
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kMalformedPacket, "PM4 MAP_QUEUES without process"),
            1u);
  RunList({Pm4(pm4::kWriteData, {0, 0, 0, 0})});
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kMalformedPacket, "PM4 RUN_LIST entry"), 1u);
  RunList({{pm4::Header(pm4::kMapProcess, 100), 1, 2}});
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kMalformedPacket, "PM4 RUN_LIST entry"), 2u);
  process.Emit(Pm4Write(kData, 1));
  RunAll();
  process.Kick();
  Settle();
  EXPECT_EQ(process.Load(), 1u);
}

TEST_F(Hws, AnSdmaEngineThatDoesNotExist) {
  TestProcess& process = AddProcess();
  RunList({process.MapProcess(), process.MapQueue(4)});
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kUnknownPacket, "PM4 MAP_QUEUES engine_sel"), 1u);
}

}  // namespace
}  // namespace kfdcts::vgpu
