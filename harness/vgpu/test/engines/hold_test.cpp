#include <gtest/gtest.h>

#include <sstream>

#include "harness/vgpu/test/engines/test_queues.h"

namespace kfdcts::vgpu {
namespace {

using Verb = ControlCommand::Verb;
constexpr std::uint64_t kHole = EngineRig::kUserBase + EngineRig::kUserBytes;  // not mapped

/// What is held one by one: retry faults, single interrupts, the driver's copies.
struct Hold : testing::Test, EngineRig {
  TestUserCompute queue{*this};
  TestSdmaRing ring{*this};
  std::uint64_t data = Alloc(8192);

  std::string Do(const ControlCommand& command) { return engines.Control(command); }
  void Fix(std::uint64_t page) {
    MapUser(page, kUserBus + 0x8'0000);
    Flush(Hub::kGfx, kVmid);
  }
  Dwords Copy() {
    return {sdma::Header(sdma::kCopy), 3,           0, Lo(Mc(data)), Hi(Mc(data)),
            Lo(Mc(data + 4096)),       Hi(Mc(data))};
  }
};

TEST_F(Hold, ARetryFaultIsToldWhenItIsReleasedThoughNobodyWaitsAnyMore) {
  SetUserRetry(true);
  Do({.verb = Verb::kHoldFaults});
  queue.Submit(Pm4Write(kHole, 1));
  RunFor(1'000'000'000);
  EXPECT_EQ(FaultCount(), 0u);
  ASSERT_EQ(gate.held_faults().size(), 1u) << "once, however often the queue tries";
  EXPECT_EQ(gate.held_faults()[0].address, kHole);
  Fix(kHole);
  Settle();
  EXPECT_EQ(host.Load<std::uint32_t>(kUserBus + 0x8'0000), 1u);
  Do({.verb = Verb::kReleaseFaults});
  const auto seen = Interrupts();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].pasid, kPasid);
  EXPECT_EQ(seen[0].data0, Lo(kHole >> 12));
}

/// The driver drops faults that are older than the range they are about.
TEST_F(Hold, WhatIsHeldKeepsTheTimeOfItsComing) {
  const auto stamp = [this](std::uint64_t entry) {
    return host.Load<std::uint32_t>(kInterruptBus + entry * 32 + 4);
  };
  SetUserRetry(true);
  const std::uint64_t came = host.NowNs();
  Do({.verb = Verb::kHoldFaults});
  Do({.verb = Verb::kHoldInterrupts});
  queue.Submit(Pm4Write(kHole, 1));
  ring.Submit({sdma::Header(sdma::kTrap), 1});
  RunFor(50'000'000);
  Do({.verb = Verb::kReleaseAll});
  EXPECT_EQ(stamp(0), came / 10);
  EXPECT_EQ(stamp(1), came / 10);
  ring.Submit({sdma::Header(sdma::kTrap), 2});
  EXPECT_GE(stamp(2), (came + 50'000'000) / 10);
}

TEST_F(Hold, AmongHeldInterruptsARepeatedFaultIsOne) {
  SetUserRetry(true);
  Do({.verb = Verb::kHoldInterrupts});
  queue.Submit(Pm4Write(kHole, 1));
  RunFor(1'000'000'000);
  EXPECT_EQ(gate.held().size(), 1u);
}

TEST_F(Hold, FaultsOfOtherAddressesAndProcessesPass) {
  SetUserRetry(true);
  Do({.verb = Verb::kHoldFaults, .first = kHole + 4096, .last = kHole + 8191});
  queue.Submit(Pm4Write(kHole, 1));
  EXPECT_EQ(FaultCount(), 1u);
  Do({.verb = Verb::kHoldFaults, .pasid = kPasid + 1});
  RunFor(100'000'000);
  EXPECT_GE(FaultCount(), 1u);
  Do({.verb = Verb::kHoldFaults, .pasid = kPasid});
  RunFor(100'000'000);
  EXPECT_EQ(FaultCount(), 0u);
}

TEST_F(Hold, AFaultWithoutRetryIsNotHeld) {
  Do({.verb = Verb::kHoldFaults});
  queue.Submit(Pm4Write(kHole, 1));
  EXPECT_EQ(FaultCount(), 1u);
}

TEST_F(Hold, OneHeldInterruptBeforeTheOthers) {
  Do({.verb = Verb::kHoldInterrupts});
  for (std::uint32_t i = 1; i < 4; ++i) ring.Submit({sdma::Header(sdma::kTrap), i});
  EXPECT_EQ(Do({.verb = Verb::kDeliverInterrupt, .count = 1}), "");
  const auto first = Interrupts();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].data0, 2u);
  EXPECT_EQ(Do({.verb = Verb::kDeliverInterrupt, .count = 2}), "2 interrupts are held");
  Do({.verb = Verb::kReleaseInterrupts});
  const auto rest = Interrupts();
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0].data0, 1u);
  EXPECT_EQ(rest[1].data0, 3u);
}

TEST_F(Hold, TheDriversCopiesStandStillAndNothingElseBeforeThem) {
  StoreVram(data, 0x1234u);
  Do({.verb = Verb::kHoldCopies});
  ring.Emit({sdma::Header(sdma::kFence), Lo(Mc(data + 8)), Hi(Mc(data)), 1});
  ring.Emit(Copy());
  ring.Submit({sdma::Header(sdma::kFence), Lo(Mc(data + 8)), Hi(Mc(data)), 2});
  RunFor(100'000'000);
  EXPECT_EQ(LoadVram<std::uint32_t>(data + 8), 1u);
  EXPECT_EQ(LoadVram<std::uint32_t>(data + 4096), 0u);
  Do({.verb = Verb::kReleaseCopies});
  RunFor(10'000'000);
  EXPECT_EQ(LoadVram<std::uint32_t>(data + 8), 2u);
  EXPECT_EQ(LoadVram<std::uint32_t>(data + 4096), 0x1234u);
}

TEST_F(Hold, CopiesOfProgramsGoOn) {
  TestUserSdma dma(*this);
  Do({.verb = Verb::kHoldCopies});
  StoreUser(UserRing::kData, std::uint32_t{7});
  dma.Submit({sdma::Header(sdma::kCopy), 3, 0, Lo(UserRing::kData), Hi(UserRing::kData),
              Lo(UserRing::kData + 8), Hi(UserRing::kData)});
  EXPECT_EQ(LoadUser<std::uint32_t>(UserRing::kData + 8), 7u);
}

TEST_F(Hold, ReleaseAllEndsEveryOrder) {
  SetUserRetry(true);
  for (const Verb verb : {Verb::kHoldFaults, Verb::kHoldInterrupts, Verb::kHoldCopies,
                          Verb::kFailCopies, Verb::kHangScheduler}) {
    Do({.verb = verb});
  }
  queue.Submit(Pm4Write(kHole, 1));
  ring.Submit({sdma::Header(sdma::kTrap), 1});
  Do({.verb = Verb::kReleaseAll});
  EXPECT_EQ(Interrupts().size(), 2u);
  std::ostringstream left;
  controls.Report(left);
  EXPECT_EQ(left.str(), "");
}

}  // namespace
}  // namespace kfdcts::vgpu
