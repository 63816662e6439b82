#include <gtest/gtest.h>

#include "harness/vgpu/test/engines/test_queues.h"

namespace kfdcts::vgpu {
namespace {

struct Pm4Control : testing::Test, EngineRig {
  TestGfxRing ring{*this};
  std::uint64_t data = Alloc(64 * 1024), buffer = Alloc(64 * 1024);

  std::uint32_t At(std::uint64_t offset) { return LoadVram<std::uint32_t>(data + offset); }
  std::uint64_t Address(std::uint64_t offset = 0) { return Mc(data + offset); }
  /// Puts packets into the indirect buffer; its packet.
  Dwords Indirect(const Dwords& packets, std::uint64_t offset = 0, std::uint32_t flags = 0,
                  pm4::Opcode opcode = pm4::kIndirectBuffer) {
    for (std::size_t i = 0; i < packets.size(); ++i) StoreVram(buffer + offset + i * 4, packets[i]);
    return Pm4(opcode, {Lo(Mc(buffer + offset)), Hi(Mc(buffer)),
                        static_cast<std::uint32_t>(packets.size()) | flags});
  }
};

TEST_F(Pm4Control, NopsOfEveryLength) {
  ring.Emit({pm4::kNopDword, pm4::kType2Nop, pm4::kNopDword});
  ring.Emit(Pm4(pm4::kNop, {0xdead})).Emit(Pm4(pm4::kNop, {1, 2, 3, 4, 5, 6, 7}));
  ring.Submit(Pm4Write(Address(), 1));
  EXPECT_EQ(At(0), 1u);
  EXPECT_EQ(ring.reported_rptr(), ring.wptr());
}

TEST_F(Pm4Control, Type0SetsConsecutiveRegisters) {
  ring.Submit({1u << 16 | chip.scratch_reg0 / 4, 11, 12});
  EXPECT_EQ(registers.Get(chip.scratch_reg0), 11u);
  EXPECT_EQ(registers.Get(chip.scratch_reg0 + 4), 12u);
}

TEST_F(Pm4Control, PacketsWithoutEffectArePassed) {
  for (const auto opcode :
       {pm4::kClearState, pm4::kContextControl, pm4::kPfpSyncMe, pm4::kPreambleCntl, pm4::kRewind,
        pm4::kSwitchBuffer, pm4::kFrameControl, pm4::kSetBase, pm4::kEventWrite,
        pm4::kWaitOnCeCounter}) {
    ring.Emit(Pm4(opcode, {0, 0}));
  }
  ring.Emit(Pm4(pm4::kAcquireMem, {0, ~0u, 0xff'ffff, 0, 0, 10}));
  ring.Submit(Pm4Write(Address(), 1));
  EXPECT_EQ(At(0), 1u);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kUnknownPacket), 0u);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kMalformedPacket), 0u);
}

TEST_F(Pm4Control, CondExecSkipsWhereTheConditionIsZero) {
  StoreVram(data, std::uint32_t{0});
  ring.Emit(Pm4(pm4::kCondExec, {Lo(Address()), Hi(Address()), 0, 5}))
      .Emit(Pm4Write(Address(4), 1));
  ring.Submit(Pm4Write(Address(8), 2));
  EXPECT_EQ(At(4), 0u);
  EXPECT_EQ(At(8), 2u);
  StoreVram(data, std::uint32_t{1});
  ring.Emit(Pm4(pm4::kCondExec, {Lo(Address()), Hi(Address()), 0, 5}));
  ring.Submit(Pm4Write(Address(4), 3));
  EXPECT_EQ(At(4), 3u);
}

TEST_F(Pm4Control, IndirectBufferRunsBetweenItsNeighbours) {
  Dwords inside = Pm4Write(Address(), 2);
  ring.Emit(Pm4Write(Address(), 1))
      .Emit(Indirect(inside))
      .Emit(Pm4(pm4::kCopyData, {pm4::kSrcMemory | pm4::kDstMemory << 8, Lo(Address()),
                                 Hi(Address()), Lo(Address(4)), Hi(Address())}));
  ring.Submit(Pm4Write(Address(), 3));
  EXPECT_EQ(At(0), 3u);
  EXPECT_EQ(At(4), 2u);
  EXPECT_EQ(ring.reported_rptr(), ring.wptr());
}

TEST_F(Pm4Control, IndirectBufferConstAndEmptyOne) {
  ring.Emit(Indirect({}));
  ring.Submit(Indirect(Pm4Write(Address(), 4), 0, 0, pm4::kIndirectBufferConst));
  EXPECT_EQ(At(0), 4u);
}

TEST_F(Pm4Control, IndirectBufferInTheVmidThatTheDriverNames) {
  const Dwords inside = Pm4Write(kUserBase + 0x8000, 0x55);
  for (std::size_t i = 0; i < inside.size(); ++i) StoreUser(kUserBase + i * 4, inside[i]);
  ring.Submit(
      Pm4(pm4::kIndirectBuffer, {Lo(kUserBase), Hi(kUserBase), 5u | std::uint32_t{kVmid} << 24}));
  EXPECT_EQ(LoadUser<std::uint32_t>(kUserBase + 0x8000), 0x55u);
}

TEST_F(Pm4Control, ChainContinuesElsewhereAndReturnsToTheRing) {
  const Dwords second = Pm4Write(Address(4), 2);
  Dwords first = Pm4Write(Address(), 1);
  const Dwords jump = Indirect(second, 0x1000, 1u << 20);
  first.insert(first.end(), jump.begin(), jump.end());
  const Dwords never = Pm4Write(Address(8), 9);
  first.insert(first.end(), never.begin(), never.end());
  ring.Emit(Indirect(first));
  ring.Submit(Pm4Write(Address(12), 3));
  EXPECT_EQ(At(0), 1u);
  EXPECT_EQ(At(4), 2u);
  EXPECT_EQ(At(8), 0u);
  EXPECT_EQ(At(12), 3u);
}

TEST_F(Pm4Control, NestingTooDeepIsMalformed) {
  // The innermost calls itself.
  ring.Emit(Indirect(Indirect({}, 0, 4)));
  ring.Submit(Pm4Write(Address(), 1));
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kMalformedPacket, "PM4 INDIRECT_BUFFER nesting"), 1u);
  EXPECT_EQ(At(0), 1u);
}

TEST_F(Pm4Control, ABufferThatChainsToItselfDoesNotStopTheOthers) {
  const Dwords loop = Indirect({}, 0, 1u << 20 | 4);
  for (std::size_t i = 0; i < loop.size(); ++i) StoreVram(buffer + i * 4, loop[i]);
  ring.Emit(Indirect({}, 0, 4)).Kick();
  TestKiq kiq(*this);
  kiq.Emit(Pm4Write(Address(), 7)).Kick();
  Settle(100);
  EXPECT_EQ(At(0), 7u);
}

TEST_F(Pm4Control, InvalidateTlbsOfAPasidInBothHubs) {
  const auto before = memory.InvalidationCount();
  ring.Submit(Pm4(pm4::kInvalidateTlbs, {1u | 1u << 4 | (kPasid + 1) << 5}));
  EXPECT_EQ(memory.InvalidationCount(), before);
  std::uint32_t value = 0;
  ASSERT_FALSE(memory.Read32({Hub::kMm, kVmid}, kUserBase, value));
  tables.MapSystem(kUserBase, kUserBus + 4096);
  StoreUser(kUserBase + 4096, std::uint32_t{0x99});
  ring.Submit(Pm4(pm4::kInvalidateTlbs, {1u | 1u << 4 | kPasid << 5}));
  EXPECT_EQ(memory.InvalidationCount(), before + 2);
  ASSERT_FALSE(memory.Read32({Hub::kMm, kVmid}, kUserBase, value));
  EXPECT_EQ(value, 0x99u);
}

TEST_F(Pm4Control, DispatchOfTheDriverIsPassedAndCounted) {
  ring.Emit(Pm4(pm4::kDispatchDirect, {1, 1, 1, 1}));
  ring.Submit(Pm4Write(Address(), 1));
  EXPECT_EQ(At(0), 1u);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kUnsupportedDispatch), 1u);
}

TEST_F(Pm4Control, UnknownOpcodeIsCountedByItsNumberAndPassed) {
  ring.Emit(Pm4(static_cast<pm4::Opcode>(0x5a), {1, 2, 3}));
  ring.Submit(Pm4Write(Address(), 1));
  EXPECT_EQ(At(0), 1u);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kUnknownPacket, "PM4 0x5a"), 1u);
}

TEST_F(Pm4Control, PacketShorterThanItsFieldsIsMalformed) {
  ring.Emit(Pm4(pm4::kWaitRegMem, {3, 0, 0}));
  ring.Submit(Pm4Write(Address(), 1));
  EXPECT_EQ(At(0), 1u);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kMalformedPacket), 1u);
}

TEST_F(Pm4Control, PacketLongerThanWhatWasSubmittedIsMalformed) {
  ring.Submit({pm4::Header(pm4::kNop, 100), 0, 0});
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kMalformedPacket), 1u);
  ring.Submit(Pm4Write(Address(), 1));
  EXPECT_EQ(At(0), 1u);
}

}  // namespace
}  // namespace kfdcts::vgpu
