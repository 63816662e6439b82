// The driver's own migration is no change that the driver answers by taking the pages back.
#include <linux/kfd_ioctl.h>

#include <algorithm>

#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

struct SizeCase {
  std::string_view name;
  std::size_t pages;
};

constexpr SizeCase kSizes[] = {
    {"one_page", 1}, {"few", 16}, {"below_batch", 511}, {"batch", 512}, {"above_batch", 513},
};

constexpr std::uint64_t kMigrations = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_START) |
                                      KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_END);

class BounceTest : public SharingTest {
 protected:
  void CheckStay(std::size_t pages) {
    const SvmMemory memory(pages);
    memory.FillPattern(1);
    const std::string in_vram(pages, 'v');
    const HSAuint32 node = gpu().node_id;
    ASSERT_EQ(Set(memory.All(), {Access(node), Prefetch(node)}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Residency(memory.All()), in_vram);
    // Work of the GPU ends after whatever the migration set off.
    ExpectGpuSees(memory, 1);
    EXPECT_EQ(Residency(memory.All()), in_vram);
    ASSERT_EQ(Set(memory.All(), {Prefetch(node)}), HSAKMT_STATUS_SUCCESS);
    ExpectGpuSees(memory, 1);
    EXPECT_EQ(Residency(memory.All()), in_vram);
    ASSERT_EQ(Set(memory.All(), {Prefetch(cpu_node())}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Residency(memory.All()), std::string(pages, 'm'));
    memory.ExpectPattern(1);
  }
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, MigrationStaysWithRetry, BounceTest, kSizes,
                 .property =
                     "a prefetch succeeds and the pages are where it sent them, also after "
                     "the GPU used them and after a second prefetch; XNACK on",
                 .rules = "SVM-16", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = harness::Xnack::kOn) {
  CheckStay(param().pages);
}

KFD_TEST_CASES_F(SVMRange, MigrationStaysWithoutRetry, BounceTest, kSizes,
                 .property =
                     "a prefetch succeeds and the pages are where it sent them, also after "
                     "the GPU used them and after a second prefetch; XNACK off",
                 .rules = "SVM-16", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = harness::Xnack::kOff) {
  CheckStay(param().pages);
}

KFD_TEST_F(SVMRange, OneMigrationForAPrefetch, BounceTest,
           .property =
               "a prefetch and the GPU's use after it make one migration, to the GPU, and "
               "none back",
           .rules = "SVM-16", .needs = {Capability::kSvm}) {
  const SvmMemory memory(64);
  memory.FillPattern(1);
  SmiWatch watch(thunk(), gpu(), kMigrations);
  const HSAuint32 node = gpu().node_id;
  ASSERT_EQ(Set(memory.All(), {Access(node), Prefetch(node)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_TRUE(Done(Work().Fill(memory.Word(0), 7, memory.All().size())));
  const auto events = watch.Drain();
  const auto starts = std::count_if(events.begin(), events.end(), [](const gpu::SmiEvent& event) {
    return event.type == KFD_SMI_EVENT_MIGRATE_START;
  });
  EXPECT_EQ(starts, 1);
  for (const gpu::SmiEvent& event : events) {
    EXPECT_EQ(event.to, gpu().gpu_id) << event.text;
    if (event.type != KFD_SMI_EVENT_MIGRATE_START) continue;
    EXPECT_EQ(event.trigger, static_cast<std::uint32_t>(KFD_MIGRATE_TRIGGER_PREFETCH))
        << event.text;
  }
}

}  // namespace kfdcts::suites
