#include <gtest/gtest.h>

#include "harness/vgpu/test/engines/test_queues.h"

namespace kfdcts::vgpu {
namespace {

struct SetReg {
  const char* name;
  pm4::Opcode opcode;
  std::uint32_t start;  ///< In dwords.
  std::uint32_t end;
};

struct Pm4SetReg : testing::TestWithParam<SetReg>, EngineRig {
  TestGfxRing ring{*this};
};

TEST_P(Pm4SetReg, WritesFromItsBaseOn) {
  const SetReg& p = GetParam();
  ring.Submit(Pm4(p.opcode, {0x10, 1, 2}));
  EXPECT_EQ(registers.Get((p.start + 0x10) * 4), 1u);
  EXPECT_EQ(registers.Get((p.start + 0x11) * 4), 2u);
}

TEST_P(Pm4SetReg, StaysInItsRange) {
  const SetReg& p = GetParam();
  ring.Submit(Pm4(p.opcode, {p.end - p.start - 1, 1, 2}));
  EXPECT_EQ(registers.Get(p.end * 4), 0u);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kMalformedPacket, "PM4 SET_REG range"), 1u);
}

INSTANTIATE_TEST_SUITE_P(Packets, Pm4SetReg,
                         testing::Values(SetReg{"Config", pm4::kSetConfigReg, 0x2000, 0x2c00},
                                         SetReg{"Sh", pm4::kSetShReg, 0x2c00, 0x3000},
                                         SetReg{"Context", pm4::kSetContextReg, 0xa000, 0xa400},
                                         SetReg{"Uconfig", pm4::kSetUconfigReg, 0xc000, 0x10000}),
                         [](const auto& test) { return test.param.name; });

/// A user's queue has its own state and nothing else.
struct Pm4UserRegisters : testing::Test, EngineRig {
  TestUserCompute queue{*this};
};

TEST_F(Pm4UserRegisters, ShRegistersAreFree) {
  queue.Submit(Pm4(pm4::kSetShReg, {0x10, 5}));
  EXPECT_EQ(registers.Get((0x2c00 + 0x10) * 4), 5u);
  EXPECT_FALSE(queue.halted());
}

TEST_F(Pm4UserRegisters, PrivilegedOnesStopTheQueue) {
  queue.Emit(Pm4(pm4::kWriteData, {0, chip.cp_mec_cntl / 4, 0, 5}));
  queue.Submit(Pm4Write(UserRing::kData, 1));
  EXPECT_EQ(registers.Get(chip.cp_mec_cntl), 0u);
  EXPECT_TRUE(queue.halted());
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData), 0u);
  // CP_PRIV_REG_FAULT of me 1, pipe 2, queue 3.
  EXPECT_EQ(Interrupts(),
            (std::vector<SeenInterrupt>{{0x14, 184, 2 | 1 << 2 | 3 << 4, kVmid, kPasid, 0, 0}}));
}

TEST_F(Pm4UserRegisters, ReadingAPrivilegedOneStopsTheQueueToo) {
  queue.Submit(
      Pm4(pm4::kCopyData, {pm4::kSrcRegister | pm4::kDstMemory << 8, chip.config_memsize / 4, 0,
                           Lo(UserRing::kData), Hi(UserRing::kData)}));
  EXPECT_TRUE(queue.halted());
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData), 0u);
}

TEST_F(Pm4UserRegisters, SchedulerPacketsAreRefused) {
  queue.Submit(Pm4(pm4::kUnmapQueues, {pm4::kUnmapAll << 4, 0, 0, 0, 0}));
  EXPECT_TRUE(queue.halted());
}

TEST_F(Pm4UserRegisters, RegistersBeyondTheBarAreOutOfRange) {
  TestGfxRing ring(*this);
  ring.Submit(Pm4(pm4::kWriteData, {0, 0x3'ffff, 0, 5}));
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kOutOfRange), 1u);
}

}  // namespace
}  // namespace kfdcts::vgpu
