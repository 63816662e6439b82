// A prefetch to a GPU and back.
#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

struct SizeCase {
  std::string_view name;
  std::size_t pages;
};
constexpr SizeCase kSizes[] = {{"one_page", 1}, {"three_pages", 3}, {"hundred_pages", 100}};

class ThereAndBackTest : public PrefetchTest {
 protected:
  void ThereAndBack(std::size_t pages) {
    const MigratedBuffer buffer(pages);
    Allow(buffer.All(), {node()});
    ASSERT_EQ(buffer.Where(), InSystemMemory(pages));
    MoveTo(buffer.All(), node());
    EXPECT_EQ(buffer.Where(), InVram(pages));
    ExpectGpuReads(buffer);
    EXPECT_EQ(buffer.Where(), InVram(pages));
    MoveTo(buffer.All(), cpu_node());
    EXPECT_EQ(buffer.Where(), InSystemMemory(pages));
    buffer.ExpectIntact();
  }

  // What one side writes, the other reads on the other side of a migration, round after round.
  void WritesGoAlong(Engine engine) {
    MigratedBuffer buffer(4);
    Allow(buffer.All(), {node()});
    for (std::uint32_t round = 1; round <= 5; ++round) {
      buffer.Write(round % 4, 0xC0000000U + round);
      MoveTo(buffer.All(), node());
      ASSERT_EQ(buffer.Where(), "vvvv");
      ExpectGpuReads(buffer, 0, engine);
      GpuWrites(buffer, (round + 1) % 4, 0x60000000U + round, 0, engine);
      ASSERT_EQ(buffer.Where(), "vvvv");
      MoveTo(buffer.All(), cpu_node());
      ASSERT_EQ(buffer.Where(), "mmmm");
      buffer.ExpectIntact();
    }
  }
};

}  // namespace

KFD_TEST_CASES_F(Prefetch, ThereAndBack, ThereAndBackTest, kSizes,
                 .property =
                     "a prefetch to a GPU moves the pages there, one to the CPU's node "
                     "moves them back, and the contents stay",
                 .rules = "PRE-1", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOn) {
  ThereAndBack(param().pages);
}

KFD_TEST_CASES_F(Prefetch, ThereAndBackNoRetry, ThereAndBackTest, kSizes,
                 .property = "with XNACK off, too, a prefetch moves pages to a GPU and back",
                 .rules = "PRE-1", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOff) {
  ThereAndBack(param().pages);
}

KFD_TEST_CASES_F(Prefetch, WritesGoAlong, ThereAndBackTest, kEngines,
                 .property = "what CPU and GPU wrote goes along, there and back, many times",
                 .rules = "PRE-1 SVM-17", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOn) {
  WritesGoAlong(param().engine);
}

KFD_TEST_CASES_F(Prefetch, WritesGoAlongNoRetry, ThereAndBackTest, kEngines,
                 .property = "with XNACK off, too, what CPU and GPU wrote goes along",
                 .rules = "PRE-1 SVM-17", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOff) {
  WritesGoAlong(param().engine);
}

KFD_TEST_F(Prefetch, ToTheCpuFromTheCpu, PrefetchTest,
           .property =
               "a prefetch to the CPU's node of what was never elsewhere moves nothing and "
               "reads back",
           .rules = "PRE-1 PRE-2", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(4);
  const std::uint64_t out = PagesOut();
  MoveTo(buffer.All(), cpu_node());
  EXPECT_EQ(buffer.Where(), "mmmm");
  EXPECT_EQ(StateOf(buffer.All()), Defaults().WithPrefetch(cpu_node()));
  EXPECT_EQ(PagesOut(), out);
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, OneCallWithAccess, PrefetchTest,
           .property = "access and prefetch may come in one call, in either order",
           .rules = "PRE-1 PRE-2", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer first(4), second(4);
  EXPECT_EQ(Set(first.All(), {Access(node()), Prefetch(node())}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Set(second.All(), {Prefetch(node()), Access(node())}), HSAKMT_STATUS_SUCCESS);
  for (const MigratedBuffer* one : {&first, &second}) {
    EXPECT_EQ(one->Where(), "vvvv");
    EXPECT_EQ(StateOf(one->All()), DefaultsWithAccess({node()}).WithPrefetch(node()));
    ExpectGpuReads(*one);
    one->ExpectIntact();
  }
}

KFD_TEST_F(Prefetch, ToNowhereIsRefused, PrefetchTest,
           .property =
               "a prefetch to no node or to one that does not exist is refused, and "
               "nothing moves or changes",
           .rules = "PRE-2 SVM-2 SVM-13", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(4);
  EXPECT_EQ(Set(buffer.All(), {Access(node()), Prefetch(node())}), HSAKMT_STATUS_SUCCESS);
  const SvmState before = StateOf(buffer.All());
  EXPECT_NE(Set(buffer.All(), {Prefetch(INVALID_NODEID)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_NE(Set(buffer.All(), {Prefetch(4711)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(buffer.All()), before);
  EXPECT_EQ(buffer.Where(), "vvvv");
}

}  // namespace kfdcts::suites
