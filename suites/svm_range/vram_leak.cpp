// VRAM that splits and migrations of ranges take is all given back.
#include <amdgpu_drm.h>
#include <sys/ioctl.h>

#include <functional>

#include "harness/gpu/gpu.h"
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 1024;
constexpr int kRounds = 8;

struct StepsCase {
  std::string_view name;
  /// On kPages that are in VRAM.
  void (*steps)(const std::function<void(std::size_t, std::size_t, HSA_SVM_ATTRIBUTE)>& set,
                const SvmMemory& memory);
};

const StepsCase kSteps[] = {
    {"nothing", [](const auto&, const SvmMemory&) {}},
    {"split", [](const auto& set, const SvmMemory&) { set(0, 512, Granularity(3)); }},
    {"back_in_part", [](const auto& set, const SvmMemory&) { set(0, 512, Prefetch(0)); }},
    {"touched_in_part",
     [](const auto&, const SvmMemory& memory) { memory.ExpectPattern(1, 100, 10); }},
    // Golden rule 25: the clone of a piece that left VRAM takes a reference that nothing drops.
    {"split_after_back_in_part",
     [](const auto& set, const SvmMemory&) {
       set(0, 512, Prefetch(0));
       set(100, 10, Granularity(3));
     }},
};

class VramLeakTest : public SharingTest {
 protected:
  /// Bytes of VRAM in use on the test's first GPU, by anybody.
  std::uint64_t VramInUse() const {
    const gpu::UniqueFd render = gpu::OpenRenderNode(gpu().facts);
    std::uint64_t used = 0;
    drm_amdgpu_info info{};
    info.return_pointer = reinterpret_cast<std::uintptr_t>(&used);
    info.return_size = sizeof(used);
    info.query = AMDGPU_INFO_VRAM_USAGE;
    EXPECT_EQ(ioctl(render.get(), DRM_IOCTL_AMDGPU_INFO, &info), 0);
    return used;
  }
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, VramIsGivenBack, VramLeakTest, kSteps,
                 .property =
                     "VRAM that ranges took is free again once they are unmapped, however "
                     "they were split and moved before",
                 .rules = "SVM-14 SVM-5", .needs = {Capability::kSvm, Capability::kRenderNode}) {
  const auto one_round = [this] {
    const SvmMemory memory(kPages);
    memory.FillPattern(1);
    const HSAuint32 node = gpu().node_id;
    ASSERT_EQ(Set(memory.All(), {Access(node), Prefetch(node)}), HSAKMT_STATUS_SUCCESS);
    param().steps(
        [&](std::size_t first, std::size_t count, HSA_SVM_ATTRIBUTE attribute) {
          ASSERT_EQ(Set(memory.Pages(first, count), {attribute}), HSAKMT_STATUS_SUCCESS);
        },
        memory);
  };
  one_round();  // page tables stay
  const std::uint64_t before = VramInUse();
  for (int round = 0; round < kRounds; ++round) one_round();
  EXPECT_TRUE(gpu::WaitUntil([&] { return VramInUse() < before + kPages * PageSize(); },
                             gpu::Deadline(std::chrono::seconds(5))))
      << VramInUse() - before << " bytes more than " << before;
}

}  // namespace kfdcts::suites
