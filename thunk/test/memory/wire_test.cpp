// What the kernel is told: flag words, addresses, sizes and policies.
#include "thunk/test/memory/memory_fixture.h"

namespace kfdcts::thunk {
namespace {

/// Keeps what ALLOC_MEMORY_OF_GPU, SET_MEMORY_POLICY and SET_SCRATCH_BACKING_VA were given last.
class ListeningKernel : public FakeKernel {
 public:
  using FakeKernel::FakeKernel;
  int Ioctl(int fd, unsigned long request, void* argument) override {
    if (request == AMDKFD_IOC_ALLOC_MEMORY_OF_GPU) {
      memory = *static_cast<kfd_ioctl_alloc_memory_of_gpu_args*>(argument);
    } else if (request == AMDKFD_IOC_SET_MEMORY_POLICY) {
      policy = *static_cast<kfd_ioctl_set_memory_policy_args*>(argument);
    } else if (request == AMDKFD_IOC_SET_SCRATCH_BACKING_VA) {
      scratch = *static_cast<kfd_ioctl_set_scratch_backing_va_args*>(argument);
    }
    return FakeKernel::Ioctl(fd, request, argument);
  }

  kfd_ioctl_alloc_memory_of_gpu_args memory{};
  kfd_ioctl_set_memory_policy_args policy{};
  kfd_ioctl_set_scratch_backing_va_args scratch{};
};

std::uint64_t Number(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

class WireTest : public testing::Test {
 protected:
  Memory& memory() { return connection_.memory(); }
  void* Allocate(HSAuint32 node, std::size_t size, HsaMemFlags flags) {
    void* address = nullptr;
    EXPECT_EQ(memory().Allocate(node, size, 0, flags, &address), HSAKMT_STATUS_SUCCESS);
    return address;
  }

  ListeningKernel kernel_;
  Connection connection_{kernel_};
};

struct FlagsCase {
  const char* name;
  HSAuint32 node;
  HsaMemFlags (*flags)();
  std::uint32_t words;
};

HsaMemFlags AqlQueue() {
  HsaMemFlags flags = Gtt();
  flags.ui32.AQLQueueMemory = flags.ui32.ExecuteAccess = 1;
  return flags;
}
HsaMemFlags ReadOnlyGtt() {
  HsaMemFlags flags = Gtt();
  flags.ui32.ReadOnly = 1;
  return flags;
}
HsaMemFlags UncachedGtt() {
  HsaMemFlags flags = Gtt();
  flags.ui32.Uncached = 1;
  return flags;
}
HsaMemFlags ExtendedVram() {
  HsaMemFlags flags = VisibleVram();
  flags.ui32.CoarseGrain = 0;
  flags.ui32.ExtendedCoherent = 1;
  return flags;
}
HsaMemFlags ContiguousVram() {
  HsaMemFlags flags = PrivateVram();
  flags.ui32.Contiguous = 1;
  return flags;
}

const FlagsCase kFlags[] = {
    {"private_vram", 1, PrivateVram, 0x90000001},
    {"visible_vram", 1, VisibleVram, 0xb0000001},
    {"extended_vram", 1, ExtendedVram, 0xb5000001},
    {"contiguous_vram", 1, ContiguousVram, 0x90800001},
    {"gtt", 0, Gtt, 0x94000002},
    {"read_only_gtt", 0, ReadOnlyGtt, 0x14000002},
    {"uncached_gtt", 0, UncachedGtt, 0x96000002},
    {"aql_queue", 0, AqlQueue, 0xde000002},
    {"paged", 0, Paged, 0x94000004},
};

class WireFlags : public WireTest, public testing::WithParamInterface<FlagsCase> {};

TEST_P(WireFlags, AreTheKernels) {
  void* const start = Allocate(GetParam().node, 2 * kPage, GetParam().flags());
  EXPECT_EQ(kernel_.memory.flags, GetParam().words) << std::hex << kernel_.memory.flags;
  EXPECT_EQ(kernel_.memory.va_addr, Number(start));
}

INSTANTIATE_TEST_SUITE_P(Kinds, WireFlags, testing::ValuesIn(kFlags),
                         [](const auto& one) { return one.param.name; });

TEST_F(WireTest, UserPointers) {
  alignas(kPage) static std::byte host[4 * kPage];
  HsaMemFlags coarse{};
  coarse.ui32.CoarseGrain = 1;
  ASSERT_EQ(memory().Register(host + kPage - 1, 2, std::nullopt, coarse), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.memory.flags, 0xd0000004);
  EXPECT_EQ(kernel_.memory.size, 2 * kPage);
  ASSERT_EQ(memory().Register(host + 9, 100, std::nullopt, {}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.memory.flags, 0xd4000004);
  EXPECT_EQ(kernel_.memory.size, kPage);
}

TEST_F(WireTest, AqlQueueMemoryIsDoubled) {
  Allocate(0, kPage, AqlQueue());
  EXPECT_EQ(kernel_.memory.size, 2 * kPage);
}

TEST_F(WireTest, InternalMemory) {
  using Kind = Memory::InternalKind;
  const std::pair<Kind, std::uint32_t> flags_of[] = {
      {Kind::kUncachedSystem, 0xd6000002}, {Kind::kSystem, 0xd4000002}, {Kind::kVram, 0xd0000001}};
  for (const auto& [kind, flags] : flags_of) {
    Memory::Internal internal;
    ASSERT_EQ(memory().AllocateInternal(2, 100, kind, internal), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(kernel_.memory.flags, flags);
    EXPECT_EQ(kernel_.memory.gpu_id, connection_.gpu(1).gpu_id);
    EXPECT_EQ(kernel_.memory.size, kPage);
    memory().FreeInternal(internal);
  }
}

TEST_F(WireTest, Doorbells) {
  Memory::Internal internal;
  const FakeGpu& gpu = kernel_.machine().gpus[1];
  ASSERT_EQ(memory().AllocateInternal(2, DoorbellSlice(gpu), Memory::InternalKind::kDoorbells,
                                      internal, DoorbellOffset(gpu)),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.memory.flags, 0x94000008U);
  memory().FreeInternal(internal);
}

TEST_F(WireTest, MemoryWithoutAnAddress) {
  HsaMemFlags flags = PrivateVram();
  flags.ui32.NoAddress = 1;
  Allocate(1, kPage, flags);
  EXPECT_EQ(kernel_.memory.va_addr, 0U);
}

TEST_F(WireTest, Scratch) {
  HsaMemFlags flags{};
  flags.ui32.Scratch = 1;
  void* const start = Allocate(2, kPage, flags);
  EXPECT_EQ(kernel_.scratch.va_addr, Number(start) >> 16);
  EXPECT_EQ(kernel_.scratch.gpu_id, connection_.gpu(1).gpu_id);
  HSAuint64 gpu_address = 0;
  ASSERT_EQ(memory().Map(start, kPage, std::nullopt, &gpu_address), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.memory.flags, 0x90000001);
  EXPECT_EQ(kernel_.memory.va_addr, Number(start));
  // Unmapping takes the device's memory from the CPU's addresses, which stay reserved.
  const std::uint64_t mappings = kernel_.Calls(CallKind::kMmap);
  const std::uint64_t reserved = kernel_.Holdings().mapped_bytes;
  ASSERT_EQ(memory().Unmap(start), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.Calls(CallKind::kMmap), mappings + 1);
  EXPECT_EQ(kernel_.Holdings().mapped_bytes, reserved);
}

TEST_F(WireTest, PolicyOfTheWholeSvmAperture) {
  EXPECT_EQ(kernel_.policy.default_policy, KFD_IOC_CACHE_POLICY_NONCOHERENT);
  EXPECT_EQ(kernel_.policy.alternate_policy, KFD_IOC_CACHE_POLICY_COHERENT);
  EXPECT_EQ(kernel_.policy.alternate_aperture_base, 0x200000U);
  EXPECT_EQ(kernel_.policy.alternate_aperture_size, 0x7fffffe00000U);
}

TEST_F(WireTest, PolicyIsKaverisAlone) {
  const auto set = [&](HSAuint32 policy, std::uintptr_t base, HSAuint64 size) {
    return memory().SetPolicy(1, policy, HSA_CACHING_NONCACHED, reinterpret_cast<void*>(base),
                              size);
  };
  EXPECT_EQ(set(HSA_CACHING_CACHED, kPage, kPage), HSAKMT_STATUS_NOT_IMPLEMENTED);
  connection_.gpu(0).gfx_version = 70000;
  EXPECT_EQ(set(HSA_CACHING_CACHED, kPage, kPage), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.policy.default_policy, KFD_IOC_CACHE_POLICY_COHERENT);
  EXPECT_EQ(kernel_.policy.alternate_aperture_base, kPage);
  EXPECT_EQ(set(HSA_CACHING_WRITECOMBINED, kPage, kPage), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(set(HSA_CACHING_CACHED, 1, kPage), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(set(HSA_CACHING_CACHED, kPage, 1), HSAKMT_STATUS_INVALID_PARAMETER);
}

TEST(WireOwnAperture, AddressesCountFromTheBase) {
  FakeMachine machine = MakeFakeMachine(1);
  machine.gpus[0].gpuvm_base = 0x1'0000'0000'0000;
  machine.gpus[0].gpuvm_limit = 0x1'00ff'ffff'ffff;
  machine.merged_apu = true;
  ListeningKernel kernel(machine);
  Connection connection(kernel);
  void* address = nullptr;
  ASSERT_EQ(connection.memory().Allocate(0, kPage, 0, PrivateVram(), &address),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel.memory.va_addr, Number(address) - 0x1'0000'0000'0000);
  EXPECT_NE(kernel.memory.va_addr, 0U);
}

}  // namespace
}  // namespace kfdcts::thunk
