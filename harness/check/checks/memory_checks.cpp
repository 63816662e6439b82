// Allocating, mapping, unmapping and freeing GPU memory, and the CPU's view of it. What GPUs see of
// it: sdma_checks.cpp.
#include <cerrno>
#include <tuple>
#include <vector>

#include "harness/check/fixture.h"
#include "harness/gpu/gem.h"
#include "harness/gpu/svm.h"

namespace kfdcts::check {
namespace {

using gpu::Buffer;
using gpu::BufferKind;

constexpr std::uint64_t kBytes = 1 << 20;
constexpr std::uint32_t kNoGpu = 0xbad1;

/// A kind of memory on one GPU: "gpu0_Vram".
class Memory : public MachineCheck,
               public ::testing::WithParamInterface<std::tuple<std::size_t, BufferKind>> {
 public:
  gpu::Gpu& gpu() { return session().gpu(std::get<0>(GetParam())); }
  BufferKind kind() const { return std::get<1>(GetParam()); }
  std::string Missing() override {
    if (auto missing = NeedsGpu(std::get<0>(GetParam())); !missing.empty()) return missing;
    return kind() == BufferKind::kVram ? NeedsPublicVram(gpu()) : "";
  }
};
/// Kinds that the CPU can use, and those of them that have an mmap offset.
class CpuMemory : public Memory {};
class FileMemory : public Memory {};

std::string KindName(const ::testing::TestParamInfo<std::tuple<std::size_t, BufferKind>>& info) {
  return "gpu" + std::to_string(std::get<0>(info.param)) + "_" + gpu::Name(std::get<1>(info.param));
}

auto Kinds(std::initializer_list<BufferKind> kinds) {
  return ::testing::Combine(::testing::ValuesIn(GpuOrdinals()), ::testing::ValuesIn(kinds));
}

INSTANTIATE_TEST_SUITE_P(, Memory,
                         Kinds({BufferKind::kVram, BufferKind::kVramPrivate, BufferKind::kGtt,
                                BufferKind::kUserptr}),
                         KindName);
INSTANTIATE_TEST_SUITE_P(, CpuMemory,
                         Kinds({BufferKind::kVram, BufferKind::kGtt, BufferKind::kUserptr}),
                         KindName);
INSTANTIATE_TEST_SUITE_P(, FileMemory, Kinds({BufferKind::kVram, BufferKind::kGtt}), KindName);

GPU_CHECK(Memory, LivesThroughItsLife) {
  ExpectKernelLog("Failed to unmap from gpu 0/1");
  auto& kfd = check.session().kfd();
  const std::uint32_t id = check.gpu().id();
  std::uint32_t done = 99;
  Buffer buffer(check.gpu(), check.kind(), kBytes);
  const std::uint64_t handle = buffer.handle();
  EXPECT_EQ(buffer.Free(), EBUSY) << "free while mapped";
  EXPECT_EQ(gpu::UnmapHandle(kfd, handle, {&id, 1}, done), 0);
  EXPECT_EQ(done, 1U);
  EXPECT_EQ(gpu::UnmapHandle(kfd, handle, {&id, 1}, done), EINVAL) << "unmap of what is not mapped";
  EXPECT_EQ(done, 0U);
  EXPECT_EQ(gpu::MapHandle(kfd, handle, {&id, 1}, done), 0);
  EXPECT_EQ(done, 1U);
  EXPECT_EQ(buffer.Unmap(check.gpu()), 0);
  EXPECT_EQ(buffer.Free(), 0);
  EXPECT_EQ(gpu::FreeHandle(kfd, handle), EINVAL) << "free of what is free";
  EXPECT_EQ(gpu::MapHandle(kfd, handle, {&id, 1}, done), ENOMEM) << "map of what is free";
}

GPU_CHECK(CpuMemory, ReadsWhatWasWritten) {
  const Buffer buffer(check.gpu(), check.kind(), kBytes);
  gpu::FillPattern(buffer.span(), 1);
  EXPECT_EQ(gpu::FirstMismatch(buffer.span(), 1), kBytes);
}

GPU_CHECK(FileMemory, SecondMappingShowsTheSame) {
  const Buffer buffer(check.gpu(), check.kind(), kBytes);
  gpu::FillPattern(buffer.span(), 2);
  const gpu::FileMapping second(check.gpu().render_fd(), buffer.mmap_offset(), kBytes);
  EXPECT_EQ(gpu::FirstMismatch(second.span(), 2), kBytes);
  gpu::FillPattern(second.span(), 3);
  EXPECT_EQ(gpu::FirstMismatch(buffer.span(), 3), kBytes);
}

class MemoryErrors : public GpuCheck {
 public:
  int Allocate(std::uint64_t bytes, std::uint32_t flags, std::uint64_t mmap_offset = 0,
               std::uint32_t gpu_id = 0) {
    const gpu::HostMemory room(gpu::HostMemory::Kind::kReserved, gpu::kHugePageBytes);
    kfd_ioctl_alloc_memory_of_gpu_args args{};
    args.va_addr = room.address();
    args.size = bytes;
    args.gpu_id = gpu_id != 0 ? gpu_id : gpu().id();
    args.flags = flags;
    args.mmap_offset = mmap_offset;
    return session().kfd().Call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, args);
  }
};
ON_EACH_GPU(MemoryErrors);

GPU_CHECK(MemoryErrors, SizeOfZeroIsEINVAL) {
  EXPECT_EQ(check.Allocate(0, gpu::AllocFlags(BufferKind::kGtt)), EINVAL);
  EXPECT_EQ(check.Allocate(0, gpu::AllocFlags(BufferKind::kVramPrivate)), EINVAL);
}

GPU_CHECK(MemoryErrors, UnknownGpuIsEINVAL) {
  EXPECT_EQ(check.Allocate(gpu::kPageBytes, gpu::AllocFlags(BufferKind::kGtt), 0, kNoGpu), EINVAL);
}

GPU_CHECK(MemoryErrors, NoKindIsEINVAL) {
  EXPECT_EQ(check.Allocate(gpu::kPageBytes, KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE), EINVAL);
}

GPU_CHECK(MemoryErrors, UserPointerOfNullIsEINVAL) {
  EXPECT_EQ(check.Allocate(gpu::kPageBytes, gpu::AllocFlags(BufferKind::kUserptr), 0), EINVAL);
}

GPU_CHECK(MemoryErrors, MoreThanVramIsENOMEM) {
  const std::uint64_t all = check.gpu().node().vram_bytes;
  EXPECT_EQ(check.Allocate(all + gpu::kHugePageBytes, gpu::AllocFlags(BufferKind::kVramPrivate)),
            ENOMEM);
}

GPU_CHECK(MemoryErrors, PublicVramWithoutLargeBarIsEINVAL) {
  if (check.gpu().node().vram_is_public) GTEST_SKIP() << "GPU has a large BAR";
  ExpectKernelLog("Alloc host visible vram on small bar is not allowed");
  EXPECT_EQ(check.Allocate(gpu::kPageBytes, gpu::AllocFlags(BufferKind::kVram)), EINVAL);
}

GPU_CHECK(MemoryErrors, MapWantsGpusThatItKnows) {
  auto& kfd = check.session().kfd();
  Buffer buffer(check.gpu(), BufferKind::kGtt, gpu::kPageBytes);
  ASSERT_EQ(buffer.Unmap(check.gpu()), 0);
  std::uint32_t done = 99;
  EXPECT_EQ(gpu::MapHandle(kfd, buffer.handle(), {}, done), EINVAL);
  const std::vector<std::uint32_t> unknown{kNoGpu};
  EXPECT_EQ(gpu::MapHandle(kfd, buffer.handle(), unknown, done), EINVAL);
  EXPECT_EQ(done, 0U);
  const std::vector<std::uint32_t> second_unknown{check.gpu().id(), kNoGpu};
  EXPECT_EQ(gpu::MapHandle(kfd, buffer.handle(), second_unknown, done), EINVAL);
  EXPECT_EQ(done, 1U) << "the first one is mapped nevertheless";
  EXPECT_EQ(gpu::UnmapHandle(kfd, buffer.handle(), {second_unknown.data(), 1}, done), 0);
}

GPU_CHECK(MemoryErrors, MoreSuccessesThanGpusIsEINVAL) {
  const Buffer buffer(check.gpu(), BufferKind::kGtt, gpu::kPageBytes);
  const std::uint32_t id = check.gpu().id();
  kfd_ioctl_map_memory_to_gpu_args args{};
  args.handle = buffer.handle();
  args.device_ids_array_ptr = reinterpret_cast<std::uint64_t>(&id);
  args.n_devices = 1;
  args.n_success = 2;
  EXPECT_EQ(check.session().kfd().Call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, args), EINVAL);
}

GPU_CHECK(MemoryErrors, RangeOfSvmIsEADDRINUSE) {
  SKIP_UNLESS(NeedsSvm(check.session()));
  ExpectKernelLog("already allocated by SVM");
  const gpu::HostMemory memory(gpu::HostMemory::Kind::kAnonymous, gpu::kHugePageBytes);
  ASSERT_EQ(gpu::SvmSet(check.session().kfd(), memory.span(),
                        {{KFD_IOCTL_SVM_ATTR_ACCESS, check.gpu().id()}}),
            0);
  kfd_ioctl_alloc_memory_of_gpu_args args{};
  args.va_addr = memory.address();
  args.size = gpu::kPageBytes;
  args.gpu_id = check.gpu().id();
  args.flags = gpu::AllocFlags(BufferKind::kGtt);
  EXPECT_EQ(check.session().kfd().Call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, args), EADDRINUSE);
}

}  // namespace
}  // namespace kfdcts::check
