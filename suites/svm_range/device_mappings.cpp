// Mappings of devices are no memory for SVM.
#include <amdgpu_drm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "harness/gpu/gpu.h"
#include "harness/gpu/session.h"
#include "harness/gpu/svm.h"
#include "harness/gpu/unique_fd.h"
#include "harness/test_support/child.h"
#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

/// System memory of the graphics driver, mapped by the CPU: a mapping of page frames.
class DeviceMapping {
 public:
  DeviceMapping(const harness::GpuNode& gpu, std::size_t bytes)
      : render_(gpu::OpenRenderNode(gpu.facts)), bytes_(bytes) {
    drm_amdgpu_gem_create create{};
    create.in.bo_size = bytes;
    create.in.alignment = PageSize();
    create.in.domains = AMDGPU_GEM_DOMAIN_GTT;
    Do(DRM_IOCTL_AMDGPU_GEM_CREATE, &create);
    drm_amdgpu_gem_mmap offset{};
    offset.in.handle = create.out.handle;
    Do(DRM_IOCTL_AMDGPU_GEM_MMAP, &offset);
    void* const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, render_.get(),
                             static_cast<off_t>(offset.out.addr_ptr));
    if (start == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    start_ = static_cast<std::byte*>(start);
  }
  ~DeviceMapping() { munmap(start_, bytes_); }
  DeviceMapping(const DeviceMapping&) = delete;
  DeviceMapping& operator=(const DeviceMapping&) = delete;

  std::span<std::byte> pages() const { return {start_, bytes_}; }

 private:
  void Do(unsigned long request, void* argument) const {
    if (ioctl(render_.get(), request, argument) != 0) {
      throw std::system_error(errno, std::generic_category(), "ioctl of the render node");
    }
  }

  gpu::UniqueFd render_;
  std::size_t bytes_;
  std::byte* start_ = nullptr;
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
  const auto result = harness::RunInChild([this] {
    gpu::Session session;
    const DeviceMapping device(gpu(), 2 * PageSize());
    std::vector<gpu::SvmAttribute> attributes{{KFD_IOCTL_SVM_ATTR_GRANULARITY, 5}};
    EXPECT_EQ(gpu::SvmSet(session.kfd(), device.pages(), attributes), EFAULT);
    EXPECT_EQ(gpu::SvmGet(session.kfd(), device.pages(), attributes), EFAULT);
    EXPECT_EQ(attributes[0].value, 5U);
  });
  EXPECT_TRUE(result.Passed()) << result.Describe();
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
