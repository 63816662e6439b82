#include "harness/vgpu/core/register_file.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace kfdcts::vgpu {
namespace {

struct Registers : testing::Test {
  Diagnostics diagnostics;
  RegisterFile registers{diagnostics};
};

TEST_F(Registers, ReadBackWhatWasWritten) {
  registers.Write(0x7fffc, 0x1234'5678);
  EXPECT_EQ(registers.Read(0x7fffc), 0x1234'5678U);
  EXPECT_EQ(registers.Get(0x7fffc), 0x1234'5678U);
}

TEST_F(Registers, UnalignedOffsetIsRoundedDown) {
  registers.Write(0x103, 5);
  EXPECT_EQ(registers.Read(0x100), 5U);
  EXPECT_EQ(registers.Read(0x102), 5U);
}

TEST_F(Registers, BeyondTheBarReadsZeroAndDropsWrites) {
  for (const auto offset : {RegisterFile::kMmioBytes, 0xffff'fffcU}) {
    registers.Write(offset, 5);
    EXPECT_EQ(registers.Read(offset), 0U);
    registers.Set(offset, 5);
    EXPECT_EQ(registers.Get(offset), 0U);
  }
}

TEST_F(Registers, Get64TakesTheNextAsTheHighHalf) {
  registers.Set(0x100, 1);
  registers.Set(0x104, 2);
  EXPECT_EQ(registers.Get64(0x100), 0x2'0000'0001U);
}

TEST_F(Registers, HooksOfARowKnowTheirRegister) {
  std::vector<std::uint32_t> seen;
  registers.OnRead(
      0x200, 3, [](std::uint32_t offset) { return offset + 1; }, 8);
  registers.OnWrite(
      0x200, 3, [&](std::uint32_t offset, std::uint32_t) { seen.push_back(offset); }, 8);
  EXPECT_EQ(registers.Read(0x210), 0x211U);
  registers.Write(0x208, 7);
  registers.Write(0x204, 7);
  EXPECT_EQ(seen, std::vector<std::uint32_t>{0x208});
  EXPECT_EQ(registers.Get(0x208), 0U);
  EXPECT_EQ(registers.Get(0x204), 7U);
}

TEST_F(Registers, LatestHookWins) {
  registers.OnRead(0x200, 1, [](std::uint32_t) { return 1U; });
  registers.OnRead(0x200, 1, [](std::uint32_t) { return 2U; });
  EXPECT_EQ(registers.Read(0x200), 2U);
}

TEST_F(Registers, HooksThatReachEachOtherEnd) {
  registers.OnRead(0x200, 1, [this](std::uint32_t) { return registers.Read(0x204) + 1; });
  registers.OnRead(0x204, 1, [this](std::uint32_t) { return registers.Read(0x200) + 1; });
  EXPECT_EQ(registers.Read(0x200), 4U);
  EXPECT_EQ(registers.Read(0x200), 4U);
}

TEST_F(Registers, OnlyUnnamedRegistersAreCounted) {
  const RegisterName names[] = {{0x100, "ALONE"}, {0x200, "ROW%u_LO", 2, 8, 3}};
  registers.SetNames(names);
  EXPECT_STREQ(registers.Name(0x208), "ROW4_LO");
  EXPECT_EQ(registers.Name(0x204), nullptr);
  registers.Read(0x100);
  registers.Write(0x208, 0);
  registers.Write(0x204, 0);
  registers.Read(0x8'0000);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kUnknownRegister), 2U);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kUnknownRegister, "reg 0x00204 write"), 1U);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kUnknownRegister, "reg 0x80000 read"), 1U);
}

TEST_F(Registers, ClearKeepsHooksAndNames) {
  registers.SetName(0x100, "NAMED");
  registers.OnRead(0x200, 1, [](std::uint32_t) { return 9U; });
  registers.Write(0x100, 5);
  registers.SetSmn(0x1234, 6);
  registers.Clear();
  EXPECT_EQ(registers.Read(0x100), 0U);
  EXPECT_EQ(registers.GetSmn(0x1234), 0U);
  EXPECT_EQ(registers.Read(0x200), 9U);
  EXPECT_STREQ(registers.Name(0x100), "NAMED");
}

TEST_F(Registers, SmnDoesNotGrowWithoutBound) {
  for (std::uint32_t address = 0; address < 200'000; ++address) registers.SetSmn(address * 4, 1);
  EXPECT_EQ(registers.GetSmn(0), 1U);
  EXPECT_EQ(registers.GetSmn(199'999 * 4), 0U);
  registers.SetSmn(0, 2);
  EXPECT_EQ(registers.GetSmn(0), 2U);
}

TEST_F(Registers, TraceNamesAndFolds) {
  std::ostringstream log;
  registers.SetName(0x100, "NAMED");
  registers.Trace(&log);
  registers.Write(0x100, 0xab);
  for (int i = 0; i < 3; ++i) registers.Read(0x100);
  registers.Read(0x104);
  registers.Trace(nullptr);
  registers.Read(0x100);
  EXPECT_EQ(log.str(),
            "W 00100 NAMED = 000000ab\nR 00100 NAMED = 000000ab\n  and 2 more of it\n"
            "R 00104 ? = 00000000\n");
}

}  // namespace
}  // namespace kfdcts::vgpu
