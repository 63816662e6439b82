// Two GPUs and one memory.
#include <cerrno>

#include "harness/check/fixture.h"
#include "harness/check/target.h"
#include "harness/gpu/runner.h"
#include "harness/gpu/svm.h"

namespace kfdcts::check {
namespace {

using gpu::Buffer;
using gpu::BufferKind;
using gpu::SdmaPackets;
using gpu::SdmaRunner;

constexpr std::uint64_t kBytes = 1 << 20;

class Peers : public PairCheck {};
ON_EACH_PAIR(Peers);

// What one GPU writes to system memory, the other reads, at the same address.
GPU_CHECK(Peers, ShareSystemMemory) {
  for (const BufferKind kind : {BufferKind::kGtt, BufferKind::kUserptr}) {
    Buffer shared(check.first(), kind, kBytes);
    ASSERT_EQ(shared.Map(check.second()), 0) << gpu::Name(kind);
    const Buffer source(check.first(), BufferKind::kGtt, kBytes),
        copy(check.second(), BufferKind::kGtt, kBytes);
    gpu::FillPattern(source.span(), 1);
    gpu::FillPattern(copy.span(), 2);
    SdmaRunner writer(check.session(), check.first()), reader(check.session(), check.second());
    ASSERT_DONE(writer.Run(SdmaPackets().Copy(shared.address(), source.address(), kBytes)));
    ASSERT_DONE(reader.Run(SdmaPackets().Copy(copy.address(), shared.address(), kBytes)));
    EXPECT_EQ(gpu::FirstMismatch(copy.span(), 1), kBytes) << gpu::Name(kind);
  }
}

// One GPU polls a fence that the other writes.
GPU_CHECK(Peers, WaitForEachOther) {
  Buffer shared(check.first(), BufferKind::kGtt, gpu::kPageBytes);
  ASSERT_EQ(shared.Map(check.second()), 0);
  auto* const words = shared.as<std::uint32_t>();
  words[0] = words[1] = 0;
  SdmaRunner waiter(check.session(), check.first()), signaller(check.session(), check.second());
  const std::uint32_t ticket =
      waiter.Start(SdmaPackets().Poll(shared.address(), 77).Fence(shared.address() + 4, 1));
  EXPECT_FALSE(gpu::WaitUntil([&] { return waiter.Done(ticket); },
                              gpu::Deadline(std::chrono::milliseconds(20))));
  ASSERT_DONE(signaller.Run(SdmaPackets().Fence(shared.address(), 77)));
  ASSERT_DONE(waiter.Finish(ticket));
  EXPECT_EQ(words[1], 1U);
}

GPU_CHECK(Peers, ReadEachOthersVram) {
  ExpectKernelLog("Failed to map peer:");
  Buffer vram(check.first(), BufferKind::kVramPrivate, kBytes);
  if (const int error = vram.Map(check.second()); error == EINVAL) {
    GTEST_SKIP() << "kernel or machine has no PCIe peer access";
  } else {
    ASSERT_EQ(error, 0);
  }
  const Buffer source(check.first(), BufferKind::kGtt, kBytes),
      copy(check.second(), BufferKind::kGtt, kBytes);
  gpu::FillPattern(source.span(), 3);
  SdmaRunner writer(check.session(), check.first()), reader(check.session(), check.second());
  ASSERT_DONE(writer.Run(SdmaPackets().Copy(vram.address(), source.address(), kBytes)));
  ASSERT_DONE(reader.Run(SdmaPackets().Copy(copy.address(), vram.address(), kBytes)));
  EXPECT_EQ(gpu::FirstMismatch(copy.span(), 3), kBytes);
}

GPU_CHECK(Peers, SharedSvmMemoryHasOneContent) {
  SKIP_UNLESS(NeedsSvm(check.session()));
  const gpu::HostMemory memory(gpu::HostMemory::Kind::kAnonymous, gpu::kHugePageBytes);
  gpu::FillPattern(memory.span(), 4);
  ASSERT_EQ(gpu::SvmSet(check.session().kfd(), memory.span(),
                        {{KFD_IOCTL_SVM_ATTR_ACCESS, check.first().id()},
                         {KFD_IOCTL_SVM_ATTR_ACCESS, check.second().id()},
                         {KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, KFD_IOCTL_SVM_LOCATION_SYSMEM}}),
            0);
  SdmaRunner first(check.session(), check.first()), second(check.session(), check.second());
  ASSERT_DONE(first.Run(SdmaPackets().Write(memory.address(), 0x11)));
  ASSERT_DONE(second.Run(
      SdmaPackets().Copy(memory.address() + 4, memory.address(), 4).Write(memory.address(), 0x22)));
  ASSERT_DONE(first.Run(SdmaPackets().Copy(memory.address() + 8, memory.address(), 4)));
  EXPECT_EQ(memory.as<std::uint32_t>()[1], 0x11U);
  EXPECT_EQ(memory.as<std::uint32_t>()[2], 0x22U);
}

}  // namespace
}  // namespace kfdcts::check
