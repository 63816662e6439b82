#include <gtest/gtest.h>

#include "harness/vgpu/test/engines/test_queues.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kHole = EngineRig::kUserBase + EngineRig::kUserBytes;  // not mapped
constexpr std::uint64_t kFence = UserRing::kData;

struct QueueFault : testing::Test, EngineRig {
  TestUserCompute queue{*this};
  TestUserSdma dma{*this};

  /// One queue at a time rings here: both rings lie at the same place.
  void Fix() {
    MapUser(kHole, kUserBus + 0x8'0000);
    Flush(Hub::kGfx, kVmid);
    Flush(Hub::kMm, kVmid);
  }
  std::uint32_t Behind(std::uint64_t offset = 0) {
    return host.Load<std::uint32_t>(kUserBus + 0x8'0000 + offset);
  }
  Dwords Fence(std::uint32_t value) {
    return Pm4(pm4::kReleaseMem, {0x14 | 5u << 8, pm4::kData32 << 29 | pm4::kIntAfterWrite << 24,
                                  Lo(kFence), Hi(kFence), value, 0, value});
  }
};

TEST_F(QueueFault, RetryStallsUntilThePageIsThere) {
  SetUserRetry(true);
  queue.Emit(Pm4Write(kHole, 0x42));
  queue.Submit(Fence(1));
  EXPECT_EQ(FaultCount(), 1u);
  EXPECT_EQ(LoadUser<std::uint32_t>(kFence), 0u);
  Fix();
  Settle();
  EXPECT_EQ(Behind(), 0x42u);
  EXPECT_EQ(LoadUser<std::uint32_t>(kFence), 1u);
  EXPECT_EQ(counters.fences, 1u);
  EXPECT_EQ(Interrupts(),
            (std::vector<SeenInterrupt>{{0x14, 181, 2 | 1 << 2 | 3 << 4, kVmid, kPasid, 1, 0}}));
}

TEST_F(QueueFault, AFaultingFenceIsWrittenOnceAndInterruptsOnce) {
  SetUserRetry(true);
  queue.Submit(Pm4(pm4::kReleaseMem, {0, pm4::kData32 << 29 | pm4::kIntAfterWrite << 24, Lo(kHole),
                                      Hi(kHole), 7, 0, 7}));
  RunFor(20'000'000);
  Interrupts();
  Fix();
  Settle();
  EXPECT_EQ(Behind(), 7u);
  EXPECT_EQ(counters.fences, 1u);
  EXPECT_EQ(Interrupts().size(), 1u);
}

TEST_F(QueueFault, RetryTriesAgainByTimeToo) {
  SetUserRetry(true);
  queue.Submit(Pm4Write(kHole, 1));
  EXPECT_EQ(engines.NextWake() - host.NowNs(), 2'000'000u);
  host.AdvanceNs(2'000'000);
  Settle();
  EXPECT_EQ(engines.NextWake() - host.NowNs(), 4'000'000u);
  EXPECT_EQ(FaultCount(), 2u);
  RunFor(1'000'000'000);
  EXPECT_LT(FaultCount(), 40u);
  // Mapped without a flush: nothing was cached for it, so the next attempt sees it.
  MapUser(kHole, kUserBus + 0x8'0000);
  RunFor(100'000'000);
  EXPECT_EQ(Behind(), 1u);
}

TEST_F(QueueFault, NoRetryHaltsTheQueueAndTellsOnce) {
  queue.Emit(Pm4Write(kHole, 1));
  queue.Submit(Fence(1));
  RunFor(100'000'000);
  Fix();
  Settle();
  queue.Submit(Fence(2));
  EXPECT_EQ(FaultCount(), 1u);
  EXPECT_TRUE(queue.halted());
  EXPECT_EQ(LoadUser<std::uint32_t>(kFence), 0u);
  EXPECT_EQ(Behind(), 0u);
  EXPECT_EQ(counters.faults, 1u);
}

TEST_F(QueueFault, SdmaNoRetryHaltsAndRetryCompletes) {
  dma.Submit({sdma::Header(sdma::kCopy), 4095, 0, Lo(kHole), Hi(kHole), Lo(kFence), Hi(kFence)});
  EXPECT_EQ(FaultCount(), 1u);
  EXPECT_TRUE(dma.idle()) << "a halted queue does not keep the driver from switching it off";
  dma.Write(0, 0);
  dma.Load(dma.wptr());
  SetUserRetry(true);
  StoreUser(kUserBase + 0x8'0000, std::uint32_t{0x77});
  dma.Emit({sdma::Header(sdma::kCopy), 4095, 0, Lo(kHole), Hi(kHole), Lo(kFence), Hi(kFence)});
  dma.Submit({sdma::Header(sdma::kTrap), 5});
  EXPECT_FALSE(dma.idle());
  EXPECT_EQ(FaultCount(), 1u);
  Fix();
  Settle();
  EXPECT_TRUE(dma.idle());
  EXPECT_EQ(LoadUser<std::uint32_t>(kFence), 0x77u);
  EXPECT_EQ(Interrupts(), (std::vector<SeenInterrupt>{{8, 224, 2, kVmid, kPasid, 5, 0}}));
}

TEST_F(QueueFault, RingItselfNotMapped) {
  SetUserRetry(true);
  tables.Unmap(UserRing::kRing);
  queue.Submit(Fence(1));
  EXPECT_EQ(FaultCount(), 1u);
  MapUser(UserRing::kRing, kUserBus);
  Flush(Hub::kGfx, kVmid);
  Settle();
  EXPECT_EQ(LoadUser<std::uint32_t>(kFence), 1u);
}

TEST_F(QueueFault, ReadPointerReportNotMapped) {
  SetUserRetry(true);
  const std::uint64_t page = UserRing::kReport & ~4095ULL;
  tables.MapSystem(page, kUserBus + 0x1000, kPteValid | kPteReadable);
  queue.Submit(Fence(1));
  EXPECT_EQ(LoadUser<std::uint32_t>(kFence), 1u);
  EXPECT_EQ(queue.reported_rptr(), 0u);
  EXPECT_GE(FaultCount(), 1u);
  MapUser(page, kUserBus + 0x1000);
  Flush(Hub::kGfx, kVmid);
  Settle();
  EXPECT_EQ(queue.reported_rptr(), queue.wptr());
  EXPECT_EQ(counters.fences, 1u);
}

TEST_F(QueueFault, IndirectBufferNotMapped) {
  SetUserRetry(true);
  queue.Emit(Pm4(pm4::kIndirectBuffer, {Lo(kHole), Hi(kHole), 5}));
  queue.Submit(Fence(1));
  EXPECT_EQ(FaultCount(), 1u);
  const Dwords inside = Pm4Write(kFence + 8, 3);
  for (std::size_t i = 0; i < inside.size(); ++i)
    StoreUser(kUserBase + 0x8'0000 + i * 4, inside[i]);
  Fix();
  Settle();
  EXPECT_EQ(LoadUser<std::uint32_t>(kFence + 8), 3u);
  EXPECT_EQ(LoadUser<std::uint32_t>(kFence), 1u);
}

/// As on hardware, the driver's rings lose the access and go on.
TEST_F(QueueFault, OfTheDriversRingIsPassed) {
  TestGfxRing ring(*this);
  const std::uint64_t data = Alloc(4096);
  ring.Emit(Pm4Write(0x1234'5000, 1));
  ring.Submit(Pm4Write(Mc(data), 2));
  EXPECT_EQ(LoadVram<std::uint32_t>(data), 2u);
  EXPECT_EQ(FaultCount(), 1u);
}

TEST_F(QueueFault, StaleTranslationIsSeen) {
  queue.Submit(Pm4Write(kFence, 1));
  tables.MapSystem(kFence & ~4095ULL, kUserBus + 0x9'0000);
  queue.Submit(Pm4Write(kFence, 2));
  EXPECT_GE(diagnostics.Total(Diagnostics::Kind::kStaleTranslation), 1u);
}

}  // namespace
}  // namespace kfdcts::vgpu
