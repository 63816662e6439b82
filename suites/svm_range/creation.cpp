// A set over memory without a range makes one.
#include <sys/mman.h>

#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

struct NothingCase {
  std::string_view name;
  std::vector<HSA_SVM_ATTRIBUTE> (*attributes)();
};

// What changes nothing of the defaults, in either XNACK mode.
const NothingCase kNothings[] = {
    {"no_attributes", [] { return std::vector<HSA_SVM_ATTRIBUTE>{}; }},
    {"set_no_flag", [] { return std::vector{SetFlags(0)}; }},
    {"clear_no_flag", [] { return std::vector{ClearFlags(0)}; }},
    {"set_set_flag", [] { return std::vector{SetFlags(HSA_SVM_FLAG_COHERENT)}; }},
    {"clear_clear_flag", [] { return std::vector{ClearFlags(HSA_SVM_FLAG_GPU_RO)}; }},
    {"default_granularity", [] { return std::vector{Granularity(9)}; }},
    {"undefined_preferred", [] { return std::vector{Preferred(INVALID_NODEID)}; }},
};

constexpr HSAuint32 kOwn = 12;  ///< A granularity that no default has.

}  // namespace

// Golden rule 1: a hole is not part of the answer as soon as one range is.
KFD_TEST_F(SVMRange, HolesAreLeftOut, SvmTest,
           .property =
               "pages without a range take no part in the answer as soon as one page of "
               "the interval has one",
           .rules = "SVM-7 SVM-10", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(8);
  ASSERT_EQ(Set(memory.Pages(3), {Granularity(kOwn), Preferred(cpu_node())}),
            HSAKMT_STATUS_SUCCESS);
  const SvmState own = Defaults().WithGranularity(kOwn).WithPreferred(cpu_node());
  EXPECT_EQ(StateOf(memory.All()), own);
  EXPECT_EQ(StateOf(memory.Pages(0, 4)), own);
  EXPECT_EQ(StateOf(memory.Pages(3, 5)), own);
  EXPECT_EQ(StateOf(memory.Pages(0, 3)), Defaults());
  EXPECT_EQ(StateOf(memory.Pages(4, 4)), Defaults());
}

KFD_TEST_CASES_F(SVMRange, NothingSetMakesARange, SvmTest, kNothings,
                 .property =
                     "a set that changes nothing, or has no attributes, makes a range with "
                     "the defaults, which then takes part in answers",
                 .rules = "SVM-5 SVM-10", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(4);
  ASSERT_EQ(Set(memory.Pages(0, 2), {Granularity(kOwn)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(StateOf(memory.All()), Defaults().WithGranularity(kOwn));
  ASSERT_EQ(Set(memory.Pages(2, 2), param().attributes()), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.Pages(2, 2)), Defaults());
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithGranularity(9));
}

KFD_TEST_F(SVMRange, EveryAttributeOfANewRange, SvmTest,
           .property = "a new range has what its set says and defaults in everything else",
           .rules = "SVM-5", .needs = {Capability::kSvm}) {
  const SvmMemory memory(7);
  const HSAuint32 node = gpu().node_id;
  ASSERT_EQ(Set(memory.Pages(0), {Preferred(node)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(1), {Prefetch(cpu_node())}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(2), {Access(node)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(3), {AccessInPlace(node)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(4), {NoAccess(node)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(5), {SetFlags(HSA_SVM_FLAG_GPU_EXEC)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(6), {Granularity(3)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.Pages(0)), Defaults().WithPreferred(node));
  EXPECT_EQ(StateOf(memory.Pages(1)), Defaults().WithPrefetch(cpu_node()));
  EXPECT_EQ(StateOf(memory.Pages(2)), Defaults().WithAccess(node, HSA_SVM_ATTR_ACCESS));
  EXPECT_EQ(StateOf(memory.Pages(3)), Defaults().WithAccess(node, HSA_SVM_ATTR_ACCESS_IN_PLACE));
  EXPECT_EQ(StateOf(memory.Pages(4)), Defaults().WithAccess(node, HSA_SVM_ATTR_NO_ACCESS));
  EXPECT_EQ(StateOf(memory.Pages(5)), Defaults().WithFlags(0x3 | HSA_SVM_FLAG_GPU_EXEC));
  EXPECT_EQ(StateOf(memory.Pages(6)), Defaults().WithGranularity(3));
}

KFD_TEST_F(SVMRange, RangesAndHolesAreCovered, SvmTest,
           .property =
               "a set over several ranges and holes reaches every page of its interval and "
               "no page beside it",
           .rules = "SVM-5", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(12);
  ASSERT_EQ(Set(memory.Pages(2, 2), {Granularity(2)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(5, 1), {Granularity(3)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(8, 3), {Granularity(4)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(1, 9), {Granularity(6)}), HSAKMT_STATUS_SUCCESS);
  for (std::size_t page = 1; page < 10; ++page) {
    EXPECT_EQ(StateOf(memory.Pages(page)), Defaults().WithGranularity(6)) << page;
  }
  EXPECT_EQ(StateOf(memory.Pages(0)), Defaults());
  EXPECT_EQ(StateOf(memory.Pages(10)), Defaults().WithGranularity(4));
  EXPECT_EQ(StateOf(memory.Pages(11)), Defaults());
}

KFD_TEST_F(SVMRange, MappingsSideBySide, SvmTest,
           .property = "a set may reach over several mappings that lie side by side",
           .rules = "SVM-3 SVM-5", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(6);
  // Rights of its own make the middle a mapping of its own.
  ASSERT_EQ(mprotect(memory.Word(2), 2 * PageSize(), PROT_READ), 0);
  ASSERT_EQ(Set(memory.Pages(1, 4), {Granularity(4)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.Pages(1, 4)), Defaults().WithGranularity(4));
  EXPECT_EQ(StateOf(memory.Pages(0)), Defaults());
  EXPECT_EQ(StateOf(memory.Pages(5)), Defaults());
}

KFD_TEST_F(SVMRange, UnmappedPageChangesNothing, SvmTest,
           .property =
               "one unmapped page makes the whole set fail: no range is made or changed, "
               "and asking about the interval fails as well",
           .rules = "SVM-3 SVM-2", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  SvmMemory memory(6);
  const auto pages = memory.All();
  ASSERT_EQ(Set(memory.Pages(0, 2), {Granularity(4)}), HSAKMT_STATUS_SUCCESS);
  memory.Unmap(3, 1);
  EXPECT_EQ(Set(pages, {Granularity(6)}), HSAKMT_STATUS_ERROR);
  std::vector<HSA_SVM_ATTRIBUTE> asked{Granularity(33)};
  EXPECT_EQ(Get(pages, asked), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(asked[0].value, 33U);
  EXPECT_EQ(StateOf(memory.Pages(0, 2)), Defaults().WithGranularity(4));
  EXPECT_EQ(StateOf(memory.Pages(2)), Defaults());
  EXPECT_EQ(StateOf(memory.Pages(4, 2)), Defaults());
}

}  // namespace kfdcts::suites
