// What is not private memory that somebody wrote.
#include <sys/mman.h>

#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

using Kind = SvmMemory::Kind;

struct MemoryCase {
  std::string_view name;
  Kind kind;
  bool touched;
};
constexpr MemoryCase kKinds[] = {
    {"anonymous", Kind::kAnonymous, true},
    {"anonymous_untouched", Kind::kAnonymous, false},
    {"shared", Kind::kShared, true},
    {"shared_untouched", Kind::kShared, false},
    {"private_file", Kind::kFilePrivate, true},
    {"private_file_untouched", Kind::kFilePrivate, false},
    {"shared_file", Kind::kFileShared, true},
    {"shared_file_untouched", Kind::kFileShared, false},
};

struct ProtectionCase {
  std::string_view name;
  int protection;
};
constexpr ProtectionCase kProtections[] = {{"read_only", PROT_READ}, {"no_access", PROT_NONE}};

class KindTest : public PrefetchTest {
 protected:
  // The prefetch may refuse such memory, or leave it where it is; the contents are what counts.
  void Kinds(const MemoryCase& one) {
    MigratedBuffer buffer(12, one.kind, one.touched);
    Allow(buffer.All(), {node()});
    Set(buffer.All(), {Prefetch(node())});
    ExpectGpuReads(buffer);
    GpuWrites(buffer, 3, 0x3A3A3A3A);
    Set(buffer.All(), {Prefetch(cpu_node())});
    EXPECT_EQ(gpu::LoadAcquire(buffer.Word(3)), 0x3A3A3A3AU);
    buffer.Write(7, 0x7A7A7A7A);
    Set(buffer.All(), {Prefetch(node())});
    ExpectGpuReads(buffer);
    buffer.ExpectIntact();
    EXPECT_EQ(StateOf(buffer.All()), DefaultsWithAccess({node()}).WithPrefetch(node()));
  }

  void Protect(const MigratedBuffer& buffer, int protection) {
    ASSERT_EQ(mprotect(buffer.All().data(), buffer.All().size(), protection), 0);
  }
};

}  // namespace

KFD_TEST_CASES_F(Prefetch, KindsOfMemory, KindTest, kKinds,
                 .property =
                     "a prefetch of any kind of memory, touched or not, moves it or leaves "
                     "it; both sides read and write the same contents",
                 .rules = "PRE-12 SVM-17", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOn) {
  Kinds(param());
}

KFD_TEST_CASES_F(Prefetch, KindsOfMemoryNoRetry, KindTest, kKinds,
                 .property = "with XNACK off, too, a prefetch of any kind of memory keeps contents",
                 .rules = "PRE-12 SVM-17", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  Kinds(param());
}

KFD_TEST_F(Prefetch, LockedPages, KindTest,
           .property =
               "a prefetch of locked pages moves or leaves them; unlocked, they go and come "
               "back",
           .rules = "PRE-12", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(8);
  ASSERT_EQ(mlock(buffer.All().data(), buffer.All().size()), 0);
  Allow(buffer.All(), {node()});
  Set(buffer.All(), {Prefetch(node())});
  ExpectGpuReads(buffer);
  ASSERT_EQ(munlock(buffer.All().data(), buffer.All().size()), 0);
  MoveTo(buffer.All(), cpu_node());
  EXPECT_EQ(buffer.Where(), "mmmmmmmm");
  MoveTo(buffer.All(), node());
  EXPECT_EQ(buffer.Where(), "vvvvvvvv");
  ExpectGpuReads(buffer);
  buffer.ExpectIntact();
}

KFD_TEST_CASES_F(Prefetch, ProtectedPages, KindTest, kProtections,
                 .property =
                     "a prefetch of memory that may not be written, or not be accessed, "
                     "moves or refuses it; accessible again, it has its contents",
                 .rules = "PRE-12 SVM-15", .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(8);
  Allow(buffer.All(), {node()});
  Protect(buffer, param().protection);
  Set(buffer.All(), {Prefetch(node())});
  Protect(buffer, PROT_READ | PROT_WRITE);
  ExpectGpuReads(buffer);
  GpuWrites(buffer, 2, 0x22222222);
  buffer.Write(6, 0x66666666);
  MoveTo(buffer.All(), node());
  EXPECT_EQ(buffer.Where(), "vvvvvvvv");
  ExpectGpuReads(buffer);
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, ProtectedOnTheGpu, KindTest,
           .property =
               "pages on a GPU whose protection changes there and back keep their contents "
               "and their place",
           .rules = "PRE-12 SVM-15", .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(8);
  EXPECT_EQ(Set(buffer.All(), {Access(node()), Prefetch(node())}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(buffer.Where(), "vvvvvvvv");
  GpuWrites(buffer, 2, 0x22222222);
  for (const int protection : {PROT_READ, PROT_NONE, PROT_READ | PROT_WRITE}) {
    Protect(buffer, protection);
    EXPECT_EQ(buffer.Where(), "vvvvvvvv");
  }
  ExpectGpuReads(buffer);
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, DiscardedOnTheGpu, KindTest,
           .property =
               "pages on a GPU that the process discards are zero for both sides, also "
               "after they were prefetched anew",
           .rules = "PRE-12 SVM-15", .guards = "BUG-56",
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(8);
  EXPECT_EQ(Set(buffer.All(), {Access(node()), Granularity(0), Prefetch(node())}),
            HSAKMT_STATUS_SUCCESS);
  const auto discarded = buffer.Pages(2, 3);
  ASSERT_EQ(madvise(discarded.data(), discarded.size(), MADV_DONTNEED), 0);
  buffer.ExpectZero(2, 3);
  EXPECT_EQ(buffer.Where(), "vv...vvv");
  MoveTo(buffer.All(), node());
  ExpectGpuReads(buffer);
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, ReadOnlyOnce, KindTest,
           .property =
               "pages that were read but never written are zero on the GPU, and written "
               "there, keep it",
           .rules = "PRE-12", .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(8, Kind::kAnonymous, false);
  for (std::size_t page = 0; page < 8; ++page) EXPECT_EQ(gpu::LoadAcquire(buffer.Word(page)), 0U);
  Allow(buffer.All(), {node()});
  MoveTo(buffer.All(), node());
  ExpectGpuReads(buffer);
  GpuWrites(buffer, 5, 0x5B5B5B5B);
  MoveTo(buffer.All(), cpu_node());
  buffer.ExpectIntact();
}

}  // namespace kfdcts::suites
