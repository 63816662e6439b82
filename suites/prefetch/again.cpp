// Prefetching what is somewhere on a GPU already.
#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

class AgainTest : public PrefetchTest {
 protected:
  void MovesNothing(HSAuint32 place, char letter) {
    const MigratedBuffer buffer(16);
    Allow(buffer.All(), {node()});
    MoveTo(buffer.All(), node());
    MoveTo(buffer.All(), place);
    const std::uint64_t in = PagesIn(), out = PagesOut();
    for (int round = 0; round < 3; ++round) MoveTo(buffer.All(), place);
    EXPECT_EQ(buffer.Where(), std::string(16, letter));
    EXPECT_EQ(PagesIn(), in);
    EXPECT_EQ(PagesOut(), out);
    EXPECT_EQ(StateOf(buffer.All()).prefetch, place);
    buffer.ExpectIntact();
  }

  void FromGpuToGpu() {
    MigratedBuffer buffer(16);
    EXPECT_EQ(Set(buffer.All(), {Access(node(0)), NoAccess(node(1)), Prefetch(node(0))}),
              HSAKMT_STATUS_SUCCESS);
    GpuWrites(buffer, 3, 0x13572468, 0);
    const std::uint64_t out = PagesOut(0), in = PagesIn(1);
    EXPECT_EQ(Set(buffer.All(), {NoAccess(node(0))}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Set(buffer.All(), {Access(node(1)), Prefetch(node(1))}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(buffer.Where(), InVram(16));
    EXPECT_EQ(PagesOut(0) - out, 16U);
    EXPECT_EQ(PagesIn(1) - in, 16U);
    ExpectGpuReads(buffer, 1);
    GpuWrites(buffer, 9, 0x24681357, 1);
    MoveTo(buffer.All(), cpu_node());
    EXPECT_EQ(buffer.Where(), InSystemMemory(16));
    buffer.ExpectIntact();
  }
};

}  // namespace

KFD_TEST_F(Prefetch, AgainToTheSameGpu, AgainTest,
           .property = "prefetching again to the GPU where the pages are moves none",
           .rules = "PRE-9", .needs = {Capability::kSvm, Capability::kPagemap},
           .xnack = Xnack::kOn) {
  MovesNothing(node(), 'v');
}

KFD_TEST_F(Prefetch, AgainToTheSameGpuNoRetry, AgainTest,
           .property = "with XNACK off, too, prefetching again moves nothing", .rules = "PRE-9",
           .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  MovesNothing(node(), 'v');
}

KFD_TEST_F(Prefetch, AgainToTheCpu, AgainTest,
           .property = "prefetching again to the CPU's node moves nothing", .rules = "PRE-9",
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  MovesNothing(cpu_node(), 'm');
}

KFD_TEST_F(Prefetch, AgainAfterOneCameBack, AgainTest,
           .property = "prefetching again after the CPU took pages back moves just these",
           .rules = "PRE-9 PRE-5", .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(16);
  EXPECT_EQ(Set(buffer.All(), {Access(node()), Granularity(1), Prefetch(node())}),
            HSAKMT_STATUS_SUCCESS);
  const std::uint64_t in = PagesIn(), out = PagesOut();
  buffer.Write(7, 0x77777777);
  EXPECT_EQ(buffer.Where(), "vvvvvvmmvvvvvvvv");
  MoveTo(buffer.All(), node());
  EXPECT_EQ(buffer.Where(), InVram(16));
  EXPECT_EQ(PagesIn() - in, 2U);
  EXPECT_EQ(PagesOut() - out, 2U);
  ExpectGpuReads(buffer);
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, FromGpuToGpu, AgainTest,
           .property = "a prefetch to another GPU moves the pages there, with what the first wrote",
           .rules = "PRE-9 PRE-1", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOn) {
  FromGpuToGpu();
}

KFD_TEST_F(Prefetch, FromGpuToGpuNoRetry, AgainTest,
           .property = "with XNACK off, too, a prefetch moves pages from one GPU to another",
           .rules = "PRE-9 PRE-1", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  FromGpuToGpu();
}

KFD_TEST_F(Prefetch, AccessHandedOverInTheSameCall, AgainTest,
           .property =
               "a prefetch to another GPU takes place also where the same call takes away "
               "the access of the only GPU that has the range mapped",
           .rules = "PRE-1 PRE-9", .guards = "BUG-42 BUG-62", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(16);
  EXPECT_EQ(Set(buffer.All(), {Access(node(0)), NoAccess(node(1)), Prefetch(node(0))}),
            HSAKMT_STATUS_SUCCESS);
  ExpectGpuReads(buffer, 0);
  const std::uint64_t in = PagesIn(1);
  EXPECT_EQ(Set(buffer.All(), {NoAccess(node(0)), Access(node(1)), Prefetch(node(1))}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(PagesIn(1) - in, 16U);
  EXPECT_EQ(buffer.Where(), InVram(16));
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, AccessTakenAwayWithPrefetchToTheCpu, AgainTest,
           .property =
               "a prefetch to the CPU's node takes place also where the same call takes the "
               "last GPU's access away",
           .rules = "PRE-1 SVM-21", .guards = "BUG-42 BUG-62",
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(16);
  EXPECT_EQ(Set(buffer.All(), {Access(node()), Prefetch(node())}), HSAKMT_STATUS_SUCCESS);
  ExpectGpuReads(buffer);
  EXPECT_EQ(Set(buffer.All(), {NoAccess(node()), Prefetch(cpu_node())}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(buffer.Where(), InSystemMemory(16));
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, RoundAndRound, AgainTest,
           .property = "pages that go round between two GPUs and the CPU keep their contents",
           .rules = "PRE-9 PRE-1", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(33);
  EXPECT_EQ(Set(buffer.All(), {NoAccess(node(0)), NoAccess(node(1))}), HSAKMT_STATUS_SUCCESS);
  for (std::uint32_t round = 0; round < 6; ++round) {
    for (const HSAuint32 place : {node(0), node(1), cpu_node(), node(1), node(0)}) {
      MoveTo(buffer.All(), place);
      EXPECT_EQ(buffer.Where(), std::string(33, place == cpu_node() ? 'm' : 'v'));
    }
    buffer.Write(round, 0x0DD00000U + round);
  }
  buffer.ExpectIntact();
}

}  // namespace kfdcts::suites
