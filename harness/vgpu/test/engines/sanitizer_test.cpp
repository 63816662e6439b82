#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "harness/vgpu/test/engines/hws.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kPage = UserRing::kData, kGraceNs = 100'000'000;

/// What the sanitizer finds, and what it does not.
struct Sanitizer : testing::Test, EngineRig {
  TestUserCompute queue{*this};

  /// The user's page is cached in the TLB, and mapped elsewhere or not at all behind its back.
  void MakeStale(bool cleared = false) {
    queue.Submit(Pm4Write(kPage, 1));
    if (cleared) {
      tables.Unmap(kPage);
    } else {
      MapUser(kPage, kUserBus + 0x9'0000);
    }
  }
  const std::vector<Finding>& Found() { return diagnostics.findings.All(); }
  std::uint32_t OldPage() { return host.Load<std::uint32_t>(kUserBus + (kPage - kUserBase)); }
  std::uint32_t NewPage() { return host.Load<std::uint32_t>(kUserBus + 0x9'0000); }
};

TEST_F(Sanitizer, AStaleTranslationNamesProcessAndQueue) {
  MakeStale();
  queue.Submit(Pm4Write(kPage + 4, 2));
  ASSERT_EQ(Found().size(), 1u);
  EXPECT_EQ(Found()[0].kind, FindingKind::kStaleTranslation);
  EXPECT_EQ(Found()[0].address, kPage);
  EXPECT_EQ(Found()[0].pasid, kPasid);
  EXPECT_EQ(Found()[0].vmid, kVmid);
  EXPECT_EQ(Found()[0].engine.substr(0, 2), "me");
}

TEST_F(Sanitizer, AnEntrySinceClearedIsAnotherKind) {
  MakeStale(true);
  queue.Submit(Pm4Write(kPage, 2));
  ASSERT_GE(Found().size(), 1u);
  EXPECT_EQ(Found()[0].kind, FindingKind::kClearedTranslation);
}

TEST_F(Sanitizer, AccessWaitsForTheFlushThatIsOnItsWay) {
  memory.SetFlushGrace(kGraceNs);
  MakeStale();
  queue.Submit(Pm4Write(kPage, 2));
  RunFor(kGraceNs / 2);
  EXPECT_EQ(OldPage(), 1u);
  EXPECT_EQ(NewPage(), 0u);
  EXPECT_EQ(FaultCount(), 0u) << "waiting is no fault";
  Flush(Hub::kGfx, kVmid);
  Settle();
  EXPECT_EQ(NewPage(), 2u);
  EXPECT_EQ(OldPage(), 1u);
  EXPECT_TRUE(Found().empty());
}

TEST_F(Sanitizer, WithoutAFlushItIsFoundAfterTheGrace) {
  memory.SetFlushGrace(kGraceNs);
  MakeStale();
  queue.Submit(Pm4Write(kPage, 2));
  RunFor(kGraceNs - 1'000'000);
  EXPECT_TRUE(Found().empty());
  RunFor(2'000'000);
  EXPECT_EQ(OldPage(), 2u);
  ASSERT_EQ(Found().size(), 1u);
  EXPECT_EQ(Found()[0].kind, FindingKind::kStaleTranslation);
}

TEST_F(Sanitizer, TheGraceIsWaitedForOnceUntilTheNextFlush) {
  memory.SetFlushGrace(kGraceNs);
  MakeStale();
  queue.Submit(Pm4Write(kPage, 2));
  RunFor(kGraceNs + 1'000'000);
  queue.Submit(Pm4Write(kPage, 3));
  EXPECT_EQ(OldPage(), 3u) << "at once";
  Flush(Hub::kGfx, kVmid);
  queue.Submit(Pm4Write(kPage, 4));
  EXPECT_EQ(NewPage(), 4u);
  MapUser(kPage, kUserBus + 0xa'0000);
  queue.Submit(Pm4Write(kPage, 5));
  EXPECT_EQ(NewPage(), 4u) << "waits again";
}

TEST_F(Sanitizer, AFlushOfTheOtherHubDoesNotEndTheWait) {
  memory.SetFlushGrace(kGraceNs);
  MakeStale();
  queue.Submit(Pm4Write(kPage, 2));
  Flush(Hub::kMm, kVmid);
  RunFor(kGraceNs + 1'000'000);
  EXPECT_EQ(OldPage(), 2u);
  EXPECT_EQ(Found().size(), 1u);
}

TEST_F(Sanitizer, AWriteThroughAReadOnlyEntry) {
  tables.MapSystem(kPage, kUserBus + 0x9'0000, kPteValid | kPteReadable);
  queue.Submit(Pm4Write(kPage + 8, 2));
  ASSERT_EQ(Found().size(), 1u);
  EXPECT_EQ(Found()[0].kind, FindingKind::kReadOnlyWrite);
  EXPECT_EQ(Found()[0].address, kPage + 8);
  EXPECT_EQ(NewPage(), 0u);
}

TEST_F(Sanitizer, AWriteToWhatIsNotThereIsNoFinding) {
  SetUserRetry(true);
  queue.Submit(Pm4Write(kUserBase + kUserBytes, 1));
  EXPECT_EQ(FaultCount(), 1u);
  EXPECT_TRUE(Found().empty());
}

TEST_F(Sanitizer, AReadOfWhatIsNotThereIsNoFinding) {
  SetUserRetry(true);
  const std::uint64_t hole = kUserBase + kUserBytes;
  TestUserSdma(*this).Submit(
      {sdma::Header(sdma::kCopy), 3, 0, Lo(hole), Hi(hole), Lo(kPage), Hi(kPage)});
  EXPECT_EQ(FaultCount(), 1u);
  EXPECT_TRUE(Found().empty());
}

struct FenceSanitizer : testing::Test, EngineRig {
  TestSdmaRing ring{*this};
  std::uint64_t data = Alloc(4096);

  Dwords Fence(std::uint32_t value, std::uint64_t offset = 0) {
    return {sdma::Header(sdma::kFence), Lo(Mc(data + offset)), Hi(Mc(data)), value};
  }
  Dwords Trap() { return {sdma::Header(sdma::kTrap), 0}; }
  const std::vector<Finding>& Found() { return diagnostics.findings.All(); }
};

TEST_F(FenceSanitizer, SequenceNumbersAndTheirTrapsAreRight) {
  for (std::uint32_t sequence = 1; sequence < 4; ++sequence) {
    ring.Emit(Fence(sequence));
    ring.Emit(Fence(0, 4));  // the upper half
    ring.Submit(Trap());
  }
  EXPECT_TRUE(Found().empty());
}

TEST_F(FenceSanitizer, TheSameFenceTwice) {
  ring.Submit(Fence(7));
  ring.Submit(Fence(7));
  ASSERT_EQ(Found().size(), 1u);
  EXPECT_EQ(Found()[0].kind, FindingKind::kFenceTwice);
  EXPECT_EQ(Found()[0].address, Mc(data));
  EXPECT_EQ(Found()[0].engine, "sdma0.gfx");
}

TEST_F(FenceSanitizer, AFenceArmedAnewIsRight) {
  ring.Submit(Fence(100));
  StoreVram(data, std::uint32_t{10});
  ring.Submit(Fence(100));
  EXPECT_TRUE(Found().empty());
}

TEST_F(FenceSanitizer, TwoTrapsOfOneFence) {
  ring.Emit(Fence(1)).Emit(Trap());
  ring.Submit(Trap());
  ASSERT_EQ(Found().size(), 1u);
  EXPECT_EQ(Found()[0].kind, FindingKind::kInterruptTwice);
}

TEST_F(FenceSanitizer, AReleaseMemOfTheGfxRingTwice) {
  TestGfxRing gfx(*this);
  const Dwords fence =
      Pm4(pm4::kReleaseMem, {0, pm4::kData64 << 29, Lo(Mc(data)), Hi(Mc(data)), 7, 0, 7});
  gfx.Submit(fence);
  EXPECT_TRUE(Found().empty());
  gfx.Submit(fence);
  ASSERT_EQ(Found().size(), 1u);
  EXPECT_EQ(Found()[0].kind, FindingKind::kFenceTwice);
  EXPECT_EQ(Found()[0].engine, "gfx");
}

struct DoorbellSanitizer : testing::Test, HwsRig {
  void SetUp() override {
    AddProcess();
    AddProcess();
    second_queue_ = std::make_unique<TestProcess>(*this, 7, kUserBus + 0x10'000);
  }
  /// The first process with both or one of the queues.
  void Map(bool both) {
    std::vector<Dwords> packets = {processes[0]->MapProcess(), processes[0]->MapQueue()};
    if (both) packets.push_back(second_queue_->MapQueue());
    RunList(packets);
  }
  std::vector<Finding> Found() {
    engines.ReportDeadDoorbells();
    return diagnostics.findings.All();
  }

  std::unique_ptr<TestProcess> second_queue_;
};

TEST_F(DoorbellSanitizer, OfAQueueThatIsGoneWhileItsProcessRuns) {
  Map(true);
  Map(false);
  second_queue_->Kick();
  ASSERT_EQ(Found().size(), 1u);
  EXPECT_EQ(Found()[0].kind, FindingKind::kDeadDoorbell);
  EXPECT_EQ(Found()[0].address, second_queue_->doorbell());
  EXPECT_EQ(Found()[0].pasid, processes[0]->pasid());
}

TEST_F(DoorbellSanitizer, NoQueueThatRunsLaterIsNamedForIt) {
  Map(true);
  Map(false);
  second_queue_->Kick();
  engines.ReportDeadDoorbells();
  processes[0]->Emit(Pm4Write(TestProcess::kData, 1)).Kick();
  Settle();
  EXPECT_EQ(processes[0]->Load(), 1u);
  ASSERT_EQ(Found().size(), 1u);
  EXPECT_EQ(Found()[0].engine, "");
}

TEST_F(DoorbellSanitizer, OfAQueueThatComesBackIsRight) {
  Map(true);
  Map(false);
  second_queue_->Kick();
  Map(true);
  EXPECT_TRUE(Found().empty());
}

TEST_F(DoorbellSanitizer, OfAnEvictedProcessIsRight) {
  Map(true);
  EXPECT_TRUE(Unmap(pm4::kUnmapAllNonStatic));
  second_queue_->Kick();
  EXPECT_TRUE(Found().empty());
}

TEST_F(DoorbellSanitizer, ThatNeverHadAQueueIsRight) {
  Map(false);
  engines.Doorbell(0x1'f000, 1, true);
  EXPECT_TRUE(Found().empty());
}

}  // namespace
}  // namespace kfdcts::vgpu
