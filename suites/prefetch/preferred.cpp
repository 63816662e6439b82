// A preferred location beside access and prefetch, with two GPUs.
#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

class PreferredTest : public PrefetchTest {
 protected:
  // The preferred GPU has no access; the other is prefetched to.
  void PreferredWithoutAccess() {
    const MigratedBuffer buffer(8);
    EXPECT_EQ(Set(buffer.All(), {Access(node(0)), NoAccess(node(1)), Preferred(node(1))}),
              HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(buffer.Where(), "mmmmmmmm");
    ExpectGpuReads(buffer, 0);
    const std::uint64_t other = PagesIn(1);
    MoveTo(buffer.All(), node(0));
    EXPECT_EQ(buffer.Where(), "vvvvvvvv");
    EXPECT_EQ(PagesIn(1), other);
    ExpectGpuReads(buffer, 0);
    EXPECT_EQ(buffer.Where(), "vvvvvvvv");
    EXPECT_EQ(StateOf(buffer.All()), DefaultsWithAccess({node(0)})
                                         .WithAccess(node(1), HSA_SVM_ATTR_NO_ACCESS)
                                         .WithPreferred(node(1))
                                         .WithPrefetch(node(0)));
    buffer.ExpectIntact();
  }
};

}  // namespace

KFD_TEST_F(Prefetch, PreferredGpuWithoutAccess, PreferredTest,
           .property =
               "a preferred GPU without access holds back neither the other's access nor a "
               "prefetch to the other",
           .rules = "PRE-13 PRE-1", .guards = "BUG-36", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOn) {
  PreferredWithoutAccess();
}

KFD_TEST_F(Prefetch, PreferredGpuWithoutAccessNoRetry, PreferredTest,
           .property = "with XNACK off, too, a preferred GPU without access holds nothing back",
           .rules = "PRE-13 PRE-1", .guards = "BUG-36", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  PreferredWithoutAccess();
}

}  // namespace kfdcts::suites
