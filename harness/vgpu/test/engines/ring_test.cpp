#include <gtest/gtest.h>

#include "harness/vgpu/test/engines/test_queues.h"

namespace kfdcts::vgpu {
namespace {

struct Ring : testing::Test, EngineRig {
  std::uint64_t data = Alloc(4096);
  std::uint32_t At(std::uint64_t offset) { return LoadVram<std::uint32_t>(data + offset); }
};

/// Packets of five dwords in a ring of 16: each crosses the end at another place.
TEST_F(Ring, Pm4PacketsWrapAroundTheEnd) {
  TestGfxRing ring(*this, 3);
  for (std::uint32_t i = 1; i <= 64; ++i) {
    ring.Submit(Pm4Write(Mc(data), i));
    ASSERT_EQ(At(0), i);
    ASSERT_EQ(ring.reported_rptr(), ring.wptr() % 16);
  }
}

TEST_F(Ring, SdmaPacketsWrapAndThePointersDoNot) {
  TestSdmaRing ring(*this, 4);
  for (std::uint32_t i = 1; i <= 64; ++i) {
    ring.Submit({sdma::Header(sdma::kWrite), Lo(Mc(data)), Hi(Mc(data)), 0, i});
    ASSERT_EQ(At(0), i);
    ASSERT_EQ(ring.reported_rptr(), ring.wptr() * 4);
  }
  EXPECT_EQ(ring.Read(chip.sdma_queue.rb_rptr), 64u * 20);
}

TEST_F(Ring, NothingRunsBeforeTheDoorbell) {
  TestGfxRing ring(*this);
  ring.Emit(Pm4Write(Mc(data), 1));
  Settle();
  EXPECT_EQ(At(0), 0u);
  ring.Kick();
  EXPECT_EQ(At(0), 0u) << "packets run in Step, not in the doorbell's write";
  Settle();
  EXPECT_EQ(At(0), 1u);
}

TEST_F(Ring, AStepRunsOnePacket) {
  TestGfxRing ring(*this);
  ring.Emit(Pm4Write(Mc(data), 1)).Emit(Pm4Write(Mc(data), 2)).Kick();
  EXPECT_TRUE(engines.Step());
  EXPECT_EQ(At(0), 1u);
  EXPECT_TRUE(engines.Step());
  EXPECT_EQ(At(0), 2u);
  EXPECT_FALSE(engines.Step());
}

TEST_F(Ring, QueuesTakeTurns) {
  TestGfxRing one(*this);
  TestKiq two(*this);
  for (std::uint32_t i = 1; i <= 8; ++i) {
    one.Emit(Pm4Write(Mc(data), i));
    two.Emit(Pm4Write(Mc(data + 4), i));
  }
  one.Kick();
  two.Kick();
  for (unsigned i = 0; i < 8; ++i) engines.Step();
  EXPECT_EQ(At(0), 4u);
  EXPECT_EQ(At(4), 4u);
}

TEST_F(Ring, GfxWritePointerByRegister) {
  TestGfxRing ring(*this);
  ring.Emit(Pm4Write(Mc(data), 1));
  registers.Write(chip.cp_rb0_wptr, Lo(ring.wptr()));
  Settle();
  EXPECT_EQ(At(0), 1u);
  EXPECT_EQ(registers.Read(chip.cp_rb0_rptr), ring.wptr());
}

TEST_F(Ring, SdmaWritePointerByRegister) {
  TestSdmaRing ring(*this);
  ring.Emit({sdma::Header(sdma::kFence), Lo(Mc(data)), Hi(Mc(data)), 1});
  ring.Write(chip.sdma_queue.rb_wptr, Lo(ring.wptr() * 4));
  Settle();
  EXPECT_EQ(At(0), 1u);
}

TEST_F(Ring, SdmaWritePointerPolledFromMemoryWhereEnabled) {
  TestSdmaRing ring(*this);
  const std::uint64_t shadow = Alloc(4096);
  const SdmaQueueRegisters& r = chip.sdma_queue;
  ring.Write(0, 0);
  ring.Write(r.rb_wptr_poll_addr_lo, Lo(Mc(shadow)));
  ring.Write(r.rb_wptr_poll_addr_hi, Hi(Mc(shadow)));
  ring.Write(r.rb_wptr_poll_cntl, 1u << 2);
  ring.Write(0, 10u << 1 | 1u << 12 | 1u);
  RunFor(3'000'000);
  ring.Emit({sdma::Header(sdma::kFence), Lo(Mc(data)), Hi(Mc(data)), 1});
  StoreVram(shadow, ring.wptr() * 4);
  RunFor(3'000'000);
  EXPECT_EQ(At(0), 1u);
}

TEST_F(Ring, NarrowDoorbellsContinueThePointer) {
  TestSdmaRing ring(*this);
  for (std::uint32_t i = 0; i < 300; ++i) {
    ring.Emit({sdma::Header(sdma::kFence), Lo(Mc(data)), Hi(Mc(data)), i});
    engines.Doorbell(ring.doorbell(), Lo(ring.wptr() * 4), false);
    Settle();
    ASSERT_EQ(At(0), i);
  }
  EXPECT_EQ(ExtendPointer(3, 0x1'ffff'ffff), 0x2'0000'0003u);
  EXPECT_EQ(ExtendPointer(0xffff'ffff, 0x1'0000'0000), 0x1'ffff'ffffu);
}

TEST_F(Ring, AWritePointerTooFarAheadIsMalformed) {
  TestGfxRing ring(*this, 3);
  ring.SetWptr(17);
  ring.Kick();
  Settle();
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kMalformedRing), 1u);
  // The driver's ring goes on where it stands now.
  ring.Submit(Pm4Write(Mc(data), 1));
  EXPECT_EQ(At(0), 1u);
}

TEST_F(Ring, AHaltedMicroEngineRunsNothing) {
  TestGfxRing ring(*this);
  registers.Write(chip.cp_me_cntl, 1u << 28);
  ring.Submit(Pm4Write(Mc(data), 1));
  EXPECT_EQ(At(0), 0u);
  registers.Write(chip.cp_me_cntl, 0);
  Settle();
  EXPECT_EQ(At(0), 1u);
  TestSdmaRing dma(*this);
  registers.Write(chip.sdma_base[0] + chip.sdma_engine.f32_cntl, 1);
  dma.Submit({sdma::Header(sdma::kFence), Lo(Mc(data)), Hi(Mc(data)), 2});
  EXPECT_EQ(At(0), 1u);
  registers.Write(chip.sdma_base[0] + chip.sdma_engine.f32_cntl, 0);
  Settle();
  EXPECT_EQ(At(0), 2u);
}

TEST_F(Ring, DoorbellsThatNobodyClaimsAreCounted) {
  engines.Doorbell(0x1238, 1, true);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kUnclaimedDoorbell, "doorbell 0x01238"), 1u);
}

TEST_F(Ring, RecoversTheReadPointerFromItsOffset) {
  EXPECT_EQ(RecoverRptr(5, 5, 16), 5u);
  EXPECT_EQ(RecoverRptr(5, 37, 16), 37u);
  EXPECT_EQ(RecoverRptr(6, 37, 16), 22u);
  EXPECT_EQ(RecoverRptr(0, 0, 16), 0u);
}

}  // namespace
}  // namespace kfdcts::vgpu
