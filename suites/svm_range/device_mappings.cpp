// Mappings of devices are no memory for SVM.
#include <amdgpu_drm.h>

#include <cerrno>

#include "harness/gpu/gem.h"
#include "harness/gpu/gpu.h"
#include "harness/gpu/svm.h"
#include "suites/support/svm_test.h"
#include "suites/svm_range/with_kernel.h"

namespace kfdcts::suites {
namespace {

/// System memory of the graphics driver, mapped by the CPU: a mapping of page frames.
class DeviceMapping {
 public:
  DeviceMapping(const harness::GpuNode& gpu, std::size_t bytes)
      : render_(gpu::OpenRenderNode(gpu.facts)),
        object_(render_.get(), bytes, AMDGPU_GEM_DOMAIN_GTT, 0),
        mapping_(render_.get(), object_.MmapOffset(), bytes) {}

  std::span<std::byte> pages() const { return mapping_.span(); }

 private:
  gpu::UniqueFd render_;
  gpu::GemObject object_;
  gpu::FileMapping mapping_;
};

}  // namespace

KFD_TEST_F(SVMRange, DeviceMappingHasNoAttributes, SvmTest,
           .property =
               "a device's mapping can be neither set nor asked about, nor can memory "
               "beside it in the same call, of which nothing changes",
           .rules = "SVM-3", .guards = "BUG-26",
           .needs = {Capability::kSvm, Capability::kRenderNode}) {
  const DeviceMapping device(gpu(), 4 * PageSize());
  EXPECT_EQ(Set(device.pages(), {Granularity(5)}), HSAKMT_STATUS_ERROR);
  std::vector<HSA_SVM_ATTRIBUTE> asked{Granularity(33)};
  EXPECT_EQ(Get(device.pages(), asked), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(asked[0].value, 33U);
  // Memory of the process in place of the mapping's second half.
  const auto half = device.pages().subspan(2 * PageSize());
  MapAnew(half);
  EXPECT_EQ(Set(device.pages(), {Granularity(5)}), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(StateOf(half), Defaults());
  EXPECT_EQ(Set(half, {Granularity(5)}), HSAKMT_STATUS_SUCCESS);
}

KFD_TEST_F(SVMRange, KernelRefusesDeviceMapping, SvmTest,
           .property = "the kernel's answer about a device's mapping is EFAULT, set and asked",
           .rules = "SVM-3", .guards = "BUG-26",
           .needs = {Capability::kSvm, Capability::kRenderNode}) {
  WithKernel([this](gpu::Session& session) {
    const DeviceMapping device(gpu(), 2 * PageSize());
    std::vector<gpu::SvmAttribute> attributes{{KFD_IOCTL_SVM_ATTR_GRANULARITY, 5}};
    EXPECT_EQ(gpu::SvmSet(session.kfd(), device.pages(), attributes), EFAULT);
    EXPECT_EQ(gpu::SvmGet(session.kfd(), device.pages(), attributes), EFAULT);
    EXPECT_EQ(attributes[0].value, 5U);
  });
}

KFD_TEST_F(SVMRange, DeviceMappingIsNotRegistered, SvmTest,
           .property =
               "registering a device's mapping as host memory fails, leaves nothing "
               "behind, and the call can be repeated",
           .rules = "SVM-3", .guards = "BUG-26",
           .needs = {Capability::kSvm, Capability::kRenderNode}, .process = Process::kFresh) {
  const DeviceMapping device(gpu(), 4 * PageSize());
  for (int round = 0; round < 3; ++round) {
    EXPECT_NE(thunk().hsaKmtRegisterMemory(device.pages().data(), device.pages().size()),
              HSAKMT_STATUS_SUCCESS);
    EXPECT_TRUE(Query(device.pages().data()).Unknown());
  }
  const SvmMemory memory(1);
  Registration(thunk(), memory.Word(0), PageSize());
}

KFD_TEST_F(SVMRange, BufferObjectHasNoAttributes, SvmTest,
           .property =
               "memory of the thunk's that a GPU has mapped can be neither set nor asked "
               "about",
           .rules = "SVM-3", .needs = {Capability::kSvm}) {
  for (const MemoryKind kind : {MemoryKind::kSystem, MemoryKind::kGtt}) {
    const Allocation memory = Allocate(kind, 2);
    MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
    const std::span<std::byte> pages(static_cast<std::byte*>(memory.address()), memory.size());
    EXPECT_EQ(Set(pages, {Granularity(5)}), HSAKMT_STATUS_ERROR);
    std::vector<HSA_SVM_ATTRIBUTE> asked{Granularity(33)};
    EXPECT_EQ(Get(pages, asked), HSAKMT_STATUS_ERROR);
    EXPECT_EQ(asked[0].value, 33U);
  }
}

}  // namespace kfdcts::suites
