#include "harness/vgpu/transport/engine_thread.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <cstring>
#include <vector>

#include "harness/vgpu/test/transport/memfd.h"
#include "harness/vgpu/test/transport/sdma_ring.h"
#include "harness/vgpu/test/transport/served_device.h"

namespace kfdcts::vgpu {
namespace {

class EngineThreadTest : public testing::Test {
 protected:
  EngineThreadTest() {
    served_.Connect().Negotiate();
    ring_.emplace(*served_.client, vram_);
  }

  ServedDevice served_;
  MappedVram vram_{served_.device};
  std::optional<SdmaRing> ring_;
};

TEST_F(EngineThreadTest, DoorbellWakesTheEngines) {
  ring_->Fence(1);
  ring_->Kick();
  EXPECT_TRUE(ring_->WaitForFence(1));
}

TEST_F(EngineThreadTest, ManyRoundsNoneIsMissed) {
  for (std::uint32_t round = 1; round <= 500; ++round) {
    ring_->Fence(round);
    ring_->Kick();
    ASSERT_TRUE(ring_->WaitForFence(round)) << "round " << round << ", fence " << ring_->fence();
  }
}

TEST_F(EngineThreadTest, WaitIsTriedAgainWithoutADoorbell) {
  ring_->WaitForMemory(SdmaRing::kScratchAt, 42);
  ring_->Fence(7);
  ring_->Kick();
  served_.client->ReadRegister(kVega10.scratch_reg0);  // By now the doorbell has been handled.
  EXPECT_NE(ring_->fence(), 7U);
  vram_.Store(SdmaRing::kScratchAt, 42);
  EXPECT_TRUE(ring_->WaitForFence(7));
}

TEST_F(EngineThreadTest, GuestAccessesAndALongQueueGoOnTogether) {
  constexpr std::uint32_t kFences = 20'000;
  unsigned answered = 0;  // while the queue had work
  const auto read_until = [&](std::uint32_t fence) {
    ring_->Kick();
    for (unsigned i = 0; ring_->fence() != fence && i < kFences; ++i) {
      served_.client->ReadRegister(kVega10.scratch_reg0);
      if (ring_->fence() != fence) ++answered;
    }
    EXPECT_TRUE(ring_->WaitForFence(fence)) << "fence " << ring_->fence();
  };
  for (std::uint32_t i = 1; i <= kFences; ++i) {
    if (!ring_->HasRoom()) read_until(i - 1);
    ring_->Fence(i);
  }
  read_until(kFences);
  // A guest that had to wait for the queue's end would get one answer a round, after it.
  EXPECT_GE(answered, 10U);
}

TEST_F(EngineThreadTest, StopsWithWorkLeft) {
  ring_->WaitForMemory(SdmaRing::kScratchAt, 42);
  ring_->Fence(7);
  ring_->Kick();
  served_.client->ReadRegister(kVega10.scratch_reg0);  // By now the doorbell has been handled.
  EXPECT_EQ(served_.Disconnect(), Session::End::kClientLeft);
  EXPECT_NE(ring_->fence(), 7U);
}

}  // namespace
}  // namespace kfdcts::vgpu
