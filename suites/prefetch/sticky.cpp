// The prefetch location is remembered: what later sets make of it.
#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

/// An attribute that a range does not have yet. `gpu` says whose.
struct ChangeCase {
  std::string_view name;
  HSA_SVM_ATTRIBUTE (*attribute)(HSAuint32 gpu);
};
constexpr ChangeCase kChanges[] = {
    {"granularity", [](HSAuint32) { return Granularity(5); }},
    {"flag_set", [](HSAuint32) { return SetFlags(HSA_SVM_FLAG_GPU_READ_MOSTLY); }},
    {"flag_cleared", [](HSAuint32) { return ClearFlags(HSA_SVM_FLAG_HOST_ACCESS); }},
    {"preferred_location", [](HSAuint32 gpu) { return Preferred(gpu); }},
    {"preferred_system_memory", [](HSAuint32) { return Preferred(0); }},
    {"access_in_place", [](HSAuint32 gpu) { return AccessInPlace(gpu); }},
    {"prefetch_again", [](HSAuint32 gpu) { return Prefetch(gpu); }},
};

class StickyTest : public PrefetchTest {
 protected:
  void DifferentSetMovesAgain(const ChangeCase& change) {
    const MigratedBuffer buffer(8);
    EXPECT_EQ(Set(buffer.All(), {Access(node()), Prefetch(node())}), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(buffer.Where(), "vvvvvvvv");
    buffer.ExpectIntact();
    ASSERT_EQ(buffer.Where(), "mmmmmmmm");
    EXPECT_EQ(StateOf(buffer.All()).prefetch, node());
    EXPECT_EQ(Set(buffer.All(), {change.attribute(node())}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(buffer.Where(), "vvvvvvvv");
    EXPECT_EQ(StateOf(buffer.All()).prefetch, node());
    ExpectGpuReads(buffer);
    buffer.ExpectIntact();
  }
};

}  // namespace

KFD_TEST_CASES_F(Prefetch, DifferentSetMovesAgain, StickyTest, kChanges,
                 .property =
                     "what the CPU's access brought back goes to the remembered GPU again "
                     "with the next set that changes the range",
                 .rules = "PRE-13", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOn) {
  DifferentSetMovesAgain(param());
}

KFD_TEST_CASES_F(Prefetch, DifferentSetMovesAgainNoRetry, StickyTest, kChanges,
                 .property =
                     "with XNACK off, too, the next set that changes the range moves it to "
                     "the remembered GPU",
                 .rules = "PRE-13", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  DifferentSetMovesAgain(param());
}

KFD_TEST_F(Prefetch, SameSetMovesNothing, StickyTest,
           .property = "a set of attributes that a mapped range has moves nothing",
           .rules = "PRE-13 SVM-6", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(8);
  EXPECT_EQ(Set(buffer.All(), {Access(node()), Granularity(6), Prefetch(node())}),
            HSAKMT_STATUS_SUCCESS);
  buffer.ExpectIntact();
  EXPECT_EQ(Set(buffer.All(), {Access(node()), Granularity(6)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(buffer.Where(), "mmmmmmmm");
}

KFD_TEST_F(
    Prefetch, OnlyTheChangedPartMovesAgain, StickyTest,
    .property = "a later set re-decides the place of the part that it changes, and of no more",
    .rules = "PRE-13 SVM-5", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(8);
  EXPECT_EQ(Set(buffer.All(), {Access(node()), Prefetch(node())}), HSAKMT_STATUS_SUCCESS);
  buffer.ExpectIntact();
  EXPECT_EQ(Set(buffer.Pages(2, 3), {Granularity(4)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(buffer.Where(), "mmvvvmmm");
  ExpectGpuReads(buffer, 2, 3);
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, BackToTheRememberedCpu, StickyTest,
           .property =
               "system memory is remembered, too: what a GPU's fault took away comes back "
               "with the next set that changes the range",
           .rules = "PRE-13", .needs = {Capability::kSvm, Capability::kPagemap},
           .xnack = Xnack::kOn) {
  const MigratedBuffer buffer(8);
  EXPECT_EQ(Set(buffer.All(), {Access(node()), Prefetch(cpu_node())}), HSAKMT_STATUS_SUCCESS);
  ExpectGpuReads(buffer);
  ASSERT_EQ(buffer.Where(), "vvvvvvvv");
  EXPECT_EQ(Set(buffer.All(), {Granularity(4)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(buffer.Where(), "mmmmmmmm");
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, PreferredLocationMovesNothing, StickyTest,
           .property =
               "where no prefetch is remembered, a preferred location alone moves nothing, "
               "there or back",
           .rules = "PRE-13", .guards = "BUG-36",
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(8);
  Allow(buffer.All(), {node()});
  const std::uint64_t in = PagesIn();
  EXPECT_EQ(Set(buffer.All(), {Preferred(node())}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(buffer.Where(), "mmmmmmmm");
  EXPECT_EQ(Set(buffer.All(), {Preferred(cpu_node())}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Set(buffer.All(), {Preferred(INVALID_NODEID)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(buffer.Where(), "mmmmmmmm");
  EXPECT_EQ(StateOf(buffer.All()), DefaultsWithAccess({node()}));
  EXPECT_EQ(PagesIn(), in);
}

KFD_TEST_F(Prefetch, PrefetchBesidePreferredLocation, StickyTest,
           .property =
               "a prefetch goes where it is asked to, whatever location is preferred, then or "
               "later; each reads back for itself",
           .rules = "PRE-13 PRE-1 PRE-2", .guards = "BUG-36",
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(8);
  EXPECT_EQ(Set(buffer.All(), {Preferred(cpu_node()), Access(node()), Prefetch(node())}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(buffer.Where(), "vvvvvvvv");
  for (const HSAuint32 preferred : {INVALID_NODEID, cpu_node()}) {
    EXPECT_EQ(Set(buffer.All(), {Preferred(preferred)}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(buffer.Where(), "vvvvvvvv");
  }
  EXPECT_EQ(Set(buffer.All(), {Preferred(node()), Prefetch(cpu_node())}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(buffer.Where(), "mmmmmmmm");
  EXPECT_EQ(StateOf(buffer.All()),
            DefaultsWithAccess({node()}).WithPreferred(node()).WithPrefetch(cpu_node()));
  buffer.ExpectIntact();
}

}  // namespace kfdcts::suites
