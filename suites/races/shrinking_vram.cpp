// Others take the VRAM in the middle of things.
#include <amdgpu_drm.h>
#include <fcntl.h>

#include <string>
#include <vector>

#include "harness/gpu/error.h"
#include "harness/gpu/gem.h"
#include "suites/races/race_test.h"

namespace kfdcts::suites {
namespace {

/// What another program would take: most of a GPU's VRAM, as one buffer object that the driver has
/// to put there.
class VramTaker {
 public:
  explicit VramTaker(const harness::GpuNode& gpu)
      : render_(open(
            ("/dev/dri/renderD" + std::to_string(gpu.facts.Property("drm_render_minor"))).c_str(),
            O_RDWR | O_CLOEXEC)),
        bytes_(gpu.facts.vram_bytes / 8) {}

  /// One eighth of the VRAM. False where there is no more.
  bool Take() {
    try {
      taken_.emplace_back(render_.get(), bytes_, AMDGPU_GEM_DOMAIN_VRAM,
                          AMDGPU_GEM_CREATE_VRAM_CLEARED);
      return true;
    } catch (const gpu::GpuError&) {
      return false;
    }
  }

 private:
  gpu::UniqueFd render_;
  std::uint64_t bytes_;
  std::vector<gpu::GemObject> taken_;
};

class ShrinkingVram : public RaceTest {};

}  // namespace

KFD_TEST_F(Prefetch, VramTakenDuringPrefetch, ShrinkingVram,
           .property =
               "VRAM that others take while prefetches go on loses no byte: each ends, and "
               "what is pushed out is in system memory",
           .rules = "PRE-10 PRE-1", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap, Capability::kRenderNode},
           .process = Process::kFresh, .time_limit = std::chrono::seconds(120)) {
  constexpr std::size_t kParts = 8;
  const std::size_t part = gpu().facts.vram_bytes / 16 / PageSize();
  const SvmMemory memory(kParts * part);
  memory.FillPattern(9);
  ASSERT_EQ(Set(memory.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  VramTaker taker(gpu());
  for (std::size_t i = 0; i < kParts; ++i) {
    auto prefetch = SetAside(memory.Pages(i * part, part), {Prefetch(gpu().node_id)});
    taker.Take();
    ASSERT_TRUE(Ends(prefetch)) << i;
    EXPECT_EQ(prefetch.get(), HSAKMT_STATUS_SUCCESS) << i;
  }
  EXPECT_EQ(Residency(memory.All()).find('.'), std::string::npos);
  memory.ExpectPattern(9);
}

}  // namespace kfdcts::suites
