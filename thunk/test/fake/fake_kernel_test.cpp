#include "thunk/test/fake/fake_kernel.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace kfdcts::thunk {
namespace {

constexpr std::uint32_t kVram = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
constexpr std::uint64_t kAddress = 1ull << 40;

class FakeKernelTest : public testing::Test {
 protected:
  void SetUp() override {
    kfd_ = kernel_.Open("/dev/kfd", 0);
    ASSERT_GE(kfd_, 0);
    for (const FakeGpu& gpu : kernel_.machine().gpus) {
      const std::string node = "/dev/dri/renderD" + std::to_string(gpu.render_minor);
      render_.push_back(kernel_.Open(node.c_str(), 0));
      kfd_ioctl_acquire_vm_args acquire{static_cast<std::uint32_t>(render_.back()), gpu.gpu_id};
      ASSERT_EQ(Call(AMDKFD_IOC_ACQUIRE_VM, acquire), 0);
    }
  }

  template <class Arguments>
  int Call(unsigned long request, Arguments& arguments) {
    return kernel_.Ioctl(kfd_, request, &arguments);
  }
  int Alloc(std::uint32_t flags, std::uint64_t address, std::uint64_t bytes,
            kfd_ioctl_alloc_memory_of_gpu_args& memory) {
    memory = {address, bytes, 0, 0, GpuId(0), flags};
    return Call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, memory);
  }
  int Free(std::uint64_t handle) {
    kfd_ioctl_free_memory_of_gpu_args free{handle};
    return Call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, free);
  }
  int Map(std::uint64_t handle, std::uint32_t& count) {
    std::vector<std::uint32_t> ids{GpuId(0), GpuId(1)};
    kfd_ioctl_map_memory_to_gpu_args map{handle, reinterpret_cast<std::uint64_t>(ids.data()), 2, 0};
    const int error = Call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, map);
    count = map.n_success;
    return error;
  }
  int Unmap(std::uint64_t handle, std::uint32_t count) {
    std::vector<std::uint32_t> ids{GpuId(0), GpuId(1)};
    kfd_ioctl_unmap_memory_from_gpu_args unmap{handle, reinterpret_cast<std::uint64_t>(ids.data()),
                                               count, 0};
    return Call(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, unmap);
  }
  std::uint32_t GpuId(std::size_t gpu) const { return kernel_.machine().gpus[gpu].gpu_id; }

  FakeKernel kernel_;
  int kfd_ = -1;
  std::vector<int> render_;
};

TEST_F(FakeKernelTest, LifeOfABuffer) {
  kfd_ioctl_alloc_memory_of_gpu_args memory;
  ASSERT_EQ(Alloc(kVram, kAddress, 8192, memory), 0);
  std::uint32_t count = 0;
  EXPECT_EQ(Map(memory.handle, count), 0);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(kernel_.Leftovers(true), "1 buffers, 2 mappings on GPUs, 8192 bytes of VRAM");
  EXPECT_EQ(Free(memory.handle), -EBUSY);
  EXPECT_EQ(Unmap(memory.handle, 2), 0);
  EXPECT_EQ(Unmap(memory.handle, 2), -EINVAL);
  EXPECT_EQ(Free(memory.handle), 0);
  EXPECT_EQ(Free(memory.handle), -EINVAL);
  EXPECT_EQ(kernel_.Leftovers(true), "");
  EXPECT_EQ(kernel_.Leftovers(), "1 files of /dev/kfd, 2 files of render nodes");
}

TEST_F(FakeKernelTest, AddressesOfMappedBuffersAreTheirOwn) {
  kfd_ioctl_alloc_memory_of_gpu_args a, b;
  ASSERT_EQ(Alloc(kVram, kAddress, 8192, a), 0);
  ASSERT_EQ(Alloc(kVram, kAddress + 4096, 8192, b), 0);
  std::uint32_t count = 0;
  EXPECT_EQ(Map(a.handle, count), 0);
  EXPECT_EQ(Map(b.handle, count), -EINVAL);
  EXPECT_EQ(count, 0u);
}

TEST_F(FakeKernelTest, PartOfAMappingFails) {
  kfd_ioctl_alloc_memory_of_gpu_args memory;
  ASSERT_EQ(Alloc(kVram, kAddress, 4096, memory), 0);
  kernel_.FailMappingOn(GpuId(1), ENOMEM);
  std::uint32_t count = 0;
  EXPECT_EQ(Map(memory.handle, count), -ENOMEM);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(kernel_.Holdings().gpu_mappings, 1u);
}

TEST_F(FakeKernelTest, VramRunsOut) {
  kfd_ioctl_alloc_memory_of_gpu_args memory;
  EXPECT_EQ(Alloc(kVram, kAddress, 257 << 20, memory), -ENOMEM);
  ASSERT_EQ(Alloc(kVram, kAddress, 256 << 20, memory), 0);
  kfd_ioctl_get_available_memory_args available{.available = 1, .gpu_id = GpuId(0), .pad = 0};
  EXPECT_EQ(Call(AMDKFD_IOC_AVAILABLE_MEMORY, available), 0);
  EXPECT_EQ(available.available, 0u);
}

TEST_F(FakeKernelTest, BadMemoryIsRefused) {
  kfd_ioctl_alloc_memory_of_gpu_args memory;
  EXPECT_EQ(Alloc(KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, kAddress, 4096, memory), -EINVAL);
  EXPECT_EQ(Alloc(kVram, kAddress, 0, memory), -EINVAL);
  memory = {kAddress, 4096, 0, 4096, GpuId(0), KFD_IOC_ALLOC_MEM_FLAGS_USERPTR};  // not mapped
  EXPECT_EQ(Call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, memory), -EFAULT);
}

TEST_F(FakeKernelTest, MmapGoesByOffsetAndFile) {
  kfd_ioctl_alloc_memory_of_gpu_args memory;
  ASSERT_EQ(Alloc(kVram, kAddress, 4096, memory), 0);
  const auto offset = static_cast<off_t>(memory.mmap_offset);
  void* address = nullptr;
  const auto map = [&](int fd, std::size_t size) {
    return kernel_.Mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset, &address);
  };
  EXPECT_EQ(map(render_[1], 4096), -EINVAL);
  EXPECT_EQ(map(render_[0], 8192), -EINVAL);
  ASSERT_EQ(map(render_[0], 4096), 0);
  *static_cast<int*>(address) = 1;
  EXPECT_EQ(kernel_.Holdings().mapped_bytes, 4096u);
  EXPECT_EQ(kernel_.Munmap(address, 4096), 0);
  EXPECT_EQ(kernel_.Holdings().mapped_bytes, 0u);
  EXPECT_EQ(Free(memory.handle), 0);
  EXPECT_EQ(map(render_[0], 4096), -EINVAL);
}

TEST_F(FakeKernelTest, AddressSpaceIsBooked) {
  constexpr int kPlain = MAP_PRIVATE | MAP_ANONYMOUS;
  void* address = nullptr;
  ASSERT_EQ(kernel_.Mmap(nullptr, 3 * kFakePage, PROT_NONE, kPlain, -1, 0, &address), 0);
  EXPECT_EQ(kernel_.Munmap(static_cast<char*>(address) + kFakePage, kFakePage), 0);
  EXPECT_EQ(kernel_.Holdings().mapped_bytes, 2 * kFakePage);
  EXPECT_EQ(kernel_.Munmap(address, 3 * kFakePage), 0);
  EXPECT_EQ(kernel_.Holdings().mapped_bytes, 0u);
}

TEST_F(FakeKernelTest, FailsTheNthCall) {
  kfd_ioctl_get_version_args version;
  kernel_.FailNth(2, EINTR);
  EXPECT_EQ(Call(AMDKFD_IOC_GET_VERSION, version), 0);
  EXPECT_EQ(Call(AMDKFD_IOC_GET_VERSION, version), -EINTR);
  EXPECT_EQ(Call(AMDKFD_IOC_GET_VERSION, version), 0);
  EXPECT_EQ(kernel_.Calls(), 3u);
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_GET_VERSION), 1, EIO);
  EXPECT_EQ(kernel_.Open("/dev/nothing", 0), -ENOENT);
  EXPECT_EQ(Call(AMDKFD_IOC_GET_VERSION, version), -EIO);
  EXPECT_EQ(kernel_.LastFailed(), KfdCall(AMDKFD_IOC_GET_VERSION));
}

TEST_F(FakeKernelTest, UnknownAndNewerCallsAreNotThere) {
  EXPECT_EQ(kernel_.Ioctl(kfd_, AMDKFD_IOWR(0x80, kfd_ioctl_get_version_args), nullptr), -ENOTTY);
  FakeMachine old = MakeFakeMachine();
  old.kfd_minor = 4;
  FakeKernel kernel(old);
  const int fd = kernel.Open("/dev/kfd", 0);
  kfd_ioctl_set_xnack_mode_args mode{-1};
  EXPECT_EQ(kernel.Ioctl(fd, AMDKFD_IOC_SET_XNACK_MODE, &mode), -ENOTTY);
  EXPECT_EQ(Call(AMDKFD_IOC_SET_XNACK_MODE, mode), 0);
}

TEST_F(FakeKernelTest, QueuesFixTheXnackModeBeforeItIsLookedAt) {
  FakeMachine machine = MakeFakeMachine(1);
  machine.gpus[0].xnack = false;
  FakeKernel kernel(machine);
  const int kfd = kernel.Open("/dev/kfd", 0);
  const int render = kernel.Open("/dev/dri/renderD128", 0);
  const auto call = [&](unsigned long request, auto arguments) {
    return kernel.Ioctl(kfd, request, &arguments);
  };
  const std::uint32_t gpu = machine.gpus[0].gpu_id;
  ASSERT_EQ(call(AMDKFD_IOC_ACQUIRE_VM,
                 kfd_ioctl_acquire_vm_args{static_cast<std::uint32_t>(render), gpu}),
            0);
  EXPECT_EQ(call(AMDKFD_IOC_SET_XNACK_MODE, kfd_ioctl_set_xnack_mode_args{1}), -EPERM);
  kfdcts_create_queue_args queue{};
  queue.gpu_id = gpu;
  queue.queue_type = KFD_IOC_QUEUE_TYPE_SDMA;
  queue.ring_size = 4096;
  __u64* const addresses[] = {&queue.ring_base_address, &queue.write_pointer_address,
                              &queue.read_pointer_address};
  for (std::uint64_t piece = 0; piece < 3; ++piece) {
    kfd_ioctl_alloc_memory_of_gpu_args memory{kAddress + piece * 4096, 4096, 0, 0, gpu, kVram};
    ASSERT_EQ(kernel.Ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &memory), 0);
    ASSERT_EQ(call(AMDKFD_IOC_MAP_MEMORY_TO_GPU,
                   kfd_ioctl_map_memory_to_gpu_args{
                       memory.handle, reinterpret_cast<std::uint64_t>(&queue.gpu_id), 1, 0}),
              0);
    *addresses[piece] = memory.va_addr;
  }
  ASSERT_EQ(call(KFDCTS_IOC_CREATE_QUEUE, queue), 0);
  EXPECT_EQ(call(AMDKFD_IOC_SET_XNACK_MODE, kfd_ioctl_set_xnack_mode_args{1}), -EBUSY);
  EXPECT_EQ(call(AMDKFD_IOC_SET_XNACK_MODE, kfd_ioctl_set_xnack_mode_args{-1}), 0);
}

TEST_F(FakeKernelTest, AForkedChildIsRefused) {
  const pid_t child = fork();
  if (child == 0) {
    kfd_ioctl_get_version_args version;
    const bool refused = Call(AMDKFD_IOC_GET_VERSION, version) == -EBADF;
    kfd_ = kernel_.Open("/dev/kfd", 0);
    _exit(refused && Call(AMDKFD_IOC_GET_VERSION, version) == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(FakeKernelTest, SecondProcessHasItsOwnMemory) {
  kfd_ioctl_alloc_memory_of_gpu_args memory;
  ASSERT_EQ(Alloc(kVram, kAddress, 4096, memory), 0);
  const int second = kernel_.Open("/dev/kfd", 0);
  ASSERT_EQ(kernel_.Ioctl(second, AMDKFD_IO(0x27), nullptr), 0);
  EXPECT_EQ(kernel_.Ioctl(second, AMDKFD_IO(0x27), nullptr), -EINVAL);
  kfd_ioctl_free_memory_of_gpu_args free{memory.handle};
  EXPECT_EQ(kernel_.Ioctl(second, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &free), -EINVAL);
  EXPECT_EQ(Free(memory.handle), 0);
}

TEST_F(FakeKernelTest, DmabufsShareMemory) {
  kfd_ioctl_alloc_memory_of_gpu_args memory;
  ASSERT_EQ(Alloc(kVram, kAddress, 4096, memory), 0);
  kfd_ioctl_export_dmabuf_args exported{.handle = memory.handle, .flags = 0, .dmabuf_fd = 0};
  ASSERT_EQ(Call(AMDKFD_IOC_EXPORT_DMABUF, exported), 0);
  kfd_ioctl_get_dmabuf_info_args info{};
  info.dmabuf_fd = exported.dmabuf_fd;
  EXPECT_EQ(Call(AMDKFD_IOC_GET_DMABUF_INFO, info), 0);
  EXPECT_EQ(info.size, 4096u);
  EXPECT_EQ(info.gpu_id, GpuId(0));
  kfd_ioctl_import_dmabuf_args import{
      .va_addr = 2 * kAddress, .handle = 0, .gpu_id = GpuId(1), .dmabuf_fd = exported.dmabuf_fd};
  EXPECT_EQ(Call(AMDKFD_IOC_IMPORT_DMABUF, import), 0);
  EXPECT_EQ(Free(memory.handle), 0);
  EXPECT_EQ(kernel_.Holdings().vram_bytes, 4096u);
  EXPECT_EQ(kernel_.Close(static_cast<int>(exported.dmabuf_fd)), 0);
  EXPECT_EQ(Free(import.handle), 0);
  EXPECT_EQ(kernel_.Leftovers(true), "");
  info.dmabuf_fd = static_cast<std::uint32_t>(kfd_);
  EXPECT_EQ(Call(AMDKFD_IOC_GET_DMABUF_INFO, info), -EINVAL);
}

TEST(FakeTopology, NodesAreListed) {
  FakeKernel kernel(MakeFakeMachine(3));
  std::vector<std::string> names;
  ASSERT_EQ(kernel.ListFolder("/sys/devices/virtual/kfd/kfd/topology/nodes", names), 0);
  EXPECT_EQ(names.size(), 4u);
  std::string id;
  EXPECT_EQ(kernel.ReadFile("/sys/devices/virtual/kfd/kfd/topology/nodes/3/gpu_id", id), 0);
  EXPECT_EQ(id, std::to_string(kernel.machine().gpus[2].gpu_id) + "\n");
}

}  // namespace
}  // namespace kfdcts::thunk
