// What differs between generations, word by word from the kernel's headers: navi10_sdma_pkt_open.h,
// sdma_v6_0_0_pkt_open.h, sdma_v7_1_0_pkt_open.h, nvd.h, and sdma_v7_0.c's copy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/gpu/pm4_packets.h"
#include "harness/gpu/sdma_packets.h"

namespace kfdcts::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

constexpr std::uint64_t kSource = 0x7f0011223344;
constexpr std::uint64_t kDestination = 0x7e0055667788;

GpuNode NodeOf(std::uint64_t gfx_target_version) {
  GpuNode node;
  node.properties["gfx_target_version"] = gfx_target_version;
  return node;
}

TEST(Generation, ByTargetVersion) {
  EXPECT_EQ(GenerationOf(GpuNode{}), Generation::kGfx9);
  EXPECT_EQ(GenerationOf(NodeOf(90000)), Generation::kGfx9);
  EXPECT_EQ(GenerationOf(NodeOf(90500)), Generation::kGfx9);
  EXPECT_EQ(GenerationOf(NodeOf(100300)), Generation::kGfx10);
  EXPECT_EQ(GenerationOf(NodeOf(110501)), Generation::kGfx10);
  EXPECT_EQ(GenerationOf(NodeOf(120001)), Generation::kGfx12);
  EXPECT_EQ(GenerationOf(NodeOf(120500)), Generation::kGfx125);
}

TEST(SdmaGenerations, FenceOfUncachedTypeSinceGfx10) {
  for (const auto generation : {Generation::kGfx10, Generation::kGfx12, Generation::kGfx125}) {
    EXPECT_THAT(SdmaPackets(generation).Fence(kDestination, 77).words(),
                ElementsAre(0x30005, 0x55667788, 0x7e00, 77));
  }
}

TEST(SdmaGenerations, CopyOfGfx12SaysWhatIsCompressed) {
  EXPECT_THAT(SdmaPackets(Generation::kGfx12).Copy(kDestination, kSource, 4096).words(),
              ElementsAre(0x80001, 4095, 0, 0x11223344, 0x7f00, 0x55667788, 0x7e00, 0));
  for (const auto generation : {Generation::kGfx9, Generation::kGfx10, Generation::kGfx125}) {
    EXPECT_THAT(SdmaPackets(generation).Copy(kDestination, kSource, 4096).words(),
                ElementsAre(1, 4095, 0, 0x11223344, 0x7f00, 0x55667788, 0x7e00));
  }
}

TEST(SdmaGenerations, CacheRequest) {
  EXPECT_THAT(SdmaPackets(Generation::kGfx9).SyncCaches().words(), IsEmpty());
  for (const auto generation : {Generation::kGfx10, Generation::kGfx12}) {
    EXPECT_THAT(SdmaPackets(generation).SyncCaches().words(), ElementsAre(17, 0, 0xc3a10000, 0, 0));
  }
  EXPECT_THAT(SdmaPackets(Generation::kGfx125).SyncCaches().words(),
              ElementsAre(17, 0, 0, 0xc3a1, 0, 0));
}

TEST(SdmaGenerations, TheRestIsTheSame) {
  const auto rest = [](Generation generation) {
    const std::uint32_t words[] = {5, 6};
    SdmaPackets packets(generation);
    packets.Write(kDestination, words).Fill(kDestination, 1, 64).Trap(3).Poll(kSource, 1);
    packets.Atomic(SdmaPackets::AtomicOp::kAdd32, kDestination, 2).Timestamp(kSource).Nop(2);
    return std::vector(packets.words().begin(), packets.words().end());
  };
  for (const auto generation : {Generation::kGfx10, Generation::kGfx12, Generation::kGfx125}) {
    EXPECT_THAT(rest(generation), ElementsAreArray(rest(Generation::kGfx9)));
  }
}

TEST(Pm4Generations, ReleaseWritesTheSecondLevelBack) {
  EXPECT_THAT(Pm4Packets(Generation::kGfx9)
                  .ReleaseMem(kDestination, 9, Pm4Packets::Release::kData32)
                  .words(),
              ElementsAre(0xc0064900, 0x28514, 0x20000000, 0x55667788, 0x7e00, 9, 0, 0));
  EXPECT_THAT(Pm4Packets(Generation::kGfx10)
                  .ReleaseMem(kDestination, 9, Pm4Packets::Release::kData32)
                  .words(),
              ElementsAre(0xc0064900, 0x6600514, 0x20000000, 0x55667788, 0x7e00, 9, 0, 0));
}

TEST(Pm4Generations, AcquireHasACacheRequestSinceGfx10) {
  EXPECT_THAT(Pm4Packets(Generation::kGfx10).AcquireMem().words(),
              ElementsAre(0xc0065800, 0, 0xffffffff, 0xffffff, 0, 0, 10, 0xc3b1));
}

TEST(Pm4Packets, AtomicOfOnePass) {
  EXPECT_THAT(Pm4Packets()
                  .Atomic(Pm4Packets::AtomicOp::kCompareSwap64, kDestination, 0x100000002, 3)
                  .words(),
              ElementsAre(0xc0071e00, 0x28, 0x55667788, 0x7e00, 2, 1, 3, 0, 10));
}

}  // namespace
}  // namespace kfdcts::gpu
