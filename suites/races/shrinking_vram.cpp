// Others take the VRAM in the middle of things.
#include <amdgpu_drm.h>

#include <string>
#include <vector>

#include "harness/gpu/error.h"
#include "harness/gpu/gem.h"
#include "harness/gpu/gpu.h"
#include "suites/races/race_test.h"

namespace kfdcts::suites {
namespace {

/// What another program would take: most of a GPU's VRAM, as one buffer object that the driver has
/// to put there.
class VramTaker {
 public:
  explicit VramTaker(const harness::GpuNode& gpu)
      : render_(gpu::OpenRenderNode(gpu.facts)), bytes_(gpu.facts.vram_bytes / 8) {}

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
           .process = Process::kFresh, .time_limit = std::chrono::seconds(120),
           .labels = "full-vram") {
  constexpr std::size_t kParts = 8;
  const std::size_t part = gpu().facts.vram_bytes / 16 / PageSize();
  const SvmMemory memory(kParts * part);
  memory.FillPattern(9);
  ASSERT_EQ(Set(memory.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  VramTaker taker(gpu());
  int taken = 0;
  for (std::size_t i = 0; i < kParts; ++i) {
    HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
    Aside prefetch([&] { status = Set(memory.Pages(i * part, part), {Prefetch(gpu().node_id)}); });
    prefetch.Start();
    if (taker.Take()) ++taken;
    ASSERT_TRUE(prefetch.Ends()) << i;
    EXPECT_EQ(status, HSAKMT_STATUS_SUCCESS) << i;
  }
  // Others take so much that what was sent there cannot all stay. No more than this: what is pushed
  // out takes system memory.
  for (std::size_t i = 0; i < kParts / 2 && taker.Take(); ++i) ++taken;
  EXPECT_GT(taken, 0);
  const std::string where = Residency(memory.All());
  EXPECT_EQ(where.find('.'), std::string::npos);
  EXPECT_NE(where.find('m'), std::string::npos);
  memory.ExpectPattern(9);
}

KFD_TEST_F(Prefetch, VramTakenWhileCopiesAreHeld, ShrinkingVram,
           .property =
               "VRAM that others want while a prefetch's copies are held is given after it, "
               "and no byte is lost",
           .rules = "PRE-10 SVM-19", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap, Capability::kRenderNode,
                     Capability::kDirector},
           .process = Process::kFresh, .time_limit = kRaceLimit, .labels = "full-vram") {
  const SvmMemory memory(kGranule);
  memory.FillPattern(9);
  ASSERT_EQ(Set(memory.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  VramTaker taker(gpu());
  HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
  int taken = 0;
  Aside prefetch([&] { status = Set(memory.All(), {Prefetch(gpu().node_id)}); });
  Aside taking([&] {
    while (taken < 8 && taker.Take()) ++taken;
  });
  DirectorHold hold = Device().HoldCopies();
  prefetch.Start();
  ASSERT_TRUE(WaitForHeldCopies());
  taking.Start();
  hold.Release();
  ASSERT_TRUE(prefetch.Ends());
  EXPECT_EQ(status, HSAKMT_STATUS_SUCCESS);
  ASSERT_TRUE(taking.Ends());
  EXPECT_GE(taken, 1);
  ASSERT_TRUE(Done(Work().Atomic(AtomicOp::kSwap32, memory.Word(7), 0x5EED)));
  EXPECT_EQ(*memory.Word(7), 0x5EEDU);
  memory.ExpectPattern(9, 8, kGranule - 8);
}

}  // namespace kfdcts::suites
