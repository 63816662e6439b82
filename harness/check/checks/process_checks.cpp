// The device file and what it says about the machine.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "harness/check/fixture.h"

namespace kfdcts::check {
namespace {

class Process : public MachineCheck {};

MACHINE_CHECK(Process, InterfaceIsVersionOne) {
  const gpu::Kfd kfd;
  EXPECT_EQ(kfd.Version().major_version, 1U);
}

MACHINE_CHECK(Process, UnknownCallIsENOTTY) {
  const gpu::Kfd kfd;
  EXPECT_EQ(gpu::Ioctl(kfd.fd(), _IO('K', 0x7f), nullptr), ENOTTY);
  EXPECT_EQ(gpu::Ioctl(kfd.fd(), _IO('K', 0), nullptr), ENOTTY);
}

MACHINE_CHECK(Process, ForkedChildMayNotUseTheFile) {
  const gpu::Kfd kfd;
  const pid_t child = fork();
  if (child == 0) {
    kfd_ioctl_get_version_args args{};
    _exit(kfd.Call(AMDKFD_IOC_GET_VERSION, args));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), EBADF);
}

// KFD's process belongs to the address space: what one open file acquired, another may use.
MACHINE_CHECK(Process, SecondFileIsTheSameProcess) {
  SKIP_UNLESS(NeedsGpu(0));
  const gpu::Kfd second;
  kfd_ioctl_acquire_vm_args args{};
  args.drm_fd = static_cast<std::uint32_t>(check.session().gpu(0).render_fd());
  args.gpu_id = check.session().gpu(0).id();
  EXPECT_EQ(second.Call(AMDKFD_IOC_ACQUIRE_VM, args), 0);
}

class Apertures : public MachineCheck {};

struct Answer {
  int error = 0;
  std::uint32_t count = 0;
  std::vector<kfd_process_device_apertures> apertures;
};

Answer Ask(std::uint32_t nodes) {
  const gpu::Kfd kfd;
  Answer answer;
  answer.apertures.resize(nodes);
  kfd_ioctl_get_process_apertures_new_args args{};
  args.kfd_process_device_apertures_ptr = reinterpret_cast<std::uint64_t>(answer.apertures.data());
  args.num_of_nodes = nodes;
  answer.error = kfd.Call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, args);
  answer.count = args.num_of_nodes;
  return answer;
}

MACHINE_CHECK(Apertures, ZeroNodesAskForTheNumberOfGpus) {
  const Answer answer = Ask(0);
  EXPECT_EQ(answer.error, 0);
  EXPECT_EQ(answer.count, gpu::ReadTopology().gpus.size());
}

MACHINE_CHECK(Apertures, EveryGpuOnce) {
  const gpu::Topology topology = gpu::ReadTopology();
  const Answer answer = Ask(topology.nodes);
  ASSERT_EQ(answer.error, 0);
  ASSERT_EQ(answer.count, topology.gpus.size());
  for (const gpu::GpuNode& node : topology.gpus) {
    EXPECT_EQ(std::count_if(answer.apertures.begin(), answer.apertures.begin() + answer.count,
                            [&](const auto& aperture) { return aperture.gpu_id == node.gpu_id; }),
              1)
        << "gpu_id " << node.gpu_id;
  }
}

// Kernel: kfd_init_apertures_v9, AMDGPU_GMC_HOLE_START.
MACHINE_CHECK(Apertures, PlacesOfGfx9) {
  const gpu::Topology topology = gpu::ReadTopology();
  const Answer answer = Ask(topology.nodes);
  ASSERT_EQ(answer.error, 0);
  ASSERT_EQ(answer.count, topology.gpus.size());
  for (std::uint32_t i = 0; i < answer.count; ++i) {
    if (topology.gpus[i].Property("gfx_target_version") / 10000 != 9)
      GTEST_SKIP() << "not all GPUs are GFX9";
    const auto& aperture = answer.apertures[i];
    EXPECT_EQ(aperture.lds_base, 1ULL << 48);
    EXPECT_EQ(aperture.lds_limit, (1ULL << 48) + 0xffffffff);
    EXPECT_EQ(aperture.scratch_base, 2ULL << 48);
    EXPECT_EQ(aperture.scratch_limit, (2ULL << 48) + 0xffffffff);
    EXPECT_LE(aperture.gpuvm_base, 2ULL << 20);
    EXPECT_EQ(aperture.gpuvm_limit, (1ULL << 47) - 1);
  }
}

MACHINE_CHECK(Apertures, MoreNodesThanTheTopologyHasIsEINVAL) {
  const std::uint32_t nodes = gpu::ReadTopology().nodes;
  EXPECT_EQ(Ask(nodes).error, 0);
  EXPECT_EQ(Ask(nodes + 1).error, EINVAL);
}

MACHINE_CHECK(Apertures, OlderCallSaysTheSame) {
  const gpu::Topology topology = gpu::ReadTopology();
  const Answer answer = Ask(topology.nodes);
  const gpu::Kfd kfd;
  kfd_ioctl_get_process_apertures_args args{};
  ASSERT_EQ(kfd.Call(AMDKFD_IOC_GET_PROCESS_APERTURES, args), 0);
  ASSERT_EQ(args.num_of_nodes, std::min<std::size_t>(NUM_OF_SUPPORTED_GPUS, topology.gpus.size()));
  for (std::uint32_t i = 0; i < args.num_of_nodes; ++i) {
    EXPECT_EQ(args.process_apertures[i].gpu_id, answer.apertures[i].gpu_id);
    EXPECT_EQ(args.process_apertures[i].gpuvm_limit, answer.apertures[i].gpuvm_limit);
  }
}

}  // namespace
}  // namespace kfdcts::check
