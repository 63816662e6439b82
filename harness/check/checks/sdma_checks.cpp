// What SDMA packets of a user queue do to memory of every kind.
#include <cerrno>
#include <numeric>
#include <vector>

#include "harness/check/fixture.h"
#include "harness/check/target.h"
#include "harness/gpu/runner.h"

namespace kfdcts::check {
namespace {

using gpu::Buffer;
using gpu::BufferKind;
using gpu::SdmaPackets;
using gpu::SdmaRunner;

constexpr std::uint64_t kBytes = 256 * 1024;

class Sdma : public TargetCheck {};
ON_EACH_TARGET(Sdma);

/// On memory that stays where it is when the CPU writes to it.
class SdmaWaits : public TargetCheck {};
INSTANTIATE_TEST_SUITE_P(, SdmaWaits,
                         ::testing::Combine(::testing::ValuesIn(GpuOrdinals()),
                                            ::testing::Values(TargetKind::kVram, TargetKind::kGtt,
                                                              TargetKind::kUserptr,
                                                              TargetKind::kSvmInSystem)),
                         TargetName);

GPU_CHECK(Sdma, ReadsForACopy) {
  SdmaRunner sdma(check.session(), check.gpu());
  const Buffer copy(check.gpu(), BufferKind::kGtt, kBytes);
  const Target target = check.MakeTarget(kBytes);
  gpu::FillPattern(target.span(), 1);
  gpu::FillPattern(copy.span(), 2);
  target.Place();
  ASSERT_DONE(sdma.Run(SdmaPackets().Copy(copy.address(), target.address(), kBytes - 4)));
  EXPECT_EQ(gpu::FirstMismatch(copy.span().first(kBytes - 4), 1), kBytes - 4);
  EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(copy.data() + kBytes - 4),
            gpu::PatternWord(kBytes - 4, 2))
      << "beyond the end";
}

GPU_CHECK(Sdma, WritesForACopy) {
  SdmaRunner sdma(check.session(), check.gpu());
  const Buffer source(check.gpu(), BufferKind::kGtt, kBytes);
  const Target target = check.MakeTarget(kBytes);
  gpu::FillPattern(source.span(), 3);
  target.Place();
  ASSERT_DONE(sdma.Run(SdmaPackets().Copy(target.address(), source.address(), kBytes - 4)));
  EXPECT_EQ(gpu::FirstMismatch(target.span().first(kBytes - 4), 3), kBytes - 4);
  EXPECT_EQ(target.as<std::uint32_t>()[kBytes / 4 - 1], 0U) << "beyond the end";
}

GPU_CHECK(Sdma, CopiesByteByByte) {
  SdmaRunner sdma(check.session(), check.gpu());
  const Target target = check.MakeTarget(gpu::kPageBytes);
  gpu::FillPattern(target.span().first(1024), 4);
  target.Place();
  ASSERT_DONE(sdma.Run(SdmaPackets().Copy(target.address() + 2049, target.address() + 1, 1021)));
  for (std::size_t i = 0; i < 1021; ++i)
    ASSERT_EQ(target.span()[2049 + i], target.span()[1 + i]) << "byte " << i;
  EXPECT_EQ(target.span()[2048], std::byte{0});
  EXPECT_EQ(target.span()[2049 + 1021], std::byte{0});
}

GPU_CHECK(Sdma, Fills) {
  SdmaRunner sdma(check.session(), check.gpu());
  const Target target = check.MakeTarget(kBytes);
  target.Place();
  ASSERT_DONE(sdma.Run(SdmaPackets().Fill(target.address() + 16, 0xfeedbeef, kBytes - 32)));
  const auto* const words = target.as<std::uint32_t>();
  for (std::size_t i = 0; i < kBytes / 4; ++i) {
    const bool inside = i >= 4 && i < kBytes / 4 - 4;
    ASSERT_EQ(words[i], inside ? 0xfeedbeef : 0U) << "word " << i;
  }
}

GPU_CHECK(Sdma, WritesDataOfThePacket) {
  SdmaRunner sdma(check.session(), check.gpu());
  const Target target = check.MakeTarget(gpu::kPageBytes);
  target.Place();
  std::vector<std::uint32_t> data(100);
  std::iota(data.begin(), data.end(), 1000U);
  ASSERT_DONE(sdma.Run(SdmaPackets().Write(target.address() + 40, data)));
  const auto* const words = target.as<std::uint32_t>();
  EXPECT_EQ(words[9], 0U);
  for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(words[10 + i], data[i]);
  EXPECT_EQ(words[110], 0U);
}

GPU_CHECK(Sdma, Fences) {
  SdmaRunner sdma(check.session(), check.gpu());
  const Target target = check.MakeTarget(gpu::kPageBytes);
  target.Place();
  ASSERT_DONE(sdma.Run(SdmaPackets().Fence(target.address() + 4, 0x12345678)));
  const auto* const words = target.as<std::uint32_t>();
  EXPECT_EQ(words[0], 0U);
  EXPECT_EQ(words[1], 0x12345678U);
  EXPECT_EQ(words[2], 0U);
}

GPU_CHECK(Sdma, AddsAtomically) {
  SdmaRunner sdma(check.session(), check.gpu());
  const Target target = check.MakeTarget(gpu::kPageBytes);
  auto* const numbers = target.as<std::uint64_t>();
  numbers[0] = 0xfffffffeULL;
  numbers[1] = 0xfffffffeULL;
  target.Place();
  using Op = SdmaPackets::AtomicOp;
  ASSERT_DONE(sdma.Run(SdmaPackets()
                           .Atomic(Op::kAdd64, target.address(), 5)
                           .Atomic(Op::kAdd64, target.address(), 0x700000000)
                           .Atomic(Op::kAdd32, target.address() + 8, 5)));
  EXPECT_EQ(numbers[0], 0x800000003ULL);
  EXPECT_EQ(numbers[1], 3ULL) << "32 bits do not carry";
}

GPU_CHECK(Sdma, StampsTimes) {
  SdmaRunner sdma(check.session(), check.gpu());
  const Target target = check.MakeTarget(gpu::kPageBytes);
  target.Place();
  ASSERT_DONE(sdma.Run(
      SdmaPackets().Timestamp(target.address() + 32).Nop(16).Timestamp(target.address() + 64)));
  const auto* const times = target.as<std::uint64_t>();
  EXPECT_GT(times[4], 0U);
  EXPECT_GE(times[8], times[4]);
  EXPECT_EQ(times[5], 0U);
}

// Poll, then work that the release allows: nothing of it may happen before.
GPU_CHECK(SdmaWaits, HoldUntilTheCpuReleasesThem) {
  SdmaRunner sdma(check.session(), check.gpu());
  const Target target = check.MakeTarget(gpu::kPageBytes);
  target.Place();
  auto* const words = target.as<std::uint32_t>();
  const std::uint32_t ticket = sdma.Start(SdmaPackets()
                                              .Fence(target.address() + 128, 1)
                                              .Poll(target.address(), 0xab, 0xff)
                                              .Fence(target.address() + 132, 1));
  ASSERT_TRUE(gpu::WaitUntil([&] { return gpu::LoadAcquire(words + 32) == 1; }));
  EXPECT_FALSE(gpu::WaitUntil([&] { return sdma.Done(ticket); },
                              gpu::Deadline(std::chrono::milliseconds(50))));
  EXPECT_EQ(gpu::LoadAcquire(words + 33), 0U) << "the poll did not hold";
  gpu::StoreRelease(words, 0xcdU);
  EXPECT_FALSE(gpu::WaitUntil([&] { return sdma.Done(ticket); },
                              gpu::Deadline(std::chrono::milliseconds(20))));
  gpu::StoreRelease(words, 0x12abU);
  ASSERT_DONE(sdma.Finish(ticket));
  EXPECT_EQ(gpu::LoadAcquire(words + 33), 1U);
}

class SdmaQueue : public GpuCheck {};
ON_EACH_GPU(SdmaQueue);

GPU_CHECK(SdmaQueue, ExecutesOnCondition) {
  SdmaRunner sdma(check.session(), check.gpu());
  const Buffer buffer(check.gpu(), BufferKind::kGtt, gpu::kPageBytes);
  auto* const words = buffer.as<std::uint32_t>();
  words[0] = 7;
  words[1] = words[2] = 0;
  constexpr std::uint32_t kFenceWords = 4;
  ASSERT_DONE(sdma.Run(SdmaPackets()
                           .ConditionalExecute(buffer.address(), 7, kFenceWords)
                           .Fence(buffer.address() + 4, 1)
                           .ConditionalExecute(buffer.address(), 8, kFenceWords)
                           .Fence(buffer.address() + 8, 1)));
  EXPECT_EQ(words[1], 1U);
  EXPECT_EQ(words[2], 0U);
}

GPU_CHECK(SdmaQueue, PrivateVramKeepsItsData) {
  SdmaRunner sdma(check.session(), check.gpu());
  const Buffer vram(check.gpu(), BufferKind::kVramPrivate, kBytes);
  const Buffer source(check.gpu(), BufferKind::kGtt, kBytes),
      copy(check.gpu(), BufferKind::kGtt, kBytes);
  gpu::FillPattern(source.span(), 8);
  gpu::FillPattern(copy.span(), 9);
  ASSERT_DONE(sdma.Run(SdmaPackets()
                           .Copy(vram.address(), source.address(), kBytes)
                           .Copy(copy.address(), vram.address(), kBytes)));
  EXPECT_EQ(gpu::FirstMismatch(copy.span(), 8), kBytes);
}

GPU_CHECK(SdmaQueue, CopyLongerThanOnePacket) {
  constexpr std::uint64_t kLong = SdmaPackets::kMaxCopyBytes + 64 * 1024;
  SdmaRunner sdma(check.session(), check.gpu());
  const Buffer source(check.gpu(), BufferKind::kGtt, kLong),
      copy(check.gpu(), BufferKind::kGtt, kLong);
  gpu::FillPattern(source.span(), 10);
  ASSERT_DONE(sdma.Run(SdmaPackets().Copy(copy.address(), source.address(), kLong)));
  EXPECT_EQ(gpu::FirstMismatch(copy.span(), 10), kLong);
}

}  // namespace
}  // namespace kfdcts::check
