#include "harness/vgpu/core/device.h"

#include <gtest/gtest.h>

#include <sstream>

#include "harness/vgpu/engines/pm4_packets.h"
#include "harness/vgpu/test/engines/device_rig.h"

namespace kfdcts::vgpu {
namespace {

using Bar = Device::Bar;

struct DeviceTest : testing::Test, DeviceRig {};

TEST_F(DeviceTest, RegistersOfEveryWidth) {
  const std::uint32_t reg = kVega10.scratch_reg0;
  Write<std::uint32_t>(Bar::kRegisters, reg, 0x1122'3344);
  EXPECT_EQ(Read<std::uint32_t>(Bar::kRegisters, reg), 0x1122'3344u);
  EXPECT_EQ(Read<std::uint8_t>(Bar::kRegisters, reg + 1), 0x33u);
  EXPECT_EQ(Read<std::uint16_t>(Bar::kRegisters, reg + 2), 0x1122u);
  Write<std::uint8_t>(Bar::kRegisters, reg + 3, 0xaa);
  EXPECT_EQ(Read<std::uint32_t>(Bar::kRegisters, reg), 0xaa22'3344u);
  Write<std::uint64_t>(Bar::kRegisters, reg, 0x1'0000'0002);
  EXPECT_EQ(Read<std::uint32_t>(Bar::kRegisters, reg), 2u);
  EXPECT_EQ(Read<std::uint32_t>(Bar::kRegisters, reg + 4), 1u);
}

TEST_F(DeviceTest, VramThroughBar0) {
  Write<std::uint64_t>(Bar::kVram, 0x1001, 0x1122'3344'5566'7788);
  EXPECT_EQ(Read<std::uint64_t>(Bar::kVram, 0x1001), 0x1122'3344'5566'7788u);
  EXPECT_EQ(Read<std::uint16_t>(Bar::kVram, 0x1002), 0x6677u);
  EXPECT_EQ(device.vram_bytes(), kVramBytes);
  EXPECT_GE(device.vram_fd(), 0);
}

TEST_F(DeviceTest, OutsideABarReadsOnesAndDropsWrites) {
  EXPECT_EQ(Read<std::uint32_t>(Bar::kVram, kVramBytes), ~0u);
  EXPECT_EQ(Read<std::uint64_t>(Bar::kVram, kVramBytes - 4), ~0ULL);
  EXPECT_EQ(Read<std::uint32_t>(Bar::kRegisters, 512 * 1024), ~0u);
  EXPECT_EQ(Read<std::uint32_t>(Bar::kDoorbell, Device::kDoorbellBytes), ~0u);
  EXPECT_EQ(Read<std::uint32_t>(Bar::kVram, ~0ULL - 1), ~0u);
  Write<std::uint64_t>(Bar::kVram, kVramBytes - 4, ~0ULL);
  EXPECT_EQ(Read<std::uint32_t>(Bar::kVram, kVramBytes - 4), 0u);
  std::ostringstream report;
  device.Report(report);
  EXPECT_NE(report.str().find("BAR0 write x1"), std::string::npos);
  EXPECT_NE(report.str().find("BAR5 read x1"), std::string::npos);
}

TEST_F(DeviceTest, WakesWhoStepsItOnlyForWork) {
  unsigned wakeups = 0;
  device.SetWakeup([&] { ++wakeups; });
  Write<std::uint32_t>(Bar::kRegisters, kVega10.scratch_reg0, 1);
  Write<std::uint64_t>(Bar::kVram, 0, 1);
  StartRing();
  EXPECT_EQ(wakeups, 0u);
  EXPECT_EQ(device.Step().wake_ns, UINT64_MAX);
  Submit({pm4::kNopDword});
  EXPECT_EQ(wakeups, 1u);
  EXPECT_TRUE(device.Step().progress);
  const auto idle = device.Step();
  EXPECT_FALSE(idle.progress);
  EXPECT_EQ(idle.wake_ns, UINT64_MAX);
}

TEST_F(DeviceTest, AWaitingQueueTellsWhenToComeBack) {
  StartRing();
  Submit({pm4::Header(pm4::kWaitRegMem, 6), 3, kVega10.scratch_reg0 / 4, 0, 1, 1, 10});
  const auto result = device.Step();
  EXPECT_FALSE(result.progress);
  EXPECT_EQ(result.wake_ns, host.NowNs() + 20'000);
}

// Who sleeps for ever must learn of a time that is not yet come.
TEST_F(DeviceTest, WakesWhoStepsItForWorkThatIsDueLater) {
  StartRing();
  Submit({pm4::Header(pm4::kWaitRegMem, 6), 3, kVega10.scratch_reg0 / 4, 0, 1, 1, 10});
  const auto due = device.Step().wake_ns;
  device.Control({.verb = ControlCommand::Verb::kHoldEngine, .engine = "cp"});
  EXPECT_EQ(device.Step().wake_ns, UINT64_MAX);
  unsigned wakeups = 0;
  device.SetWakeup([&] { ++wakeups; });
  device.Control({.verb = ControlCommand::Verb::kReleaseEngine, .engine = "cp"});
  EXPECT_EQ(wakeups, 1u);
  EXPECT_EQ(device.Step().wake_ns, due);
}

TEST_F(DeviceTest, AFlushWakesAStalledQueue) {
  StartRing();
  unsigned wakeups = 0;
  device.SetWakeup([&] { ++wakeups; });
  // An indirect buffer in VMID 8, whose page tables are empty, with retry.
  Write<std::uint32_t>(Bar::kRegisters, kVega10.gfx_hub.context0_cntl + 8 * 4, 1u << 7);
  Submit({pm4::Header(pm4::kIndirectBuffer, 3), 0x1000, 0, 4u | 8u << 24});
  EXPECT_EQ(wakeups, 1u);
  EXPECT_TRUE(device.Step().progress);
  const auto stalled = device.Step();
  EXPECT_FALSE(stalled.progress);
  EXPECT_EQ(stalled.wake_ns, host.NowNs() + 2'000'000);
  Write<std::uint32_t>(Bar::kRegisters, kVega10.gfx_hub.invalidate_eng0_req, 1u << 8);
  EXPECT_EQ(wakeups, 2u);
}

TEST_F(DeviceTest, ResetIsPowerOnAndKeepsVram) {
  StartRing();
  Write<std::uint32_t>(Bar::kRegisters, kVega10.scratch_reg0, 5);
  Write<std::uint32_t>(Bar::kVram, 0x8000, 7);
  device.Control({.verb = ControlCommand::Verb::kHoldEngine, .engine = "cp"});
  Emit({pm4::kNopDword});
  Kick();
  device.Reset();
  EXPECT_EQ(Read<std::uint32_t>(Bar::kRegisters, kVega10.scratch_reg0), 0u);
  EXPECT_EQ(Read<std::uint32_t>(Bar::kRegisters, kVega10.bios_scratch_0 + 7 * 4), 1u << 9);
  EXPECT_EQ(Read<std::uint32_t>(Bar::kVram, 0x8000), 7u);
  EXPECT_FALSE(device.Step().progress);
  StartRing();
  Submit({pm4::Header(pm4::kWriteData, 4), pm4::kDstMemory << 8, 0x8000,
          static_cast<std::uint32_t>(kVega10.fb_base >> 32), 9});
  EXPECT_TRUE(device.Step().progress);
  EXPECT_EQ(Read<std::uint32_t>(Bar::kVram, 0x8000), 9u);
}

TEST_F(DeviceTest, DoorbellsOfOddShapeAreRefused) {
  StartRing();
  Emit({pm4::kNopDword});
  Write<std::uint16_t>(Bar::kDoorbell, kDoorbell, 1);
  Write<std::uint64_t>(Bar::kDoorbell, kDoorbell + 4, 1);
  EXPECT_FALSE(device.Step().progress);
  EXPECT_EQ(device.Snapshot().doorbells, 2u);
}

TEST_F(DeviceTest, TheInterruptRingsDoorbellMovesItsReadPointer) {
  Write<std::uint32_t>(Bar::kRegisters, kVega10.ih_doorbell_rptr, 1u << 28 | 0x1e0);
  Write<std::uint32_t>(Bar::kDoorbell, 0x1e0 * 4, 0x40);
  EXPECT_EQ(Read<std::uint32_t>(Bar::kRegisters, kVega10.ih[0].rptr), 0x40u);
}

TEST_F(DeviceTest, ComplainsUntilItIsCleared) {
  StartRing();
  for (unsigned i = 0; i < 3; ++i) {
    Submit({pm4::Header(pm4::kReleaseMem, 7), 0, pm4::kData32 << 29, 0x10000,
            static_cast<std::uint32_t>(kVega10.fb_base >> 32), 7, 0, 0});
    while (device.Step().progress) {
    }
  }
  const Device::Complaints complaints = device.ListComplaints(false);
  ASSERT_EQ(complaints.findings.size(), 1u);
  EXPECT_EQ(complaints.findings[0].kind, FindingKind::kFenceTwice);
  EXPECT_EQ(complaints.findings[0].count, 2u);
  EXPECT_EQ(complaints.findings[0].engine, "gfx");
  EXPECT_EQ(device.ListComplaints(true).findings.size(), 1u);
  EXPECT_TRUE(device.ListComplaints(false).findings.empty());
}

TEST_F(DeviceTest, ReportsWhatItCounted) {
  StartRing();
  Submit({pm4::Header(static_cast<pm4::Opcode>(0x5a), 1), 0});
  while (device.Step().progress) {
  }
  Write<std::uint32_t>(Bar::kRegisters, 0x7fff0, 1);
  std::ostringstream report;
  device.Report(report);
  EXPECT_NE(report.str().find("unknown packet: PM4 0x5a x1"), std::string::npos) << report.str();
  EXPECT_NE(report.str().find("unknown register: reg 0x7fff0 write x1"), std::string::npos)
      << report.str();
}

}  // namespace
}  // namespace kfdcts::vgpu
