// Where a set sends the data: the remembered prefetch location, and who else may reach it.
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 8;
const std::string kInVram(kPages, 'v');
const std::string kInSystem(kPages, 'm');

struct OtherCase {
  std::string_view name;
  HSA_SVM_ATTR_TYPE other;  ///< What the second GPU may do.
  bool stays;               ///< Whether the data may be on the first one, without a hive.
};

constexpr OtherCase kWithRetry[] = {
    {"access", HSA_SVM_ATTR_ACCESS, true},
    {"in_place", HSA_SVM_ATTR_ACCESS_IN_PLACE, false},
    {"no_access", HSA_SVM_ATTR_NO_ACCESS, true},
};
constexpr OtherCase kWithoutRetry[] = {
    {"access", HSA_SVM_ATTR_ACCESS, false},
    {"in_place", HSA_SVM_ATTR_ACCESS_IN_PLACE, false},
    {"no_access", HSA_SVM_ATTR_NO_ACCESS, true},
};

class PlacementTest : public SharingTest {
 protected:
  bool InOneHive() const { return Has(Capability::kHive); }

  void CheckOther(const OtherCase& one) {
    const SvmMemory memory(kPages);
    memory.FillPattern(1);
    ASSERT_EQ(Set(memory.All(),
                  {Access(gpu(0).node_id), {one.other, gpu(1).node_id}, Prefetch(gpu(0).node_id)}),
              HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Residency(memory.All()), one.stays || InOneHive() ? kInVram : kInSystem);
    // What was asked for reads back, wherever it ended.
    EXPECT_EQ(StateOf(memory.All()).prefetch, gpu(0).node_id);
    memory.ExpectPattern(1);
  }
};

}  // namespace

// Golden rules 22 and 4.
KFD_TEST_CASES_F(SVMRange, OthersDecideThePlaceWithRetry, PlacementTest, kWithRetry,
                 .property =
                     "with XNACK on only another GPU's access in place keeps a prefetch in "
                     "system memory, where no hive joins the two; the location reads back "
                     "as asked",
                 .rules = "PRE-7 PRE-13", .guards = "BUG-36", .scope = Scope::kEachGpuPair,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = harness::Xnack::kOn) {
  CheckOther(param());
}

KFD_TEST_CASES_F(SVMRange, OthersDecideThePlaceWithoutRetry, PlacementTest, kWithoutRetry,
                 .property =
                     "with XNACK off any access of another GPU keeps a prefetch in system "
                     "memory, where no hive joins the two; the location reads back as asked",
                 .rules = "PRE-7 PRE-13", .guards = "BUG-36", .scope = Scope::kEachGpuPair,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = harness::Xnack::kOff) {
  CheckOther(param());
}

// Golden rule 12.
KFD_TEST_F(SVMRange, PlaceIsDecidedAfterAll, PlacementTest,
           .property =
               "the place is decided after all attributes of a call: a prefetch before or "
               "after the accesses ends in the same place",
           .rules = "PRE-7", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  const HSA_SVM_ATTRIBUTE own = Access(gpu(0).node_id);
  const HSA_SVM_ATTRIBUTE other = AccessInPlace(gpu(1).node_id);
  const HSA_SVM_ATTRIBUTE prefetch = Prefetch(gpu(0).node_id);
  const std::string expected = InOneHive() ? kInVram : kInSystem;
  for (const auto& order : {std::vector{prefetch, own, other}, std::vector{own, prefetch, other},
                            std::vector{own, other, prefetch}}) {
    const SvmMemory memory(kPages);
    memory.FillPattern(1);
    ASSERT_EQ(Set(memory.All(), order), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Residency(memory.All()), expected);
  }
}

// Golden rule 21.
KFD_TEST_F(SVMRange, PrefetchIsRemembered, PlacementTest,
           .property =
               "with XNACK off a second GPU's access brings prefetched data to system "
               "memory, and taking it away sends the data to the first GPU again",
           .rules = "PRE-13 PRE-7", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = harness::Xnack::kOff) {
  if (InOneHive()) throw harness::CapabilityMissing("no-hive", "one hive joins the test's GPUs");
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {Access(gpu(0).node_id), Prefetch(gpu(0).node_id)}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Residency(memory.All()), kInVram);
  ASSERT_EQ(Set(memory.All(), {Access(gpu(1).node_id)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Residency(memory.All()), kInSystem);
  ASSERT_EQ(Set(memory.All(), {NoAccess(gpu(1).node_id)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Residency(memory.All()), kInVram);
  memory.ExpectPattern(1);
}

// Golden rule 21, its last sentence.
KFD_TEST_F(SVMRange, AnyChangePrefetchesAgain, PlacementTest,
           .property =
               "data that the CPU brought back goes to the remembered GPU again with the "
               "next set that changes the range, whatever it changes, and not with one "
               "that changes nothing",
           .rules = "PRE-13 SVM-6", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {Access(gpu().node_id), Prefetch(gpu().node_id), Granularity(4)}),
            HSAKMT_STATUS_SUCCESS);
  ExpectGpuSees(memory, 1);
  EXPECT_EQ(Residency(memory.All()), kInVram);
  memory.ExpectPattern(1);
  EXPECT_EQ(Residency(memory.All()), kInSystem);
  ExpectGpuSees(memory, 1);  // maps the range again
  memory.ExpectPattern(1);
  ASSERT_EQ(Set(memory.All(), {Granularity(5)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Residency(memory.All()), kInVram);
  memory.ExpectPattern(1);
}

// Golden rule 23.
KFD_TEST_F(SVMRange, PreferredAloneMovesNothing, PlacementTest,
           .property = "the preferred location alone moves nothing, to the GPU or back",
           .rules = "PRE-13", .guards = "BUG-36",
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {Access(gpu().node_id), Preferred(gpu().node_id)}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Residency(memory.All()), kInSystem);
  ASSERT_EQ(Set(memory.All(), {Prefetch(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Residency(memory.All()), kInVram);
  ASSERT_EQ(Set(memory.All(), {Preferred(cpu_node())}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Residency(memory.All()), kInVram);
}

// Golden rule 22, its last sentence.
KFD_TEST_F(SVMRange, TargetNeedsNoAccess, PlacementTest,
           .property = "a prefetch moves data to a GPU without access, and the CPU gets it back",
           .rules = "PRE-7", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  std::vector<HSA_SVM_ATTRIBUTE> attributes{Prefetch(gpu().node_id)};
  for (const harness::GpuNode& node : system_gpus()) attributes.push_back(NoAccess(node.node_id));
  ASSERT_EQ(Set(memory.All(), attributes), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Residency(memory.All()), kInVram);
  memory.ExpectPattern(1);
}

}  // namespace kfdcts::suites
