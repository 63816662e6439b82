// What the access of another GPU does to a prefetch. GPUs of one hive see each other's memory, so
// nothing of this holds back a prefetch there.
#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

/// The other GPU's access, and whether pages stay in system memory for it.
struct OtherCase {
  std::string_view name;
  HSA_SVM_ATTRIBUTE (*access)(HSAuint32 node);
  bool held_with_xnack;
  bool held_without_xnack;
};
constexpr OtherCase kOthers[] = {
    {"access", Access, false, true},
    {"access_in_place", AccessInPlace, true, true},
    {"no_access", NoAccess, false, false},
};

class OtherGpuTest : public PrefetchTest {
 protected:
  std::string Place(bool held, std::size_t pages) {
    return held && !Has(Capability::kHive) ? InSystemMemory(pages) : InVram(pages);
  }

  bool Held(const OtherCase& other) const {
    return XnackIsOn() ? other.held_with_xnack : other.held_without_xnack;
  }

  // Access of the target first, then of the other, and the prefetch at last.
  void OtherThenPrefetch(const OtherCase& other) {
    const MigratedBuffer buffer(8);
    EXPECT_EQ(Set(buffer.All(), {Access(node(0)), other.access(node(1))}), HSAKMT_STATUS_SUCCESS);
    MoveTo(buffer.All(), node(0));
    EXPECT_EQ(buffer.Where(), Place(Held(other), 8));
    EXPECT_EQ(StateOf(buffer.All()).prefetch, node(0));
    ExpectGpuReads(buffer, 0);
    buffer.ExpectIntact();
  }

  // The other's access comes when the pages are on the target.
  void PrefetchThenOther(const OtherCase& other) {
    const MigratedBuffer buffer(8);
    EXPECT_EQ(Set(buffer.All(), {Access(node(0)), NoAccess(node(1)), Prefetch(node(0))}),
              HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(buffer.Where(), "vvvvvvvv");
    EXPECT_EQ(Set(buffer.All(), {other.access(node(1))}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(buffer.Where(), Place(Held(other), 8));
    EXPECT_EQ(StateOf(buffer.All()).prefetch, node(0));
    EXPECT_EQ(Set(buffer.All(), {NoAccess(node(1))}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(buffer.Where(), "vvvvvvvv");
    ExpectGpuReads(buffer, 0);
    buffer.ExpectIntact();
  }
};

}  // namespace

KFD_TEST_CASES_F(Prefetch, OtherGpuThenPrefetch, OtherGpuTest, kOthers,
                 .property =
                     "with XNACK on another GPU's access in place, and no other, keeps a "
                     "prefetch in system memory; the request reads back all the same",
                 .rules = "PRE-7 PRE-13", .guards = "BUG-36", .scope = Scope::kEachGpuPair,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOn) {
  OtherThenPrefetch(param());
}

KFD_TEST_CASES_F(Prefetch, OtherGpuThenPrefetchNoRetry, OtherGpuTest, kOthers,
                 .property =
                     "with XNACK off another GPU's access, in place or not, keeps a "
                     "prefetch in system memory; the request reads back all the same",
                 .rules = "PRE-7 PRE-13", .guards = "BUG-36", .scope = Scope::kEachGpuPair,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  OtherThenPrefetch(param());
}

KFD_TEST_CASES_F(Prefetch, PrefetchThenOtherGpu, OtherGpuTest, kOthers,
                 .property =
                     "another GPU's access that counts brings prefetched pages to system "
                     "memory; taking it away sends them back without a new prefetch",
                 .rules = "PRE-7 PRE-13", .guards = "BUG-62", .scope = Scope::kEachGpuPair,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOn) {
  PrefetchThenOther(param());
}

KFD_TEST_CASES_F(Prefetch, PrefetchThenOtherGpuNoRetry, OtherGpuTest, kOthers,
                 .property =
                     "with XNACK off, too, another GPU's access re-decides the place, and "
                     "so does taking it away",
                 .rules = "PRE-7 PRE-13", .scope = Scope::kEachGpuPair,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  PrefetchThenOther(param());
}

// Golden rule 12.
KFD_TEST_F(Prefetch, PlaceIsDecidedAfterAll, OtherGpuTest,
           .property =
               "the place is decided after all attributes of a call: a prefetch before or "
               "after the accesses ends in the same place",
           .rules = "PRE-7", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  const HSA_SVM_ATTRIBUTE own = Access(node(0));
  const HSA_SVM_ATTRIBUTE other = AccessInPlace(node(1));
  const HSA_SVM_ATTRIBUTE prefetch = Prefetch(node(0));
  for (const auto& order : {std::vector{prefetch, own, other}, std::vector{own, prefetch, other},
                            std::vector{own, other, prefetch}}) {
    const MigratedBuffer buffer(8);
    ASSERT_EQ(Set(buffer.All(), order), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(buffer.Where(), Place(true, 8));
    buffer.ExpectIntact();
  }
}

KFD_TEST_F(Prefetch, TargetNeedsNoAccess, OtherGpuTest,
           .property =
               "a prefetch goes to a GPU that has no access to the range, nor has any other; the "
               "CPU gets it back",
           .rules = "PRE-7", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(8);
  std::vector<HSA_SVM_ATTRIBUTE> none;
  SvmState expected = Defaults().WithPrefetch(node());
  for (const harness::GpuNode& one : system_gpus()) {
    none.push_back(NoAccess(one.node_id));
    expected.access[one.node_id] = HSA_SVM_ATTR_NO_ACCESS;
  }
  EXPECT_EQ(Set(buffer.All(), none), HSAKMT_STATUS_SUCCESS);
  MoveTo(buffer.All(), node());
  EXPECT_EQ(buffer.Where(), "vvvvvvvv");
  EXPECT_EQ(StateOf(buffer.All()), expected);
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, OnlyThePartThatTheOtherMaySee, OtherGpuTest,
           .property = "the other GPU's access to a part of a range holds back that part only",
           .rules = "PRE-7 PRE-13", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(8);
  EXPECT_EQ(Set(buffer.All(), {Access(node(0)), NoAccess(node(1)), Prefetch(node(0))}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Set(buffer.Pages(2, 4), {AccessInPlace(node(1))}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(buffer.Where(), "vv" + Place(true, 4) + "vv");
  EXPECT_EQ(StateOf(buffer.All()).prefetch, node(0));
  ExpectGpuReads(buffer, 2, 4, 1);
  ExpectGpuReads(buffer, 0);
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, BothSeeWhatWasHeldBack, OtherGpuTest,
           .property =
               "what a prefetch left in system memory for another GPU's sake both GPUs "
               "read and write in place",
           .rules = "PRE-7 SVM-17", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(4);
  EXPECT_EQ(Set(buffer.All(), {AccessInPlace(node(0)), AccessInPlace(node(1)), Prefetch(node(0))}),
            HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(buffer.Where(), Place(true, 4));
  GpuWrites(buffer, 1, 0x11112222, 0);
  GpuWrites(buffer, 2, 0x33334444, 1);
  ExpectGpuReads(buffer, 0);
  ExpectGpuReads(buffer, 1);
  EXPECT_EQ(buffer.Where(), Place(true, 4));
  buffer.ExpectIntact();
}

}  // namespace kfdcts::suites
