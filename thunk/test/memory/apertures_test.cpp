// Address spaces that no machine at hand has, and the one that all have (PTR-12).
#include <sys/mman.h>

#include "thunk/src/memory/address_space.h"
#include "thunk/test/memory/memory_fixture.h"

namespace kfdcts::thunk {
namespace {

FakeMachine MachineWith(std::uint64_t base, std::uint64_t limit, bool apu = false) {
  FakeMachine machine = MakeFakeMachine(1);
  machine.gpus[0].gpuvm_base = base;
  machine.gpus[0].gpuvm_limit = limit;
  machine.merged_apu = apu;
  return machine;
}

std::uint64_t Number(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

/// A GPU that reaches 40 bits: one reserved region, a quarter of it for coherent memory.
class SmallGpuvm : public MemoryTest {
 protected:
  SmallGpuvm() : MemoryTest(MachineWith(0x200000, (1ULL << 40) - 1)) {}
};

TEST_F(SmallGpuvm, AllMemoryIsWithinReach) {
  const Aperture svm = memory().SvmAperture();
  EXPECT_LT(svm.limit, 1ULL << 40);
  for (const HsaMemFlags flags : {PrivateVram(), VisibleVram(), Gtt(), Paged()}) {
    void* const start = Allocate(flags.ui32.CoarseGrain ? 1 : 0, 4 * kPage, flags);
    EXPECT_TRUE(svm.Contains(Number(start)));
    EXPECT_TRUE(svm.Contains(Number(start) + 4 * kPage - 1));
    EXPECT_EQ(Query(start).Type, HSA_POINTER_ALLOCATED);
    EXPECT_EQ(MapTo(start, 4 * kPage, {1}), HSAKMT_STATUS_SUCCESS);
  }
}

TEST_F(SmallGpuvm, CoherentMemoryLiesBelow) {
  void* const coherent = Allocate(0, kPage, Gtt());
  void* const coarse = Allocate(1, kPage, PrivateVram());
  EXPECT_LT(Number(coherent), Number(coarse));
}

TEST_F(SmallGpuvm, AddressesAreUsedAgain) {
  void* const first = Allocate(1, kPage, VisibleVram());
  *static_cast<int*>(first) = 1;
  EXPECT_EQ(memory().Free(first, kPage), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(Known(first));
  EXPECT_EQ(Allocate(1, kPage, VisibleVram()), first);
}

TEST_F(SmallGpuvm, UserPointersAreFoundOutsideTheRegion) {
  alignas(kPage) static std::byte page[kPage];
  ASSERT_EQ(memory().Register(page + 5, 100, std::nullopt, {}), HSAKMT_STATUS_SUCCESS);
  const HsaPointerInfo info = Query(page + 50);
  EXPECT_EQ(info.Type, HSA_POINTER_REGISTERED_USER);
  EXPECT_TRUE(memory().SvmAperture().Contains(HSAuint64{info.GPUAddress}));
  EXPECT_TRUE(Known(reinterpret_cast<void*>(HSAuint64{info.GPUAddress})));
  EXPECT_EQ(memory().Deregister(page + 5), HSAKMT_STATUS_SUCCESS);
}

TEST_F(SmallGpuvm, FixedAddress) {
  void* const taken = Allocate(1, 2 * kPage, PrivateVram());
  HsaMemFlags flags = PrivateVram();
  flags.ui32.FixedAddress = 1;
  void* address = static_cast<std::byte*>(taken) + kPage;
  EXPECT_EQ(memory().Allocate(1, kPage, 0, flags, &address), HSAKMT_STATUS_NO_MEMORY);
  address = static_cast<std::byte*>(taken) + (1 << 20);
  EXPECT_EQ(memory().Allocate(1, kPage, 0, flags, &address), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(address, static_cast<std::byte*>(taken) + (1 << 20));
}

/// An old APU's GPU, whose addresses are none of the CPU's and count from a base.
constexpr std::uint64_t kOwnBase = 0x1'0000'0000'0000;
class OwnAperture : public MemoryTest {
 protected:
  OwnAperture() : MemoryTest(MachineWith(kOwnBase, kOwnBase + (1ULL << 40) - 1, true)) {}
};

TEST_F(OwnAperture, DeviceMemory) {
  void* const start = Allocate(0, 2 * kPage, PrivateVram());
  EXPECT_GT(Number(start), kOwnBase);
  HSAuint64 gpu_address = 0;
  ASSERT_EQ(memory().Map(start, 2 * kPage, std::nullopt, &gpu_address), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(gpu_address, Number(start) - kOwnBase);
  const HsaPointerInfo info = Query(static_cast<std::byte*>(start) + 2 * kPage - 1);
  EXPECT_EQ(info.Type, HSA_POINTER_ALLOCATED);
  EXPECT_EQ(HSAuint64{info.GPUAddress}, Number(start));
  EXPECT_EQ(kernel_.Holdings().mapped_bytes, 0U);
  EXPECT_EQ(memory().Unmap(start), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Free(start, 2 * kPage), HSAKMT_STATUS_SUCCESS);
}

TEST_F(OwnAperture, SystemMemoryIsPlain) {
  const auto calls = kernel_.Holdings().buffers;
  auto* const start = static_cast<int*>(Allocate(0, 2 * kPage, Paged()));
  *start = 1;
  const HsaPointerInfo info = Query(start + 1);
  EXPECT_EQ(info.Type, HSA_POINTER_ALLOCATED);
  EXPECT_EQ(static_cast<void*>(info.CPUAddress), start);
  HSAuint64 gpu_address = 0;
  EXPECT_EQ(memory().Map(start, 2 * kPage, std::nullopt, &gpu_address), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Unmap(start), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().SetUserData(start, this), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(static_cast<void*>(Query(start).UserData), this);
  EXPECT_EQ(kernel_.Holdings().buffers, calls);
  EXPECT_EQ(memory().Free(start, 2 * kPage), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(Known(start));
}

TEST_F(OwnAperture, RegistrationDoesNothing) {
  int host = 0;
  HSAuint64 gpu_address = 0;
  EXPECT_EQ(memory().Register(&host, sizeof(host), std::nullopt, {}), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(Known(&host));
  EXPECT_EQ(memory().Map(&host, sizeof(host), std::nullopt, &gpu_address), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Unmap(&host), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Deregister(&host), HSAKMT_STATUS_SUCCESS);
}

/// An APU of the old form whose GPU reaches what the process can map.
class CanonicalApu : public MemoryTest {
 protected:
  CanonicalApu() : MemoryTest(MachineWith(0x4000, (1ULL << 47) - 1, true)) {}
};

TEST_F(CanonicalApu, PlainAndDeviceMemorySideBySide) {
  void* const plain = Allocate(0, kPage, Paged());
  void* const device = Allocate(0, kPage, VisibleVram());
  EXPECT_EQ(static_cast<void*>(Query(plain).CPUAddress), plain);
  EXPECT_EQ(static_cast<void*>(Query(device).CPUAddress), device);
  EXPECT_EQ(memory().ObjectCount(), 2U);
  EXPECT_EQ(memory().Free(plain, kPage), HSAKMT_STATUS_SUCCESS);
  EXPECT_TRUE(Known(device));
}

/// One GPU with addresses of its own beside one that shares the process's.
class MixedApertures : public MemoryTest {
 protected:
  static FakeMachine Mixed() {
    FakeMachine machine = MakeFakeMachine(2);
    machine.gpus[0].gpuvm_base = kOwnBase;
    machine.gpus[0].gpuvm_limit = kOwnBase + (1ULL << 40) - 1;
    return machine;
  }
  MixedApertures() : MemoryTest(Mixed()) {}
};

TEST_F(MixedApertures, EachLookUpHasItsAperture) {
  alignas(kPage) static std::byte host[kPage];
  void* const own = Allocate(1, kPage, PrivateVram());
  void* const shared = Allocate(2, kPage, PrivateVram());
  void* const paged = Allocate(0, kPage, Paged());
  ASSERT_EQ(memory().Register(host + 3, 100, std::nullopt, {}), HSAKMT_STATUS_SUCCESS);
  EXPECT_GT(Number(own), kOwnBase);
  EXPECT_EQ(HSAuint32{Query(own).Node}, 1U);
  EXPECT_EQ(HSAuint32{Query(shared).Node}, 2U);
  EXPECT_EQ(Query(paged).Type, HSA_POINTER_ALLOCATED);
  const HsaPointerInfo info = Query(host + 50);
  EXPECT_EQ(info.Type, HSA_POINTER_REGISTERED_USER);
  EXPECT_TRUE(memory().SvmAperture().Contains(HSAuint64{info.GPUAddress}));
  EXPECT_TRUE(Known(reinterpret_cast<void*>(HSAuint64{info.GPUAddress})));
  EXPECT_EQ(MapTo(own, kPage, {2}), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(MapTo(own, kPage, {1}), HSAKMT_STATUS_SUCCESS);
}

class NoGpu : public MemoryTest {
 protected:
  NoGpu() : MemoryTest(MakeFakeMachine(0)) {}
};

TEST_F(NoGpu, SystemMemoryIsPlain) {
  void* const start = Allocate(0, kPage, Paged());
  EXPECT_EQ(Query(start).Type, HSA_POINTER_ALLOCATED);
  EXPECT_EQ(memory().Free(start, kPage), HSAKMT_STATUS_SUCCESS);
  int host = 0;
  EXPECT_EQ(memory().Register(&host, sizeof(host), std::nullopt, {}), HSAKMT_STATUS_SUCCESS);
}

TEST(AddressSpaceTest, MmapLeavesNoSlack) {
  FakeKernel kernel;
  {
    Gpu gpu;
    gpu.gpuvm = {0x4000, (1ULL << 47) - 1};
    AddressSpace space(kernel, {&gpu, 1}, {});
    ASSERT_EQ(space.Open(), 0);
    EXPECT_EQ(space.main().base, 0x200000U);
    EXPECT_EQ(space.main().limit, (1ULL << 47) - 1);
    std::uint64_t address = 0;
    ASSERT_EQ(space.Reserve({Place::kSvm, nullptr, 3 * kPage, 1 << 16, 0}, address), 0);
    EXPECT_EQ(address % (1 << 16), 0U);
    EXPECT_EQ(kernel.Holdings().mapped_bytes, 3 * kPage);
    space.Release(Place::kSvm, address, 3 * kPage);
  }
  EXPECT_EQ(kernel.Leftovers(), "");
}

TEST(AddressSpaceTest, WhatMunmapRefusesIsTriedAgain) {
  FakeKernel kernel;
  {
    Gpu gpu;
    gpu.gpuvm = {0x4000, (1ULL << 47) - 1};
    AddressSpace space(kernel, {&gpu, 1}, {});
    ASSERT_EQ(space.Open(), 0);
    std::uint64_t address = 0;
    ASSERT_EQ(space.Reserve({Place::kSvm, nullptr, kPage, 0, 0}, address), 0);
    kernel.FailNthOf(CallKind::kMunmap, 1, ENOMEM);
    space.Release(Place::kSvm, address, kPage);
    EXPECT_EQ(kernel.Holdings().mapped_bytes, kPage);
    std::uint64_t next = 0;
    ASSERT_EQ(space.Reserve({Place::kSvm, nullptr, kPage, 0, 0}, next), 0);
    space.Release(Place::kSvm, next, kPage);
    EXPECT_EQ(kernel.Holdings().mapped_bytes, 0U);
    kernel.FailNthOf(CallKind::kMunmap, 3, ENOMEM);  // after two for the slack
    ASSERT_EQ(space.Reserve({Place::kSvm, nullptr, kPage, 0, 0}, next), 0);
    space.Release(Place::kSvm, next, kPage);
  }
  EXPECT_EQ(kernel.Leftovers(), "");
}

TEST(AddressSpaceTest, HandlesLieBesideTheApertures) {
  FakeKernel kernel;
  Gpu gpu;
  gpu.gpuvm = {0x4000, (1ULL << 47) - 1};
  gpu.lds = {1ULL << 56, (1ULL << 56) + 0xffffffff};
  AddressSpace space(kernel, {&gpu, 1}, {});
  ASSERT_EQ(space.Open(), 0);
  std::uint64_t handle = 0;
  ASSERT_EQ(space.Reserve({Place::kHandle, nullptr, kPage, 0, 0}, handle), 0);
  EXPECT_EQ(handle, 2ULL << 56);
  EXPECT_EQ(space.KernelAddress(Place::kHandle, handle), 0U);
  EXPECT_TRUE(space.SearchFor(handle).objects);
  EXPECT_FALSE(space.SearchFor(handle).user_pointers);
}

TEST(RegionAllocatorTest, KeepsGuardsAndFindsHoles) {
  RegionAllocator region({0x10000, 0x1ffff}, kPage);
  const auto first = region.Allocate(kPage, kPage);
  const auto second = region.Allocate(2 * kPage, kPage);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, 0x10000U);
  EXPECT_EQ(*second, 0x12000U);
  EXPECT_FALSE(region.AllocateAt(0x11000, kPage));  // the guard
  EXPECT_FALSE(region.Allocate(0x10000, kPage));
  EXPECT_TRUE(region.AllocateAt(0x1f000, kPage));  // no guard is needed behind the last
  EXPECT_FALSE(region.AllocateAt(0x1f000, 2 * kPage));
  region.Free(*first);
  const auto aligned = region.Allocate(0x4000, 0x4000);
  ASSERT_TRUE(aligned);
  EXPECT_EQ(*aligned, 0x18000U);
  EXPECT_EQ(region.Allocate(kPage, kPage), std::uint64_t{0x1d000});
  EXPECT_EQ(region.Allocate(kPage, kPage), std::uint64_t{0x10000});
}

}  // namespace
}  // namespace kfdcts::thunk
