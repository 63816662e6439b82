#include <gtest/gtest.h>

#include "harness/vgpu/test/engines/test_queues.h"

namespace kfdcts::vgpu {
namespace {

struct Compare {
  const char* name;
  std::uint32_t function;
  bool less, equal, greater;  ///< Whether it holds for a value below, at and above the reference.
};

struct WaitFunction : testing::TestWithParam<Compare>, EngineRig {
  std::uint64_t data = Alloc(4096);

  bool Pm4Passes(std::uint32_t value) {
    TestGfxRing ring(*this);
    StoreVram(data, 0xff00 | value);
    StoreVram(data + 4, 0u);
    ring.Emit(Pm4(pm4::kWaitRegMem,
                  {GetParam().function | 1u << 4, Lo(Mc(data)), Hi(Mc(data)), 5, 0xff, 10}));
    ring.Submit(Pm4Write(Mc(data + 4), 1));
    return LoadVram<std::uint32_t>(data + 4) == 1;
  }
  bool SdmaPasses(std::uint32_t value) {
    TestSdmaRing ring(*this);
    ring.Write(0, 0);
    StoreVram(data, 0xff00 | value);
    StoreVram(data + 4, 0u);
    TestSdmaRing fresh(*this);
    fresh.Emit({sdma::Header(sdma::kPollRegmem) | sdma::kPollMemory | GetParam().function << 28,
                Lo(Mc(data)), Hi(Mc(data)), 5, 0xff, sdma::kPollForever << 16});
    fresh.Submit({sdma::Header(sdma::kFence), Lo(Mc(data + 4)), Hi(Mc(data)), 1});
    const bool passed = LoadVram<std::uint32_t>(data + 4) == 1;
    fresh.Write(0, 0);
    for (const std::uint32_t reg : {chip.sdma_queue.rb_rptr, chip.sdma_queue.rb_wptr})
      fresh.Write(reg, 0);
    return passed;
  }
};

TEST_P(WaitFunction, ComparesTheMaskedValueWithTheReference) {
  EXPECT_EQ(Pm4Passes(4), GetParam().less);
  EXPECT_EQ(Pm4Passes(5), GetParam().equal);
  EXPECT_EQ(Pm4Passes(6), GetParam().greater);
  EXPECT_EQ(SdmaPasses(4), GetParam().less);
  EXPECT_EQ(SdmaPasses(5), GetParam().equal);
  EXPECT_EQ(SdmaPasses(6), GetParam().greater);
}

INSTANTIATE_TEST_SUITE_P(All, WaitFunction,
                         testing::Values(Compare{"Always", 0, true, true, true},
                                         Compare{"Less", 1, true, false, false},
                                         Compare{"LessOrEqual", 2, true, true, false},
                                         Compare{"Equal", 3, false, true, false},
                                         Compare{"NotEqual", 4, true, false, true},
                                         Compare{"GreaterOrEqual", 5, false, true, true},
                                         Compare{"Greater", 6, false, false, true}),
                         [](const auto& test) { return test.param.name; });

struct Wait : testing::Test, EngineRig {
  TestGfxRing ring{*this};
  std::uint64_t data = Alloc(4096);

  std::uint32_t At(std::uint64_t offset) { return LoadVram<std::uint32_t>(data + offset); }
  Dwords WaitFor(std::uint32_t value) {
    return Pm4(pm4::kWaitRegMem, {3u | 1u << 4, Lo(Mc(data)), Hi(Mc(data)), value, ~0u, 10});
  }
};

TEST_F(Wait, BlocksTheQueueUntilMemoryChanges) {
  ring.Emit(WaitFor(1));
  ring.Submit(Pm4Write(Mc(data + 4), 1));
  RunFor(5'000'000);
  EXPECT_EQ(At(4), 0u);
  StoreVram(data, 1u);
  RunFor(1'000'000);
  EXPECT_EQ(At(4), 1u);
}

TEST_F(Wait, PollsLessAndLessOften) {
  ring.Submit(WaitFor(1));
  std::uint64_t first = engines.NextWake() - host.NowNs();
  EXPECT_EQ(first, 20'000u);
  RunFor(10'000'000);
  EXPECT_GT(engines.NextWake(), host.NowNs());
  EXPECT_LE(engines.NextWake() - host.NowNs(), 1'000'000u);
  host.AdvanceNs(engines.NextWake() - host.NowNs());
  Settle();
  EXPECT_EQ(engines.NextWake() - host.NowNs(), 1'000'000u);
}

TEST_F(Wait, OtherQueuesGoOn) {
  ring.Submit(WaitFor(1));
  TestSdmaRing other(*this);
  other.Submit({sdma::Header(sdma::kFence), Lo(Mc(data)), Hi(Mc(data)), 1});
  ring.Submit(Pm4Write(Mc(data + 4), 1));
  RunFor(2'000'000);
  EXPECT_EQ(At(4), 1u);
}

TEST_F(Wait, OnARegister) {
  ring.Emit(Pm4(pm4::kWaitRegMem, {3, chip.scratch_reg0 / 4, 0, 8, 0xf, 10}));
  ring.Submit(Pm4Write(Mc(data), 1));
  EXPECT_EQ(At(0), 0u);
  registers.Write(chip.scratch_reg0, 0x18);
  RunFor(1'000'000);
  EXPECT_EQ(At(0), 1u);
}

TEST_F(Wait, WriteWaitWriteFlushesATlbOnce) {
  const auto before = memory.InvalidationCount();
  const HubRegisters& hub = chip.gfx_hub;
  const std::uint32_t request = 1u << kVmid | 0x1f << 17;
  ring.Emit(Pm4(pm4::kWaitRegMem, {3u | pm4::kWriteWaitWriteReg << 6, hub.invalidate_eng0_req / 4,
                                   hub.invalidate_eng0_ack / 4, request, 1u << kVmid, 0x20}));
  ring.Submit(Pm4Write(Mc(data), 1));
  EXPECT_EQ(At(0), 1u);
  EXPECT_EQ(memory.InvalidationCount(), before + 1);
}

TEST_F(Wait, WriteWaitWriteWritesOnlyOnceWhileItWaits) {
  unsigned writes = 0;
  registers.OnWrite(chip.scratch_reg0, 1, [&](std::uint32_t, std::uint32_t) { ++writes; });
  ring.Submit(Pm4(pm4::kWaitRegMem, {3u | pm4::kWriteWaitWriteReg << 6, chip.scratch_reg0 / 4,
                                     chip.scratch_reg0 / 4 + 1, 3, 3, 0x20}));
  RunFor(3'000'000);
  EXPECT_EQ(writes, 1u);
  registers.Write(chip.scratch_reg0 + 4, 3);
  RunFor(1'000'000);
  EXPECT_EQ(ring.reported_rptr(), ring.wptr());
}

TEST_F(Wait, HdpFlushOfBothEngines) {
  ring.Submit(Pm4(pm4::kWaitRegMem, {3u | pm4::kWriteWaitWriteReg << 6, chip.hdp_flush_req / 4,
                                     chip.hdp_flush_done / 4, 1, 1, 0x20}));
  EXPECT_EQ(ring.reported_rptr(), ring.wptr());
  TestSdmaRing dma(*this);
  dma.Submit({sdma::Header(sdma::kPollRegmem) | sdma::kPollHdpFlush | 3u << 28, chip.hdp_flush_done,
              chip.hdp_flush_req, 4, 4, sdma::kPollForever << 16 | 10});
  EXPECT_EQ(registers.Get(chip.hdp_flush_done), 4u);
  EXPECT_EQ(LoadVram<std::uint32_t>(dma.ring()),
            sdma::Header(sdma::kPollRegmem) | sdma::kPollHdpFlush | 3u << 28);
  EXPECT_EQ(dma.reported_rptr(), dma.wptr() * 4);
}

TEST_F(Wait, AtomicLoopWaitsForItsComparison) {
  ring.Emit(Pm4(pm4::kAtomicMem, {0x08u | 1u << 8, Lo(Mc(data)), Hi(Mc(data)), 9, 0, 7, 0, 10}));
  ring.Submit(Pm4Write(Mc(data + 4), 1));
  RunFor(1'000'000);
  EXPECT_EQ(At(0), 0u);
  EXPECT_EQ(At(4), 0u);
  StoreVram(data, 7u);
  RunFor(1'000'000);
  EXPECT_EQ(At(0), 9u);
  EXPECT_EQ(At(4), 1u);
}

}  // namespace
}  // namespace kfdcts::vgpu
