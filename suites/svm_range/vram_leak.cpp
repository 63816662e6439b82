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

/// What a case may do with kPages that are in VRAM.
struct Steps {
  std::function<void(std::size_t first, std::size_t count, HSA_SVM_ATTRIBUTE attribute)> set;
  std::function<void(std::size_t page)> gpu_write;
  const SvmMemory& memory;
  HSAuint32 node;
};

struct StepsCase {
  std::string_view name;
  void (*run)(const Steps& steps);
};

const StepsCase kSteps[] = {
    {"nothing", [](const Steps&) {}},
    {"split", [](const Steps& steps) { steps.set(0, 512, Granularity(3)); }},
    {"back_in_part", [](const Steps& steps) { steps.set(0, 512, Prefetch(0)); }},
    {"touched_in_part", [](const Steps& steps) { steps.memory.ExpectPattern(1, 100, 10); }},
    // Golden rule 25: the clone of a piece that left VRAM takes a reference that nothing drops.
    {"split_after_back_in_part",
     [](const Steps& steps) {
       steps.set(0, 512, Prefetch(0));
       steps.set(100, 10, Granularity(3));
     }},
    {"split_where_touched",
     [](const Steps& steps) {
       steps.set(0, 1024, Granularity(2));
       steps.memory.ExpectPattern(1, 100, 10);
       steps.set(90, 15, Granularity(3));
     }},
    {"parts_back_and_forth",
     [](const Steps& steps) {
       steps.set(0, 1024, Granularity(2));
       for (std::size_t round = 0; round < 40; ++round) {
         steps.set(16 + round % 40, 1 + round % 8, Prefetch(round % 2 == 0 ? steps.node : 0));
         steps.gpu_write(16 + (7 * round) % 40);
       }
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
                 .rules = "SVM-14 SVM-5", .guards = "BUG-63",
                 .needs = {Capability::kSvm, Capability::kRenderNode}) {
  const auto one_round = [this] {
    const SvmMemory memory(kPages);
    memory.FillPattern(1);
    const HSAuint32 node = gpu().node_id;
    ASSERT_EQ(Set(memory.All(), {Access(node), Prefetch(node)}), HSAKMT_STATUS_SUCCESS);
    param().run({[&](std::size_t first, std::size_t count, HSA_SVM_ATTRIBUTE attribute) {
                   ASSERT_EQ(Set(memory.Pages(first, count), {attribute}), HSAKMT_STATUS_SUCCESS);
                 },
                 [&](std::size_t page) { ASSERT_TRUE(Done(Work().Write(memory.Word(page), 1))); },
                 memory, node});
  };
  one_round();  // page tables stay
  const std::uint64_t before = VramInUse();
  for (int round = 0; round < kRounds; ++round) one_round();
  EXPECT_TRUE(gpu::WaitUntil([&] { return VramInUse() < before + kPages * PageSize(); },
                             gpu::Deadline(std::chrono::seconds(5))))
      << VramInUse() - before << " bytes more than " << before;
}

}  // namespace kfdcts::suites
