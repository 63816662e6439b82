#include <gtest/gtest.h>

#include "harness/vgpu/test/engines/test_queues.h"

namespace kfdcts::vgpu {
namespace {

using sdma::Header;

struct SdmaPacket : testing::Test, EngineRig {
  TestSdmaRing ring{*this};
  std::uint64_t data = Alloc(1 << 20), buffer = Alloc(4096);

  std::uint32_t At(std::uint64_t offset) { return LoadVram<std::uint32_t>(data + offset); }
  std::uint64_t At64(std::uint64_t offset) { return LoadVram<std::uint64_t>(data + offset); }
  std::uint8_t Byte(std::uint64_t offset) { return LoadVram<std::uint8_t>(data + offset); }
  std::uint64_t Address(std::uint64_t offset = 0) { return Mc(data + offset); }
  Dwords Fence(std::uint64_t offset, std::uint32_t value) {
    return {Header(sdma::kFence), Lo(Address(offset)), Hi(Address(offset)), value};
  }
  Dwords Copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes) {
    return {Header(sdma::kCopy), bytes - 1,      0, Lo(Address(from)), Hi(Address(from)),
            Lo(Address(to)),     Hi(Address(to))};
  }
};

TEST_F(SdmaPacket, CopyMovesExactlyItsBytes) {
  for (unsigned i = 0; i < 64; ++i) StoreVram(data + i, static_cast<std::uint8_t>(i + 1));
  ring.Submit(Copy(3, 101, 7));
  EXPECT_EQ(Byte(100), 0);
  for (unsigned i = 0; i < 7; ++i) EXPECT_EQ(Byte(101 + i), 4 + i);
  EXPECT_EQ(Byte(108), 0);
  EXPECT_EQ(counters.copies, 1u);
  EXPECT_EQ(counters.bytes_copied, 7u);
}

TEST_F(SdmaPacket, CopyOfFourMebibytesIsOneStep) {
  ring.Emit({Header(sdma::kCopy), 0x3f'ffff, 0, Lo(Mc(0)), Hi(Mc(0)), Lo(Mc(4 << 20)),
             Hi(Mc(4 << 20))})
      .Kick();
  EXPECT_TRUE(engines.Step());
  EXPECT_FALSE(engines.Step());
  EXPECT_EQ(counters.bytes_copied, 4u << 20);
}

TEST_F(SdmaPacket, BroadcastCopiesTwice) {
  StoreVram(data, 0x1234'5678u);
  ring.Submit({Header(sdma::kCopy) | sdma::kBroadcast, 3, 0, Lo(Address()), Hi(Address()),
               Lo(Address(8)), Hi(Address(8)), Lo(Address(16)), Hi(Address(16))});
  EXPECT_EQ(At(8), 0x1234'5678u);
  EXPECT_EQ(At(16), 0x1234'5678u);
}

TEST_F(SdmaPacket, WriteOfManyDwordsAroundTheRing) {
  Dwords packet{Header(sdma::kWrite), Lo(Address()), Hi(Address()), 599};
  for (std::uint32_t i = 0; i < 600; ++i) packet.push_back(i);
  for (unsigned round = 0; round < 5; ++round) {
    ring.Submit(packet);
    ASSERT_EQ(At(0), 0u);
    ASSERT_EQ(At(599 * 4), 599u);
    StoreVram(data + 599 * 4, 0u);
  }
  EXPECT_EQ(At(600 * 4), 0u);
}

struct Fill {
  const char* name;
  std::uint32_t size, pattern, count;
  std::uint64_t expected;  ///< First eight bytes, of which `bytes` are filled.
  std::uint32_t bytes;
};

struct SdmaFill : SdmaPacket, testing::WithParamInterface<Fill> {};

TEST_P(SdmaFill, FillsExactly) {
  const Fill& f = GetParam();
  ring.Submit(
      {Header(sdma::kConstFill) | f.size << 30, Lo(Address()), Hi(Address()), f.pattern, f.count});
  EXPECT_EQ(At64(0), f.expected);
  EXPECT_EQ(Byte(f.bytes), 0);
  EXPECT_NE(Byte(f.bytes - 1), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, SdmaFill,
    testing::Values(
        Fill{"Byte", sdma::kFillByte, 0x1111'11ab, 2, 0xab'abab, 3},
        Fill{"Word", sdma::kFillWord, 0x1111'cdab, 3, 0xcdab'cdab, 4},
        Fill{"DwordByBytesLessOne", sdma::kFillDword, 0x4433'2211, 7, 0x4433'2211'4433'2211, 8},
        Fill{"DwordByDwords", sdma::kFillDword, 0x4433'2211, 4, 0x4433'2211'4433'2211, 8}),
    [](const auto& test) { return test.param.name; });

TEST_F(SdmaPacket, FillOfAnUnknownSizeIsCounted) {
  ring.Submit({Header(sdma::kConstFill) | 3u << 30, Lo(Address()), Hi(Address()), 1, 3});
  EXPECT_EQ(At(0), 0u);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kUnknownPacket), 1u);
}

TEST_F(SdmaPacket, FenceAndTrap) {
  ring.Emit(Fence(0, 0x77));
  ring.Submit({Header(sdma::kTrap), 0xf000'0123});
  EXPECT_EQ(At(0), 0x77u);
  EXPECT_EQ(Interrupts(), (std::vector<SeenInterrupt>{{8, 224, 0, 0, 0, 0x123, 0}}));
  ring.Submit({Header(sdma::kDummyTrap), 1});
  EXPECT_TRUE(Interrupts().empty());
}

TEST_F(SdmaPacket, NopSkipsItsCount) {
  ring.Emit({Header(sdma::kNop) | 3u << 16, 0xff, 0xff, 0xff});
  ring.Submit(Fence(0, 1));
  EXPECT_EQ(At(0), 1u);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kUnknownPacket), 0u);
}

TEST_F(SdmaPacket, IndirectRunsInTheVmidThatTheDriverNames) {
  const std::uint64_t va = kUserBase + 0x8000;
  const Dwords inside{Header(sdma::kFence), Lo(va), Hi(va), 5};
  for (std::size_t i = 0; i < inside.size(); ++i) StoreUser(kUserBase + i * 4, inside[i]);
  ring.Emit({Header(sdma::kIndirect) | std::uint32_t{kVmid} << 16, Lo(kUserBase), Hi(kUserBase), 4,
             0, 0});
  ring.Submit(Fence(0, 6));
  EXPECT_EQ(LoadUser<std::uint32_t>(va), 5u);
  EXPECT_EQ(At(0), 6u);
}

TEST_F(SdmaPacket, NestedIndirectIsMalformed) {
  const Dwords inside{Header(sdma::kIndirect), Lo(Mc(buffer)), Hi(Mc(buffer)), 6, 0, 0};
  for (std::size_t i = 0; i < inside.size(); ++i) StoreVram(buffer + i * 4, inside[i]);
  ring.Emit(inside);
  ring.Submit(Fence(0, 6));
  EXPECT_EQ(At(0), 6u);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kMalformedPacket, "SDMA INDIRECT nesting"), 1u);
}

TEST_F(SdmaPacket, GenPtepdeWritesEntries) {
  ring.Submit(
      {Header(sdma::kPtepde), Lo(Address()), Hi(Address()), 0x71, 0, 0x5000, 1, 0x1000, 0, 2});
  EXPECT_EQ(At64(0), 0x1'0000'5071u);
  EXPECT_EQ(At64(8), 0x1'0000'6071u);
  EXPECT_EQ(At64(16), 0x1'0000'7071u);
  EXPECT_EQ(At64(24), 0u);
}

TEST_F(SdmaPacket, CopyPtepdeAddsTheMask) {
  StoreVram(data, std::uint64_t{0x1000});
  StoreVram(data + 8, std::uint64_t{0x2000});
  ring.Submit({Header(sdma::kPtepde, sdma::kPtepdeCopy), Lo(Address()), Hi(Address()),
               Lo(Address(64)), Hi(Address(64)), 0x71, 0, 1});
  EXPECT_EQ(At64(64), 0x1071u);
  EXPECT_EQ(At64(72), 0x2071u);
  EXPECT_EQ(At64(80), 0u);
}

TEST_F(SdmaPacket, AtomicAdds) {
  StoreVram(data, std::uint64_t{0xffff'ffff});
  ring.Submit({Header(sdma::kAtomic) | 0x2fu << 25, Lo(Address()), Hi(Address()), 1, 0, 0, 0, 0});
  EXPECT_EQ(At64(0), 0x1'0000'0000u);
  ring.Submit({Header(sdma::kAtomic) | 0x03u << 25, Lo(Address()), Hi(Address()), 1, 0, 0, 0, 0});
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kUnknownPacket, "SDMA ATOMIC operation"), 1u);
}

TEST_F(SdmaPacket, AtomicLoopWaits) {
  ring.Emit({Header(sdma::kAtomic) | sdma::kAtomicLoop | 0x28u << 25, Lo(Address()), Hi(Address()),
             9, 0, 7, 0, 10});
  ring.Submit(Fence(8, 1));
  RunFor(1'000'000);
  EXPECT_EQ(At(8), 0u);
  StoreVram(data, std::uint64_t{7});
  RunFor(1'000'000);
  EXPECT_EQ(At(0), 9u);
  EXPECT_EQ(At(8), 1u);
}

TEST_F(SdmaPacket, SemaphoreSignalsAndWaits) {
  ring.Emit({Header(sdma::kSem) | sdma::kSemSignal, Lo(Address()), Hi(Address())});
  ring.Submit({Header(sdma::kSem) | sdma::kSemSignal, Lo(Address()), Hi(Address())});
  EXPECT_EQ(At64(0), 2u);
  ring.Submit(
      {Header(sdma::kSem) | sdma::kSemSignal | sdma::kSemWriteOne, Lo(Address()), Hi(Address())});
  EXPECT_EQ(At64(0), 1u);
  ring.Emit({Header(sdma::kSem), Lo(Address()), Hi(Address())})
      .Emit({Header(sdma::kSem), Lo(Address()), Hi(Address())});
  ring.Submit(Fence(8, 1));
  EXPECT_EQ(At64(0), 0u);
  EXPECT_EQ(At(8), 0u);
  StoreVram(data, std::uint64_t{3});
  RunFor(1'000'000);
  EXPECT_EQ(At64(0), 2u);
  EXPECT_EQ(At(8), 1u);
}

TEST_F(SdmaPacket, CondExeSkipsUnlessEqual) {
  StoreVram(data, 1u);
  ring.Emit({Header(sdma::kCondExe), Lo(Address()), Hi(Address()), 1, 4}).Emit(Fence(4, 1));
  ring.Emit({Header(sdma::kCondExe), Lo(Address()), Hi(Address()), 2, 4}).Emit(Fence(8, 1));
  ring.Submit(Fence(12, 1));
  EXPECT_EQ(At(4), 1u);
  EXPECT_EQ(At(8), 0u);
  EXPECT_EQ(At(12), 1u);
}

TEST_F(SdmaPacket, PreExeSkipsForOtherDevices) {
  ring.Emit({Header(sdma::kPreExe) | 1u << 16, 4}).Emit(Fence(4, 1));
  ring.Emit({Header(sdma::kPreExe) | 2u << 16, 4}).Emit(Fence(8, 1));
  ring.Submit(Fence(12, 1));
  EXPECT_EQ(At(4), 1u);
  EXPECT_EQ(At(8), 0u);
  EXPECT_EQ(At(12), 1u);
}

TEST_F(SdmaPacket, Timestamps) {
  ring.Emit({Header(sdma::kTimestamp, sdma::kTimestampGetGlobal), Lo(Address()), Hi(Address())});
  ring.Emit({Header(sdma::kTimestamp, sdma::kTimestampSet), 1000, 0});
  ring.Submit({Header(sdma::kTimestamp, sdma::kTimestampGet), Lo(Address(8)), Hi(Address(8))});
  EXPECT_EQ(At64(0), host.NowNs() / 10);
  EXPECT_EQ(At64(8), 1000u);
  host.AdvanceNs(500);
  ring.Submit({Header(sdma::kTimestamp, sdma::kTimestampGet), Lo(Address(8)), Hi(Address(8))});
  EXPECT_EQ(At64(8), 1050u);
}

TEST_F(SdmaPacket, SrbmWriteWithByteEnables) {
  ring.Submit({Header(sdma::kSrbmWrite) | 0xfu << 28, chip.scratch_reg0 / 4, 0x1122'3344});
  EXPECT_EQ(registers.Get(chip.scratch_reg0), 0x1122'3344u);
  ring.Submit({Header(sdma::kSrbmWrite) | 0x5u << 28, chip.scratch_reg0 / 4, 0xaabb'ccdd});
  EXPECT_EQ(registers.Get(chip.scratch_reg0), 0x11bb'33ddu);
}

TEST_F(SdmaPacket, PollRegWriteMem) {
  registers.Set(chip.scratch_reg0, 0x99);
  ring.Submit({Header(sdma::kPollRegmem, sdma::kPollRegWriteMem), chip.scratch_reg0, Lo(Address()),
               Hi(Address())});
  EXPECT_EQ(At(0), 0x99u);
}

TEST_F(SdmaPacket, PollWithACountGivesUpAndTells) {
  ring.Emit({Header(sdma::kPollRegmem) | sdma::kPollMemory | 3u << 28, Lo(Address()), Hi(Address()),
             1, ~0u, 3u << 16});
  ring.Submit(Fence(4, 1));
  EXPECT_EQ(At(4), 0u);
  RunFor(10'000'000);
  EXPECT_EQ(At(4), 1u);
  EXPECT_EQ(Interrupts(), (std::vector<SeenInterrupt>{{8, 246, 0, 0, 0, 0, 0}}));
}

struct UnknownSdma : SdmaPacket,
                     testing::WithParamInterface<std::pair<std::uint32_t, const char*>> {};

TEST_P(UnknownSdma, IsCountedAndTheSubmissionDropped) {
  ring.Emit({GetParam().first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  ring.Submit(Fence(0, 1));
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kUnknownPacket, GetParam().second), 1u);
  EXPECT_EQ(At(0), 0u);
  ring.Submit(Fence(0, 2));
  EXPECT_EQ(At(0), 2u);
}

INSTANTIATE_TEST_SUITE_P(Packets, UnknownSdma,
                         testing::Values(std::pair{Header(sdma::kCopy, 4), "SDMA op 1 sub-op 4"},
                                         std::pair{Header(sdma::kPtepde, 2), "SDMA op 12 sub-op 2"},
                                         std::pair{0x3u, "SDMA op 3 sub-op 0"},
                                         std::pair{0xffu, "SDMA op 255 sub-op 0"}));

TEST_F(SdmaPacket, TruncatedPacketsAreMalformed) {
  ring.Submit({Header(sdma::kCopy), 3, 0});
  ring.Submit({Header(sdma::kWrite), Lo(Address()), Hi(Address()), 9, 1, 2});
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kMalformedPacket), 2u);
  EXPECT_EQ(At(0), 0u);
  ring.Submit(Fence(0, 2));
  EXPECT_EQ(At(0), 2u);
}

struct SdmaUser : testing::Test, EngineRig {
  TestUserSdma queue{*this};
};

TEST_F(SdmaUser, RegistersAreOutOfBounds) {
  queue.Emit({Header(sdma::kSrbmWrite) | 0xfu << 28, chip.scratch_reg0 / 4, 5});
  queue.Submit({Header(sdma::kFence), Lo(UserRing::kData), Hi(UserRing::kData), 1});
  EXPECT_EQ(registers.Get(chip.scratch_reg0), 0u);
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData), 1u)
      << "the write is dropped, the queue goes on";
  EXPECT_EQ(Interrupts(), (std::vector<SeenInterrupt>{{8, 247, 2, kVmid, kPasid, 0, 0}}));
}

TEST_F(SdmaUser, AnUnknownPacketHaltsIt) {
  queue.Submit({0xff, 0, 0, 0});
  queue.Submit({Header(sdma::kFence), Lo(UserRing::kData), Hi(UserRing::kData), 1});
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData), 0u);
  EXPECT_EQ(queue.Read(chip.sdma_queue.context_status) >> 4 & 7, 1u);
}

TEST_F(SdmaUser, IsIdleOnlyWhenItsWorkIsDone) {
  EXPECT_TRUE(queue.idle());
  queue
      .Emit({Header(sdma::kPollRegmem) | sdma::kPollMemory | 3u << 28, Lo(UserRing::kData),
             Hi(UserRing::kData), 1, ~0u, sdma::kPollForever << 16})
      .Kick();
  EXPECT_FALSE(queue.idle());
  const std::uint32_t status = chip.sdma_base[0] + chip.sdma_engine.status_reg;
  EXPECT_EQ(registers.Read(status) & 1, 0u);
  StoreUser(UserRing::kData, 1u);
  RunFor(1'000'000);
  EXPECT_TRUE(queue.idle());
  EXPECT_EQ(registers.Read(status) & 1, 1u);
}

TEST_F(SdmaUser, SwitchingOffKeepsThePointerAndSwitchingOnGoesOn) {
  queue.Emit({Header(sdma::kPollRegmem) | sdma::kPollMemory | 3u << 28, Lo(UserRing::kData),
              Hi(UserRing::kData), 1, ~0u, sdma::kPollForever << 16});
  queue.Submit({Header(sdma::kFence), Lo(UserRing::kData + 4), Hi(UserRing::kData), 1});
  queue.Write(0, 10u << 1);
  EXPECT_TRUE(queue.idle());
  EXPECT_EQ(queue.Read(chip.sdma_queue.rb_rptr), 0u);
  StoreUser(UserRing::kData, 1u);
  RunFor(5'000'000);
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData + 4), 0u);
  queue.Load(0);
  Settle();
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData + 4), 1u);
  EXPECT_EQ(counters.fences, 1u);
}

TEST_F(SdmaUser, AnIndirectBufferIsFinishedBeforeTheQueueIsOff) {
  const std::uint64_t ib = UserRing::kData + 0x1000;
  const Dwords inside{Header(sdma::kPollRegmem) | sdma::kPollMemory | 3u << 28,
                      Lo(UserRing::kData),
                      Hi(UserRing::kData),
                      1,
                      ~0u,
                      sdma::kPollForever << 16};
  for (std::size_t i = 0; i < inside.size(); ++i) StoreUser(ib + i * 4, inside[i]);
  queue.Submit({Header(sdma::kIndirect), Lo(ib), Hi(ib), 6, 0, 0});
  queue.Write(0, 10u << 1);
  EXPECT_FALSE(queue.idle());
  StoreUser(UserRing::kData, 1u);
  RunFor(1'000'000);
  EXPECT_TRUE(queue.idle());
  EXPECT_EQ(queue.Read(chip.sdma_queue.rb_rptr), queue.wptr() * 4);
}

/// kgd_hqd_sdma_destroy sets the enable bit again to read the pointer, with the doorbell off.
TEST_F(SdmaUser, WithoutADoorbellNothingRuns) {
  queue.Write(0, 10u << 1);
  queue.Write(chip.sdma_queue.doorbell, 0);
  queue.Emit({Header(sdma::kFence), Lo(UserRing::kData), Hi(UserRing::kData), 1});
  queue.Write(chip.sdma_queue.rb_wptr, Lo(queue.wptr() * 4));
  queue.Write(0, 10u << 1 | 1u << 12 | std::uint32_t{kVmid} << 24 | 1u);
  Settle();
  EXPECT_TRUE(queue.idle());
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData), 0u);
}

}  // namespace
}  // namespace kfdcts::vgpu
