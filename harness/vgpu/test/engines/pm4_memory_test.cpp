#include <gtest/gtest.h>

#include "harness/vgpu/test/engines/test_queues.h"

namespace kfdcts::vgpu {
namespace {

using pm4::Header;

struct Pm4Memory : testing::Test, EngineRig {
  TestGfxRing ring{*this};
  std::uint64_t data = Alloc(64 * 1024);

  std::uint32_t At(std::uint64_t offset) { return LoadVram<std::uint32_t>(data + offset); }
  std::uint64_t At64(std::uint64_t offset) { return LoadVram<std::uint64_t>(data + offset); }
  std::uint64_t Address(std::uint64_t offset = 0) { return Mc(data + offset); }
};

TEST_F(Pm4Memory, WriteDataWritesConsecutiveDwords) {
  ring.Submit(
      Pm4(pm4::kWriteData, {pm4::kDstMemory << 8, Lo(Address(16)), Hi(Address()), 1, 2, 3}));
  EXPECT_EQ(At(12), 0u);
  EXPECT_EQ(At(16), 1u);
  EXPECT_EQ(At(20), 2u);
  EXPECT_EQ(At(24), 3u);
  EXPECT_EQ(At(28), 0u);
}

TEST_F(Pm4Memory, WriteDataToOneAddressKeepsTheLast) {
  ring.Submit(Pm4(pm4::kWriteData,
                  {pm4::kDstMemory << 8 | 1u << 16, Lo(Address()), Hi(Address()), 1, 2, 3}));
  EXPECT_EQ(At(0), 3u);
  EXPECT_EQ(At(4), 0u);
}

TEST_F(Pm4Memory, WriteDataToRegisters) {
  ring.Submit(Pm4(pm4::kWriteData, {0, chip.scratch_reg0 / 4, 0, 7, 8}));
  EXPECT_EQ(registers.Get(chip.scratch_reg0), 7u);
  EXPECT_EQ(registers.Get(chip.scratch_reg0 + 4), 8u);
  ring.Submit(Pm4(pm4::kWriteData, {1u << 16, chip.scratch_reg0 / 4, 0, 5, 6}));
  EXPECT_EQ(registers.Get(chip.scratch_reg0), 6u);
  EXPECT_EQ(registers.Get(chip.scratch_reg0 + 4), 8u);
}

TEST_F(Pm4Memory, CopyDataBetweenMemoryAndRegisters) {
  StoreVram(data, std::uint64_t{0x1122'3344'5566'7788});
  ring.Submit(Pm4(pm4::kCopyData, {pm4::kSrcMemory | pm4::kDstRegister << 8, Lo(Address()),
                                   Hi(Address()), chip.scratch_reg0 / 4, 0}));
  EXPECT_EQ(registers.Get(chip.scratch_reg0), 0x5566'7788u);
  ring.Submit(Pm4(pm4::kCopyData, {pm4::kSrcRegister | pm4::kDstMemory << 8, chip.scratch_reg0 / 4,
                                   0, Lo(Address(8)), Hi(Address())}));
  EXPECT_EQ(At64(8), 0x5566'7788u);
  ring.Submit(Pm4(pm4::kCopyData, {pm4::kSrcTcL2 | pm4::kDstTcL2 << 8 | 1u << 16, Lo(Address()),
                                   Hi(Address()), Lo(Address(16)), Hi(Address())}));
  EXPECT_EQ(At64(16), 0x1122'3344'5566'7788u);
}

TEST_F(Pm4Memory, CopyDataOfImmediateAndClock) {
  ring.Submit(Pm4(pm4::kCopyData, {pm4::kSrcImmediate | pm4::kDstMemory << 8, 0xabcd, 0,
                                   Lo(Address()), Hi(Address())}));
  EXPECT_EQ(At(0), 0xabcdu);
  ring.Submit(Pm4(pm4::kCopyData, {pm4::kSrcGpuClock | pm4::kDstMemory << 8 | 1u << 16, 0, 0,
                                   Lo(Address(8)), Hi(Address())}));
  EXPECT_EQ(At64(8), host.NowNs() / 10);
}

TEST_F(Pm4Memory, DmaDataCopiesAndFills) {
  for (std::uint32_t i = 0; i < 256; ++i) StoreVram(data + i * 4, i);
  ring.Submit(Pm4(pm4::kDmaData,
                  {0, Lo(Address()), Hi(Address()), Lo(Address(4096)), Hi(Address()), 1000}));
  EXPECT_EQ(At(4096 + 996), 249u);
  EXPECT_EQ(At(4096 + 1000), 0u);
  ring.Submit(Pm4(pm4::kDmaData, {2u << 29, 0x5a5a'5a5a, 0, Lo(Address(8192)), Hi(Address()), 8}));
  EXPECT_EQ(At64(8192), 0x5a5a'5a5a'5a5a'5a5au);
  EXPECT_EQ(At(8200), 0u);
}

TEST_F(Pm4Memory, DmaDataToGdsIsNothing) {
  ring.Submit(Pm4(pm4::kDmaData, {2u << 29 | 1u << 20, 0, 0, 0, 0, 65536}));
  EXPECT_EQ(counters.packets["PM4 DMA_DATA"], 1u);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kUnknownPacket), 0u);
}

TEST_F(Pm4Memory, ReleaseMemWritesTheFenceAndInterrupts) {
  ring.Submit(Pm4(pm4::kReleaseMem, {0x14 | 5u << 8, pm4::kData32 << 29 | pm4::kIntAfterWrite << 24,
                                     Lo(Address()), Hi(Address()), 0xfeed, 0xdead, 0x77}));
  EXPECT_EQ(At64(0), 0xfeedu);
  EXPECT_EQ(Interrupts(), (std::vector<SeenInterrupt>{{0x14, 181, 0, 0, 0, 0x77, 0}}));
  ring.Submit(Pm4(pm4::kReleaseMem, {0x14 | 5u << 8, pm4::kData64 << 29, Lo(Address(8)),
                                     Hi(Address()), 0xfeed, 0xdead, 0}));
  EXPECT_EQ(At64(8), 0xdead'0000'feedu);
  EXPECT_TRUE(Interrupts().empty());
  EXPECT_EQ(counters.fences, 2u);
}

TEST_F(Pm4Memory, ReleaseMemOfTheClockAndOfAnInterruptOnly) {
  ring.Submit(
      Pm4(pm4::kReleaseMem, {0, pm4::kDataClock << 29, Lo(Address()), Hi(Address()), 0, 0, 0}));
  EXPECT_EQ(At64(0), host.NowNs() / 10);
  ring.Submit(Pm4(pm4::kReleaseMem, {0, pm4::kIntOnly << 24, 0, 0, 0, 0, 9}));
  EXPECT_EQ(Interrupts(), (std::vector<SeenInterrupt>{{0x14, 181, 0, 0, 0, 9, 0}}));
  EXPECT_EQ(counters.fences, 1u);
}

struct AtomicCase {
  const char* name;
  std::uint32_t code;
  std::uint64_t old, source, compare, expected;
};

struct Pm4Atomic : Pm4Memory, testing::WithParamInterface<AtomicCase> {};

TEST_P(Pm4Atomic, ChangesMemoryAndKeepsWhatWasThere) {
  const AtomicCase& c = GetParam();
  StoreVram(data, c.old);
  ring.Submit(Pm4(pm4::kAtomicMem, {c.code, Lo(Address()), Hi(Address()), Lo(c.source),
                                    Hi(c.source), Lo(c.compare), Hi(c.compare), 0}));
  EXPECT_EQ(At64(0), c.expected);
  ring.Submit(Pm4(pm4::kCopyData, {pm4::kSrcAtomicReturn | pm4::kDstMemory << 8 | 1u << 16, 0, 0,
                                   Lo(Address(8)), Hi(Address())}));
  EXPECT_EQ(At64(8), (c.code & 0x20) ? c.old : Lo(c.old));
}

constexpr std::uint64_t kUpper = 0x1'0000'0000;
INSTANTIATE_TEST_SUITE_P(
    Operations, Pm4Atomic,
    testing::Values(AtomicCase{"Swap32", 0x07, kUpper | 5, 9, 0, kUpper | 9},
                    AtomicCase{"CmpSwap32Hit", 0x08, kUpper | 5, 9, 5, kUpper | 9},
                    AtomicCase{"CmpSwap32Miss", 0x08, 5, 9, 6, 5},
                    AtomicCase{"Add32Wraps", 0x4f, kUpper | 0xffff'ffff, 2, 0, kUpper | 1},
                    AtomicCase{"Add64", 0x2f, 0xffff'ffff, 2, 0, 0x1'0000'0001},
                    AtomicCase{"Sub64", 0x70, 1, 2, 0, ~0ULL},
                    AtomicCase{"SMin32", 0x11, 1, 0xffff'ffff, 0, 0xffff'ffff},
                    AtomicCase{"UMin32", 0x12, 1, 0xffff'ffff, 0, 1},
                    AtomicCase{"SMax64", 0x33, ~0ULL, 1, 0, 1},
                    AtomicCase{"UMax64", 0x34, ~0ULL, 1, 0, ~0ULL},
                    AtomicCase{"And64", 0x35, 0xff, 0xf0f, 0, 0xf},
                    AtomicCase{"Or64", 0x36, 0xf0, 0xf, 0, 0xff},
                    AtomicCase{"Xor64", 0x37, 0xff, 0xf, 0, 0xf0},
                    AtomicCase{"IncWraps", 0x18, 5, 5, 0, 0}, AtomicCase{"Inc", 0x18, 4, 5, 0, 5},
                    AtomicCase{"DecWraps", 0x19, 0, 5, 0, 5}, AtomicCase{"Dec64", 0x39, 4, 5, 0, 3},
                    AtomicCase{"CmpSwap64", 0x28, kUpper, 7, kUpper, 7},
                    AtomicCase{"Swap64", 0x67, 1, kUpper, 0, kUpper}),
    [](const auto& test) { return test.param.name; });

TEST_F(Pm4Memory, AtomicOfAnUnknownOperationIsCounted) {
  ring.Submit(Pm4(pm4::kAtomicMem, {0x02, Lo(Address()), Hi(Address()), 1, 0, 0, 0, 0}));
  EXPECT_EQ(At64(0), 0u);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kUnknownPacket, "PM4 ATOMIC_MEM operation"), 1u);
}

}  // namespace
}  // namespace kfdcts::vgpu
