// Packet words by hand from the kernel's packet headers (vega10_sdma_pkt_open.h, soc15d.h) and
// HSA's AQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/gpu/aql_packets.h"
#include "harness/gpu/pm4_packets.h"
#include "harness/gpu/sdma_packets.h"

namespace kfdcts::gpu {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kSource = 0x7f0011223344;
constexpr std::uint64_t kDestination = 0x7e0055667788;

TEST(SdmaPackets, CopyCountsBytesLessOne) {
  EXPECT_THAT(SdmaPackets().Copy(kDestination, kSource, 4096).words(),
              ElementsAre(1, 4095, 0, 0x11223344, 0x7f00, 0x55667788, 0x7e00));
}

TEST(SdmaPackets, LongCopyIsSplit) {
  const SdmaPackets packets = SdmaPackets().Copy(0x10000000, 0x20000000, (4 << 20) + 8);
  EXPECT_THAT(packets.words(), ElementsAre(1, 0x3fffff, 0, 0x20000000, 0, 0x10000000, 0,  //
                                           1, 7, 0, 0x20400000, 0, 0x10400000, 0));
}

TEST(SdmaPackets, FillOfWords) {
  EXPECT_THAT(SdmaPackets().Fill(kDestination, 0xabcd1234, 64).words(),
              ElementsAre(0x8000000b, 0x55667788, 0x7e00, 0xabcd1234, 63));
}

TEST(SdmaPackets, Write) {
  const std::uint32_t words[] = {5, 6, 7};
  EXPECT_THAT(SdmaPackets().Write(kDestination, words).words(),
              ElementsAre(2, 0x55667788, 0x7e00, 2, 5, 6, 7));
}

TEST(SdmaPackets, FenceAndTrap) {
  EXPECT_THAT(SdmaPackets().Fence(kDestination, 77).Trap(0xf0000005).words(),
              ElementsAre(5, 0x55667788, 0x7e00, 77, 6, 5));
}

TEST(SdmaPackets, AtomicAdd64) {
  EXPECT_THAT(
      SdmaPackets().Atomic(SdmaPackets::AtomicOp::kAdd64, kDestination, 0x100000002).words(),
      ElementsAre(0x5e00000a, 0x55667788, 0x7e00, 2, 1, 0, 0, 0));
}

TEST(SdmaPackets, PollOfMemoryForEver) {
  EXPECT_THAT(SdmaPackets().Poll(kDestination, 9, 0xff).words(),
              ElementsAre(0xb0000008, 0x55667788, 0x7e00, 9, 0xff, 0x0fff000a));
}

TEST(SdmaPackets, ConditionalTimestampNop) {
  EXPECT_THAT(
      SdmaPackets().ConditionalExecute(kDestination, 1, 4).Timestamp(kSource).Nop(3).words(),
      ElementsAre(9, 0x55667788, 0x7e00, 1, 4, 0x20d, 0x11223344, 0x7f00, 0x20000, 0, 0));
}

TEST(Pm4Packets, WriteData) {
  const std::uint32_t words[] = {5, 6};
  EXPECT_THAT(Pm4Packets().WriteData(kDestination, words).words(),
              ElementsAre(0xc0043700, 0x100500, 0x55667788, 0x7e00, 5, 6));
}

TEST(Pm4Packets, CopyData) {
  EXPECT_THAT(Pm4Packets().CopyData(kDestination, kSource, Pm4Packets::Width::k64).words(),
              ElementsAre(0xc0044000, 0x110501, 0x11223344, 0x7f00, 0x55667788, 0x7e00));
  EXPECT_THAT(Pm4Packets().CopyImmediate(kDestination, 0x42, Pm4Packets::Width::k32).words(),
              ElementsAre(0xc0044000, 0x100505, 0x42, 0, 0x55667788, 0x7e00));
  EXPECT_THAT(Pm4Packets().CopyClock(kDestination).words(),
              ElementsAre(0xc0044000, 0x110509, 0, 0, 0x55667788, 0x7e00));
}

TEST(Pm4Packets, WaitRegMem) {
  EXPECT_THAT(Pm4Packets().WaitRegMem(kDestination, 1).words(),
              ElementsAre(0xc0053c00, 0x13, 0x55667788, 0x7e00, 1, 0xffffffff, 4));
}

TEST(Pm4Packets, DmaData) {
  EXPECT_THAT(Pm4Packets().DmaCopy(kDestination, kSource, 256).words(),
              ElementsAre(0xc0055000, 0x80000000, 0x11223344, 0x7f00, 0x55667788, 0x7e00, 256));
  EXPECT_THAT(Pm4Packets().DmaFill(kDestination, 0x1234, 256).words(),
              ElementsAre(0xc0055000, 0xc0000000, 0x1234, 0, 0x55667788, 0x7e00, 256));
}

TEST(Pm4Packets, ReleaseMemWithInterrupt) {
  const Pm4Packets packets =
      Pm4Packets().ReleaseMem(kDestination, 0x1ffffffff, Pm4Packets::Release::kData64,
                              Pm4Packets::Interrupt::kAfterWrite, 33);
  EXPECT_THAT(packets.words(),
              ElementsAre(0xc0064900, 0x28514, 0x42000000, 0x55667788, 0x7e00, 0xffffffff, 1, 33));
}

TEST(Pm4Packets, NopFillsWords) {
  EXPECT_THAT(Pm4Packets().Nop(3).words(), ElementsAre(0xc0011000, 0, 0));
}

TEST(AqlPackets, BarrierAnd) {
  const std::uint64_t dependencies[] = {0x100000040, 0x200000080};
  EXPECT_THAT(AqlBarrier(AqlType::kBarrierAnd, dependencies, 0x3000000c0),
              ElementsAre(0x1503, 0, 0x40, 1, 0x80, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0, 3));
}

TEST(AqlPackets, BarrierOr) {
  EXPECT_THAT(AqlBarrier(AqlType::kBarrierOr, {}, 0),
              ElementsAre(0x1505, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(AqlPackets, DispatchOfOneWorkItem) {
  EXPECT_THAT(AqlDispatch(0x400000100, 0x500000140, 0x600000180),
              ElementsAre(0x11502, 0x10001, 1, 1, 1, 1, 0, 0, 0x100, 4, 0x140, 5, 0, 0, 0x180, 6));
}

}  // namespace
}  // namespace kfdcts::gpu
