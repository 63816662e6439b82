#include <gtest/gtest.h>

#include <algorithm>

#include "harness/vgpu/test/engines/hws.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kHole = EngineRig::kUserBase + EngineRig::kUserBytes;  // not mapped

bool IsFault(const SeenInterrupt& entry) {
  return entry.client == kIhClientVmc || entry.client == kIhClientUtcl2;
}

struct OnePage : testing::Test, EngineRig {
  TestUserCompute queue{*this};
  TestUserSdma dma{*this};

  OnePage() {
    SetUserRetry(true);
    // Both rings lie at the same place: the SDMA queue uses the second half.
    dma.Write(0, 0);
    dma.SetWptr(UserRing::kDwords / 2);
    dma.Load(dma.wptr());
  }
  void Fix() {
    MapUser(kHole, kUserBus + 0x8'0000);
    Flush(Hub::kGfx, kVmid);
    Flush(Hub::kMm, kVmid);
  }
};

TEST_F(OnePage, TwoQueuesWaitForItAndBothGoOn) {
  queue.Submit(Pm4Write(kHole, 1));
  dma.Submit({sdma::Header(sdma::kWrite), Lo(kHole + 4), Hi(kHole), 0, 2});
  const auto seen = Interrupts();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].client, kIhClientUtcl2);
  EXPECT_EQ(seen[1].client, kIhClientVmc);
  EXPECT_EQ(seen[0].data0, seen[1].data0);
  Fix();
  Settle();
  EXPECT_EQ(host.Load<std::uint64_t>(kUserBus + 0x8'0000), 2ULL << 32 | 1);
}

TEST_F(OnePage, WithoutAFlushBothQueuesGoOnInTheirTime) {
  queue.Submit(Pm4Write(kHole, 1));
  dma.Submit({sdma::Header(sdma::kWrite), Lo(kHole + 4), Hi(kHole), 0, 2});
  MapUser(kHole, kUserBus + 0x8'0000);
  Settle();
  EXPECT_EQ(host.Load<std::uint64_t>(kUserBus + 0x8'0000), 0u);
  RunFor(100'000'000);
  EXPECT_EQ(host.Load<std::uint64_t>(kUserBus + 0x8'0000), 2ULL << 32 | 1)
      << "nothing was cached of the page";
}

struct ManyProcesses : testing::Test, HwsRig {
  static constexpr std::uint64_t kFar = TestProcess::kRing + TestProcess::kBytes;

  void Start(unsigned count, std::uint32_t quantum_ms = 10) {
    for (unsigned i = 0; i < count; ++i) AddProcess();
    RunAll(quantum_ms);
    for (const auto* hub : {&chip.gfx_hub, &chip.mm_hub}) {
      for (std::uint32_t vmid = 8; vmid < 16; ++vmid) {
        registers.Set(hub->context0_cntl + vmid * 4, kRetryFaults);
      }
    }
    for (const auto& process : processes) process->Emit(Pm4Write(kFar, 7)).Kick();
    Settle();
  }
  void Fix(TestProcess& process) {
    process.tables().MapSystem(kFar, process.bus() + 0x2000);
    Flush(Hub::kGfx, VmidOf(process));
  }
};

TEST_F(ManyProcesses, EachFaultNamesItsOwn) {
  Start(8);
  const auto seen = Interrupts();
  EXPECT_EQ(std::count_if(seen.begin(), seen.end(), IsFault), 8);
  for (const auto& process : processes) {
    const auto own = std::find_if(seen.begin(), seen.end(), [&](const SeenInterrupt& entry) {
      return IsFault(entry) && entry.pasid == process->pasid();
    });
    ASSERT_NE(own, seen.end()) << process->pasid();
    EXPECT_EQ(own->vmid, VmidOf(*process));
    EXPECT_EQ(own->data0, Lo(kFar >> 12));
  }
}

TEST_F(ManyProcesses, ThePageOfOneLetsOnlyThatOneGoOn) {
  Start(8);
  Fix(*processes[3]);
  Settle();
  for (const auto& process : processes) {
    EXPECT_EQ(process->Load(), process == processes[3] ? 7u : 0u);
  }
}

/// Processes that wait for a page give their VMID to those that wait for one, and fault again when
/// they have one.
TEST_F(ManyProcesses, MoreThanVmids) {
  Start(12);
  RunFor(500'000'000);
  const auto seen = Interrupts();
  for (const auto& process : processes) {
    EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [&](const SeenInterrupt& entry) {
      return IsFault(entry) && entry.pasid == process->pasid();
    })) << process->pasid();
  }
  for (const auto& process : processes) {
    process->tables().MapSystem(kFar, process->bus() + 0x2000);
  }
  RunFor(2'000'000'000);
  for (const auto& process : processes) EXPECT_EQ(process->Load(), 7u);
}

}  // namespace
}  // namespace kfdcts::vgpu
