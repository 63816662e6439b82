// Pages on a GPU that a forked child shares.
#include "harness/test_support/child.h"
#include "suites/prefetch/prefetch_test.h"
#include "suites/support/beside_child.h"

namespace kfdcts::suites {
namespace {

/// 'v' pages are on the GPU when the process forks.
struct SharedCase {
  std::string_view name;
  std::string_view where;
};
constexpr SharedCase kShared[] = {{"all_in_system_memory", "mmmmmmmm"},
                                  {"half_on_the_gpu", "vvvvmmmm"},
                                  {"all_on_the_gpu", "vvvvvvvv"}};

class ForkTest : public PrefetchTest {
 protected:
  void PutAt(const MigratedBuffer& buffer, std::string_view where) {
    for (const Piece& piece : PiecesOf(where, 'v')) {
      MoveTo(buffer.Pages(piece.first, piece.count), node());
    }
    ASSERT_EQ(buffer.Where(), where);
  }

  void ChildReads() {
    const MigratedBuffer buffer(8);
    Allow(buffer.All(), {node()});
    PutAt(buffer, "vvvvvvvv");
    const harness::ChildResult child = harness::RunInChild([&] { buffer.ExpectIntact(); });
    EXPECT_TRUE(child.Passed()) << child.Describe();
    ExpectGpuReads(buffer);
    buffer.ExpectIntact();
  }

  // The child shares all pages, to be copied by whoever writes first, which is the parent's GPU.
  void GpuWritesFirst(std::string_view where) {
    MigratedBuffer buffer(where.size());
    EXPECT_EQ(Set(buffer.All(), {NoAccess(node())}), HSAKMT_STATUS_SUCCESS);
    PutAt(buffer, where);
    Work();
    BesideChild([&] { buffer.ExpectIntact(); },
                [&] {
                  Allow(buffer.All(), {node()});
                  if (HasFailure()) return;
                  for (std::size_t page = 1; page < where.size(); page += 2) {
                    GpuWrites(buffer, page, static_cast<std::uint32_t>(0x4F000000U + page));
                  }
                  ExpectGpuReads(buffer);
                });
    buffer.ExpectIntact();
  }
};

}  // namespace

KFD_TEST_F(Prefetch, ForkedChildReads, ForkTest,
           .property = "a forked child reads what is on the parent's GPU; the parent keeps it",
           .rules = "PRE-6 SVM-15", .needs = {Capability::kSvm, Capability::kPagemap},
           .xnack = Xnack::kOn) {
  ChildReads();
}

KFD_TEST_F(Prefetch, ForkedChildReadsNoRetry, ForkTest,
           .property = "with XNACK off, too, a forked child reads what is on the parent's GPU",
           .rules = "PRE-6 SVM-15", .needs = {Capability::kSvm, Capability::kPagemap},
           .xnack = Xnack::kOff) {
  ChildReads();
}

KFD_TEST_CASES_F(Prefetch, GpuWritesWhatAForkShares, ForkTest, kShared,
                 .property =
                     "access given after a fork: the GPU writes the parent's pages, wherever "
                     "they were, and the child keeps what it had",
                 .rules = "PRE-1 SVM-15 SVM-23", .guards = "BUG-40 BUG-55",
                 .scope = Scope::kFirstGpu, .needs = {Capability::kSvm, Capability::kPagemap},
                 .process = Process::kFresh, .xnack = Xnack::kOn) {
  GpuWritesFirst(param().where);
}

KFD_TEST_CASES_F(Prefetch, GpuWritesWhatAForkSharesNoRetry, ForkTest, kShared,
                 .property =
                     "with XNACK off, too, the GPU writes the parent's pages after a fork, "
                     "and the child keeps what it had",
                 .rules = "PRE-1 SVM-15 SVM-23", .guards = "BUG-40 BUG-55",
                 .scope = Scope::kFirstGpu, .needs = {Capability::kSvm, Capability::kPagemap},
                 .process = Process::kFresh, .xnack = Xnack::kOff) {
  GpuWritesFirst(param().where);
}

KFD_TEST_CASES_F(Prefetch, CpuWritesWhatAForkShares, ForkTest, kShared,
                 .property =
                     "the parent's CPU writes pages that a fork shares, wherever they are, "
                     "and the child keeps what it had",
                 .rules = "PRE-5 SVM-15", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .process = Process::kFresh) {
  MigratedBuffer buffer(param().where.size());
  EXPECT_EQ(Set(buffer.All(), {Access(node()), Granularity(0)}), HSAKMT_STATUS_SUCCESS);
  PutAt(buffer, param().where);
  BesideChild([&] { buffer.ExpectIntact(); },
              [&] {
                buffer.Write(1, 0x1F1F1F1F);
                buffer.Write(6, 0x6F6F6F6F);
                MoveTo(buffer.All(), node());
                ExpectGpuReads(buffer);
              });
  buffer.ExpectIntact();
}

}  // namespace kfdcts::suites
