// Calls about one GPU that need no memory and no queue.
#include <fcntl.h>

#include <cerrno>

#include "harness/check/fixture.h"

namespace kfdcts::check {
namespace {

constexpr std::uint32_t kNoGpu = 0xbad1;

int Acquire(const gpu::Kfd& kfd, int drm_fd, std::uint32_t gpu_id) {
  kfd_ioctl_acquire_vm_args args{};
  args.drm_fd = static_cast<std::uint32_t>(drm_fd);
  args.gpu_id = gpu_id;
  return kfd.Call(AMDKFD_IOC_ACQUIRE_VM, args);
}

class AcquireVm : public GpuCheck {};
ON_EACH_GPU(AcquireVm);

GPU_CHECK(AcquireVm, SameFileAgainIsFine) {
  EXPECT_EQ(Acquire(check.session().kfd(), check.gpu().render_fd(), check.gpu().id()), 0);
}

GPU_CHECK(AcquireVm, OtherFileIsEBUSY) {
  const gpu::UniqueFd other = gpu::OpenRenderNode(check.gpu().node());
  EXPECT_EQ(Acquire(check.session().kfd(), other.get(), check.gpu().id()), EBUSY);
}

GPU_CHECK(AcquireVm, OtherFilesAreEINVAL) {
  ExpectKernelLog("Failed to create process VM object");
  const gpu::Kfd kfd;
  const std::uint32_t id = gpu::ReadTopology().gpus[check.GetParam()].gpu_id;
  const gpu::UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_EQ(Acquire(kfd, null.get(), id), EINVAL);
  EXPECT_EQ(Acquire(kfd, -1, id), EINVAL);
}

GPU_CHECK(AcquireVm, UnknownGpuIsEINVAL) {
  EXPECT_EQ(Acquire(check.session().kfd(), check.gpu().render_fd(), kNoGpu), EINVAL);
}

GPU_CHECK(AcquireVm, WithoutItThereIsNoMemoryAndNoQueue) {
  const gpu::Kfd kfd;
  kfd_ioctl_alloc_memory_of_gpu_args memory{};
  memory.va_addr = 0x10000000;
  memory.size = gpu::kPageBytes;
  memory.gpu_id = gpu::ReadTopology().gpus[check.GetParam()].gpu_id;
  memory.flags = gpu::AllocFlags(gpu::BufferKind::kGtt);
  EXPECT_EQ(kfd.Call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, memory), ENODEV);
  kfd_ioctl_create_queue_args queue{};
  queue.gpu_id = memory.gpu_id;
  queue.queue_type = KFD_IOC_QUEUE_TYPE_SDMA;
  EXPECT_EQ(kfd.Call(AMDKFD_IOC_CREATE_QUEUE, queue), ESRCH);
}

class ClockCounters : public GpuCheck {};
ON_EACH_GPU(ClockCounters);

kfd_ioctl_get_clock_counters_args Clocks(const gpu::Kfd& kfd, std::uint32_t gpu_id) {
  kfd_ioctl_get_clock_counters_args args{};
  args.gpu_id = gpu_id;
  kfd.Do(AMDKFD_IOC_GET_CLOCK_COUNTERS, args, "GET_CLOCK_COUNTERS");
  return args;
}

GPU_CHECK(ClockCounters, AllRunForward) {
  const auto before = Clocks(check.session().kfd(), check.gpu().id());
  const auto after = Clocks(check.session().kfd(), check.gpu().id());
  EXPECT_GT(before.gpu_clock_counter, 0U);
  EXPECT_GT(after.gpu_clock_counter, before.gpu_clock_counter);
  EXPECT_GT(after.cpu_clock_counter, before.cpu_clock_counter);
  EXPECT_GT(after.system_clock_counter, before.system_clock_counter);
  EXPECT_EQ(after.system_clock_freq, 1000000000U);
}

GPU_CHECK(ClockCounters, NodeWithoutGpuHasNoGpuClock) {
  const auto clocks = Clocks(check.session().kfd(), 0);
  EXPECT_EQ(clocks.gpu_clock_counter, 0U);
  EXPECT_GT(clocks.cpu_clock_counter, 0U);
}

class MemoryPolicy : public GpuCheck {};
ON_EACH_GPU(MemoryPolicy);

int SetPolicy(const gpu::Kfd& kfd, std::uint32_t gpu_id, std::uint32_t normal,
              std::uint32_t alternate) {
  kfd_ioctl_set_memory_policy_args args{};
  args.gpu_id = gpu_id;
  args.default_policy = normal;
  args.alternate_policy = alternate;
  return kfd.Call(AMDKFD_IOC_SET_MEMORY_POLICY, args);
}

GPU_CHECK(MemoryPolicy, BothPoliciesAreTaken) {
  const auto& kfd = check.session().kfd();
  EXPECT_EQ(SetPolicy(kfd, check.gpu().id(), KFD_IOC_CACHE_POLICY_COHERENT,
                      KFD_IOC_CACHE_POLICY_COHERENT),
            0);
  EXPECT_EQ(SetPolicy(kfd, check.gpu().id(), KFD_IOC_CACHE_POLICY_NONCOHERENT,
                      KFD_IOC_CACHE_POLICY_COHERENT),
            0);
}

GPU_CHECK(MemoryPolicy, OtherPoliciesAndGpusAreEINVAL) {
  const auto& kfd = check.session().kfd();
  EXPECT_EQ(SetPolicy(kfd, check.gpu().id(), 2, 0), EINVAL);
  EXPECT_EQ(SetPolicy(kfd, check.gpu().id(), 0, 2), EINVAL);
  EXPECT_EQ(SetPolicy(kfd, kNoGpu, 0, 0), EINVAL);
}

class AvailableMemory : public GpuCheck {};
ON_EACH_GPU(AvailableMemory);

GPU_CHECK(AvailableMemory, FollowsVramExactly) {
  constexpr std::uint64_t kBytes = 16 * gpu::kHugePageBytes;
  const auto& kfd = check.session().kfd();
  const std::uint32_t id = check.gpu().id();
  const std::uint64_t before = SettledMemory(kfd, id);
  EXPECT_GT(before, kBytes);
  EXPECT_LE(before, check.gpu().node().vram_bytes);
  gpu::Buffer buffer(check.gpu(), gpu::BufferKind::kVramPrivate, kBytes);
  EXPECT_EQ(kfd.AvailableMemory(id), before - kBytes);
  ASSERT_EQ(buffer.Unmap(check.gpu()), 0);
  ASSERT_EQ(buffer.Free(), 0);
  EXPECT_EQ(SettledMemory(kfd, id), before);
}

GPU_CHECK(AvailableMemory, UnknownGpuIsEINVAL) {
  kfd_ioctl_get_available_memory_args args{};
  args.gpu_id = kNoGpu;
  EXPECT_EQ(check.session().kfd().Call(AMDKFD_IOC_AVAILABLE_MEMORY, args), EINVAL);
}

}  // namespace
}  // namespace kfdcts::check
