// What PM4 packets of a user compute queue do.
#include <vector>

#include "harness/check/fixture.h"
#include "harness/check/target.h"
#include "harness/gpu/runner.h"

namespace kfdcts::check {
namespace {

using gpu::Buffer;
using gpu::BufferKind;
using gpu::Pm4Packets;
using gpu::Pm4Runner;

constexpr std::uint64_t kBytes = 64 * 1024;

class Pm4 : public TargetCheck {};
ON_EACH_TARGET(Pm4);

/// On memory that stays where it is when the CPU writes to it.
class Pm4Waits : public TargetCheck {};
INSTANTIATE_TEST_SUITE_P(, Pm4Waits,
                         ::testing::Combine(::testing::ValuesIn(GpuOrdinals()),
                                            ::testing::Values(TargetKind::kVram, TargetKind::kGtt,
                                                              TargetKind::kUserptr,
                                                              TargetKind::kSvmInSystem)),
                         TargetName);

GPU_CHECK(Pm4, WritesDataOfThePacket) {
  Pm4Runner pm4(check.session(), check.gpu());
  const Target target = check.MakeTarget(gpu::kPageBytes);
  target.Place();
  const std::vector<std::uint32_t> data{11, 12, 13, 14, 15};
  ASSERT_DONE(pm4.Run(Pm4Packets().WriteData(target.address() + 4, data)));
  const auto* const words = target.as<std::uint32_t>();
  EXPECT_EQ(words[0], 0U);
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(words[1 + i], data[i]);
  EXPECT_EQ(words[6], 0U);
}

GPU_CHECK(Pm4, CopiesNumbers) {
  using Width = Pm4Packets::Width;
  Pm4Runner pm4(check.session(), check.gpu());
  const Target target = check.MakeTarget(gpu::kPageBytes);
  auto* const numbers = target.as<std::uint64_t>();
  numbers[0] = 0x1111222233334444;
  target.Place();
  const std::uint64_t address = target.address();
  ASSERT_DONE(pm4.Run(Pm4Packets()
                          .CopyData(address + 8, address, Width::k64)
                          .CopyData(address + 16, address, Width::k32)
                          .CopyImmediate(address + 24, 0x5555666677778888, Width::k64)
                          .CopyImmediate(address + 32, 0x9999, Width::k32)));
  EXPECT_EQ(numbers[1], 0x1111222233334444U);
  EXPECT_EQ(numbers[2], 0x33334444U);
  EXPECT_EQ(numbers[3], 0x5555666677778888U);
  EXPECT_EQ(numbers[4], 0x9999U);
}

GPU_CHECK(Pm4, CopiesByDma) {
  Pm4Runner pm4(check.session(), check.gpu());
  const Buffer source(check.gpu(), BufferKind::kGtt, kBytes);
  const Target target = check.MakeTarget(kBytes);
  gpu::FillPattern(source.span(), 1);
  target.Place();
  ASSERT_DONE(pm4.Run(Pm4Packets().DmaCopy(target.address(), source.address(), kBytes - 4)));
  EXPECT_EQ(gpu::FirstMismatch(target.span().first(kBytes - 4), 1), kBytes - 4);
  EXPECT_EQ(target.as<std::uint32_t>()[kBytes / 4 - 1], 0U) << "beyond the end";
}

GPU_CHECK(Pm4, FillsByDma) {
  Pm4Runner pm4(check.session(), check.gpu());
  const Target target = check.MakeTarget(kBytes);
  target.Place();
  ASSERT_DONE(pm4.Run(Pm4Packets().DmaFill(target.address() + 8, 0xfeedbeef, kBytes - 16)));
  const auto* const words = target.as<std::uint32_t>();
  for (std::size_t i = 0; i < kBytes / 4; ++i) {
    const bool inside = i >= 2 && i < kBytes / 4 - 2;
    ASSERT_EQ(words[i], inside ? 0xfeedbeef : 0U) << "word " << i;
  }
}

GPU_CHECK(Pm4, ReleasesMemory) {
  using Release = Pm4Packets::Release;
  Pm4Runner pm4(check.session(), check.gpu());
  const Target target = check.MakeTarget(gpu::kPageBytes);
  target.Place();
  const std::uint64_t address = target.address();
  ASSERT_DONE(pm4.Run(Pm4Packets()
                          .ReleaseMem(address, 0x1111222233334444, Release::kData64)
                          .ReleaseMem(address + 8, 0x5555666677778888, Release::kData32)
                          .ReleaseMem(address + 16, 0, Release::kGpuClock)));
  const auto* const numbers = target.as<std::uint64_t>();
  EXPECT_EQ(numbers[0], 0x1111222233334444U);
  EXPECT_EQ(numbers[1], 0x77778888U);
  EXPECT_GT(numbers[2], 0U);
  EXPECT_EQ(numbers[3], 0U);
}

// The wait holds what is behind it until the CPU writes the value.
GPU_CHECK(Pm4Waits, HoldUntilTheCpuReleasesThem) {
  Pm4Runner pm4(check.session(), check.gpu());
  const Target target = check.MakeTarget(gpu::kPageBytes);
  target.Place();
  auto* const words = target.as<std::uint32_t>();
  const std::uint32_t ticket = pm4.Start(Pm4Packets()
                                             .WriteData(target.address() + 128, 1)
                                             .WaitRegMem(target.address(), 0xab, 0xff)
                                             .WriteData(target.address() + 132, 1));
  ASSERT_TRUE(gpu::WaitUntil([&] { return gpu::LoadAcquire(words + 32) == 1; }));
  EXPECT_FALSE(gpu::WaitUntil([&] { return pm4.Done(ticket); },
                              gpu::Deadline(std::chrono::milliseconds(50))));
  EXPECT_EQ(gpu::LoadAcquire(words + 33), 0U) << "the wait did not hold";
  gpu::StoreRelease(words, 0xcdU);
  EXPECT_FALSE(gpu::WaitUntil([&] { return pm4.Done(ticket); },
                              gpu::Deadline(std::chrono::milliseconds(20))));
  gpu::StoreRelease(words, 0x12abU);
  ASSERT_DONE(pm4.Finish(ticket));
  EXPECT_EQ(gpu::LoadAcquire(words + 33), 1U);
}

class Pm4Queue : public GpuCheck {};
ON_EACH_GPU(Pm4Queue);

GPU_CHECK(Pm4Queue, ComparesInEveryWay) {
  using Compare = Pm4Packets::Compare;
  Pm4Runner pm4(check.session(), check.gpu());
  const Buffer buffer(check.gpu(), BufferKind::kGtt, gpu::kPageBytes);
  *buffer.as<std::uint32_t>() = 5;
  const std::uint64_t address = buffer.address();
  constexpr std::uint32_t kAll = 0xffffffff;
  ASSERT_DONE(pm4.Run(Pm4Packets()
                          .WaitRegMem(address, 9, kAll, Compare::kAlways)
                          .WaitRegMem(address, 6, kAll, Compare::kLess)
                          .WaitRegMem(address, 5, kAll, Compare::kLessOrEqual)
                          .WaitRegMem(address, 5, kAll, Compare::kEqual)
                          .WaitRegMem(address, 4, kAll, Compare::kNotEqual)
                          .WaitRegMem(address, 5, kAll, Compare::kGreaterOrEqual)
                          .WaitRegMem(address, 4, kAll, Compare::kGreater)));
}

GPU_CHECK(Pm4Queue, ClockRunsForward) {
  Pm4Runner pm4(check.session(), check.gpu());
  const Buffer buffer(check.gpu(), BufferKind::kGtt, gpu::kPageBytes);
  ASSERT_DONE(
      pm4.Run(Pm4Packets().CopyClock(buffer.address()).Nop(16).CopyClock(buffer.address() + 8)));
  const auto* const times = buffer.as<std::uint64_t>();
  EXPECT_GT(times[0], 0U);
  EXPECT_GE(times[1], times[0]);
}

GPU_CHECK(Pm4Queue, AcquiresMemory) {
  Pm4Runner pm4(check.session(), check.gpu());
  ASSERT_DONE(pm4.Run(Pm4Packets().AcquireMem()));
}

}  // namespace
}  // namespace kfdcts::check
