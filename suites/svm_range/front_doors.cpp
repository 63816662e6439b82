// The two ways into the kernel's SVM, AMDKFD_IOC_SVM and DRM_AMDGPU_GEM_SVM, by the same calls of
// the thunk. The bundled thunk takes the one that HSAKMT_SVM_BACKEND names.
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <array>

#include "harness/gpu/gpu.h"
#include "harness/uapi/amdgpu_svm.h"
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::string_view kByKfd = "HSAKMT_SVM_BACKEND=kfd";
constexpr std::string_view kByDrm = "HSAKMT_SVM_BACKEND=drm";

class FrontDoorTest : public SharingTest {
 protected:
  /// Skips where the GPU's render node has no such ioctl.
  void RequireDrm() const {
    const gpu::UniqueFd render = gpu::OpenRenderNode(gpu().facts);
    const SvmMemory memory(2);
    std::array<uapi::DrmSvmAttribute, 1> asked{
        {{static_cast<__u32>(uapi::SvmAttribute::kGranularity), 0}}};
    uapi::DrmGemSvm arguments{};
    arguments.start_addr =
        uapi::ProbePage(reinterpret_cast<std::uintptr_t>(memory.Word(0)), PageSize());
    arguments.size = PageSize();
    arguments.operation = static_cast<__u32>(uapi::SvmOperation::kGetAttributes);
    arguments.nattr = asked.size();
    arguments.attrs_ptr = reinterpret_cast<std::uintptr_t>(asked.data());
    for (const unsigned number : uapi::kGemSvmNumbers) {
      if (ioctl(render.get(), uapi::GemSvmRequest(number), &arguments) == 0) return;
    }
    throw harness::CapabilityMissing("drm-svm", "the render node has no ioctl for SVM");
  }

  /// Of the test's first GPU alone: the DRM ioctl takes one GPU a call.
  SvmState StateHere(std::span<std::byte> pages) const { return StateOf(pages, gpu().node_id); }

  SvmState DefaultsHere() const {
    SvmState state = Defaults();
    std::erase_if(state.access, [this](const auto& of) { return of.first != gpu().node_id; });
    return state;
  }

  /// What both doors answer alike.
  void CheckAnswers() {
    const SvmMemory memory(8);
    const HSAuint32 node = gpu().node_id;
    EXPECT_EQ(StateHere(memory.All()), DefaultsHere());
    ASSERT_EQ(Set(memory.All(), {Access(node), Granularity(5), Preferred(cpu_node()),
                                 SetFlags(HSA_SVM_FLAG_GPU_READ_MOSTLY)}),
              HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(Set(memory.Pages(2, 3), {Granularity(7), Preferred(node), NoAccess(node)}),
              HSAKMT_STATUS_SUCCESS);
    const SvmState own = DefaultsHere()
                             .WithGranularity(5)
                             .WithAccess(node, HSA_SVM_ATTR_ACCESS)
                             .WithPreferred(cpu_node())
                             .WithFlags(0x3 | HSA_SVM_FLAG_GPU_READ_MOSTLY);
    const SvmState part =
        own.WithGranularity(7).WithPreferred(node).WithAccess(node, HSA_SVM_ATTR_NO_ACCESS);
    EXPECT_EQ(StateHere(memory.Pages(0, 2)), own);
    EXPECT_EQ(StateHere(memory.Pages(2, 3)), part);
    EXPECT_EQ(StateHere(memory.Pages(5, 3)), own);
    EXPECT_EQ(StateHere(memory.All()),
              own.WithPreferred(INVALID_NODEID).WithAccess(node, HSA_SVM_ATTR_NO_ACCESS));
  }

  void CheckData() {
    const SvmMemory memory(8);
    Share(memory, Placement::kVram, 1);
    ExpectGpuSees(memory, 1);
    memory.ExpectPattern(1);
    ExpectOneMemory(memory, 1, 2);
  }
};

}  // namespace

KFD_TEST_F(SVMRange, AnswersByKfd, FrontDoorTest,
           .property = "by the KFD ioctl, attributes set on a range and a part of it read back",
           .rules = "SVM-20", .needs = {Capability::kSvm}, .environment = {kByKfd}) {
  CheckAnswers();
}

KFD_TEST_F(SVMRange, AnswersByDrm, FrontDoorTest,
           .property =
               "by the DRM ioctl, attributes set on a range and a part of it read back as "
               "by the KFD one",
           .rules = "SVM-20", .needs = {Capability::kSvm, Capability::kRenderNode},
           .environment = {kByDrm}) {
  RequireDrm();
  CheckAnswers();
}

KFD_TEST_F(SVMRange, DataByKfd, FrontDoorTest,
           .property = "a range set by the KFD ioctl is one memory for CPU and GPU",
           .rules = "SVM-20", .needs = {Capability::kSvm}, .environment = {kByKfd}) {
  CheckData();
}

KFD_TEST_F(SVMRange, DataByDrm, FrontDoorTest,
           .property = "a range set by the DRM ioctl is one memory for CPU and GPU",
           .rules = "SVM-20", .needs = {Capability::kSvm, Capability::kRenderNode},
           .environment = {kByDrm}) {
  RequireDrm();
  CheckData();
}

KFD_TEST_F(SVMRange, DrmCountsHoles, FrontDoorTest,
           .property =
               "by the DRM ioctl, pages without a range take part in answers with the "
               "defaults, and attributes outlive munmap",
           .rules = "SVM-20 SVM-7 SVM-14", .needs = {Capability::kSvm, Capability::kRenderNode},
           .environment = {kByDrm}) {
  RequireDrm();
  const SvmMemory memory(4);
  ASSERT_EQ(Set(memory.Pages(0, 2), {Granularity(12), Preferred(cpu_node())}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateHere(memory.All()), DefaultsHere());
  MapAnew(memory.Pages(0, 2));
  EXPECT_EQ(StateHere(memory.Pages(0, 2)).granularity, 12U);
}

KFD_TEST_F(SVMRange, DrmTakesOneGpu, FrontDoorTest,
           .property =
               "by the DRM ioctl, a call that names two GPUs is INVALID_PARAMETER and "
               "changes nothing",
           .rules = "SVM-20", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kRenderNode}, .environment = {kByDrm}) {
  RequireDrm();
  const SvmMemory memory(2);
  EXPECT_EQ(Set(memory.All(), {Access(gpu(0).node_id), NoAccess(gpu(1).node_id)}),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(StateHere(memory.All()), DefaultsHere());
}

KFD_TEST_F(SVMRange, KfdTakesTwoGpus, FrontDoorTest,
           .property = "by the KFD ioctl, one call names several GPUs", .rules = "SVM-20",
           .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm}, .environment = {kByKfd}) {
  const SvmMemory memory(2);
  ASSERT_EQ(Set(memory.All(), {Access(gpu(0).node_id), NoAccess(gpu(1).node_id)}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults()
                                       .WithAccess(gpu(0).node_id, HSA_SVM_ATTR_ACCESS)
                                       .WithAccess(gpu(1).node_id, HSA_SVM_ATTR_NO_ACCESS));
}

KFD_TEST_F(SVMRange, DrmTakesSixtyFour, FrontDoorTest,
           .property = "by the DRM ioctl, 64 attributes go in one call and more do not",
           .rules = "SVM-20", .needs = {Capability::kSvm, Capability::kRenderNode},
           .environment = {kByDrm}) {
  RequireDrm();
  const SvmMemory memory(2);
  EXPECT_EQ(Set(memory.All(), std::vector<HSA_SVM_ATTRIBUTE>(64, Granularity(5))),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_NE(Set(memory.All(), std::vector<HSA_SVM_ATTRIBUTE>(65, Granularity(6))),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateHere(memory.All()).granularity, 5U);
}

}  // namespace kfdcts::suites
