// Which sets split a range, by how many ranges the kernel keeps afterwards.
#include <sys/mman.h>

#include <deque>

#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 16;
constexpr HSAuint32 kExec = HSA_SVM_FLAG_GPU_EXEC;

struct SetCase {
  std::string_view name;
  std::vector<HSA_SVM_ATTRIBUTE> (*attributes)(HSAuint32 node);
};

// On a range that has what CountTest::MakeRange gives it.
const SetCase kSame[] = {
    {"no_attributes", [](HSAuint32) { return std::vector<HSA_SVM_ATTRIBUTE>{}; }},
    {"preferred", [](HSAuint32) { return std::vector{Preferred(0)}; }},
    {"in_place", [](HSAuint32 node) { return std::vector{AccessInPlace(node)}; }},
    {"set_flag", [](HSAuint32) { return std::vector{SetFlags(kExec)}; }},
    {"set_no_flag", [](HSAuint32) { return std::vector{SetFlags(0)}; }},
    {"clear_flag", [](HSAuint32) { return std::vector{ClearFlags(HSA_SVM_FLAG_GPU_RO)}; }},
    {"granularity", [](HSAuint32) { return std::vector{Granularity(63)}; }},
    {"everything",
     [](HSAuint32 node) {
       return std::vector{Preferred(0), AccessInPlace(node), SetFlags(kExec), Granularity(63)};
     }},
};

const SetCase kDifferent[] = {
    {"preferred", [](HSAuint32 node) { return std::vector{Preferred(node)}; }},
    {"preferred_undefined", [](HSAuint32) { return std::vector{Preferred(INVALID_NODEID)}; }},
    {"access", [](HSAuint32 node) { return std::vector{Access(node)}; }},
    {"set_flag", [](HSAuint32) { return std::vector{SetFlags(HSA_SVM_FLAG_GPU_READ_MOSTLY)}; }},
    {"one_of_two_flags",
     [](HSAuint32) { return std::vector{SetFlags(kExec | HSA_SVM_FLAG_GPU_READ_MOSTLY)}; }},
    {"clear_flag", [](HSAuint32) { return std::vector{ClearFlags(kExec)}; }},
    {"granularity", [](HSAuint32) { return std::vector{Granularity(5)}; }},
    // Judged before it is clamped to what the range has.
    {"granularity_beyond", [](HSAuint32) { return std::vector{Granularity(64)}; }},
    {"last_of_four",
     [](HSAuint32 node) {
       return std::vector{Preferred(0), AccessInPlace(node), SetFlags(kExec), Granularity(5)};
     }},
    // Judged one by one, so that it does not matter that in the end nothing changes.
    {"there_and_back",
     [](HSAuint32 node) {
       return std::vector{NoAccess(node), AccessInPlace(node)};
     }},
    {"location_there_and_back",
     [](HSAuint32 node) {
       return std::vector{Preferred(node), Preferred(0)};
     }},
    {"prefetch", [](HSAuint32) { return std::vector{Prefetch(0)}; }},
};

struct Part {
  std::string_view name;
  std::size_t first;
  std::size_t count;
  std::size_t more;  ///< Ranges that a split makes.
};

constexpr Part kParts[] = {
    {"first_page", 0, 1, 1}, {"last_page", 15, 1, 1}, {"head", 0, 7, 1},
    {"tail", 9, 7, 1},       {"middle", 4, 8, 2},     {"whole", 0, 16, 0},
};

class CountTest : public SvmTest {
 protected:
  /// One range over touched memory that the GPU has mapped, in either XNACK mode.
  void MakeRange(const SvmMemory& memory) const {
    memory.FillPattern(0x0C);
    const std::size_t before = RangeCount();
    ASSERT_EQ(Set(memory.All(),
                  {Preferred(0), AccessInPlace(gpu().node_id), SetFlags(kExec), Granularity(63)}),
              HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(RangeCount(), before + 1);
  }

  /// By how many ranges a set makes them more.
  std::ptrdiff_t More(std::span<std::byte> pages, std::vector<HSA_SVM_ATTRIBUTE> attributes) const {
    const std::size_t before = RangeCount();
    EXPECT_EQ(Set(pages, std::move(attributes)), HSAKMT_STATUS_SUCCESS);
    return static_cast<std::ptrdiff_t>(RangeCount()) - static_cast<std::ptrdiff_t>(before);
  }
};

}  // namespace

KFD_TEST_F(SVMRange, EachNewMappingIsOneRange, CountTest,
           .property = "a set over new memory makes one range of it, wherever the memory lies",
           .rules = "SVM-5", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}) {
  // Side by side they reach past several of the addresses where ranges are cut.
  constexpr std::size_t kMappings = 600;
  std::deque<SvmMemory> mappings;
  for (std::size_t i = 0; i < kMappings; ++i) {
    const SvmMemory& memory = mappings.emplace_back(kPages);
    ASSERT_EQ(More(memory.All(), {Granularity(5)}), 1) << static_cast<void*>(memory.All().data());
  }
}

KFD_TEST_CASES_F(SVMRange, SameAttributesDoNotSplit, CountTest, kSame,
                 .property =
                     "setting what a mapped range already has on a part of it splits "
                     "nothing",
                 .rules = "SVM-6", .guards = "BUG-35",
                 .needs = {Capability::kSvm, Capability::kRangeCount}) {
  const SvmMemory memory(kPages);
  MakeRange(memory);
  EXPECT_EQ(More(memory.Pages(4, 8), param().attributes(gpu().node_id)), 0);
}

KFD_TEST_CASES_F(SVMRange, OtherAttributesSplit, CountTest, kDifferent,
                 .property =
                     "setting what a range has not, judged attribute by attribute and "
                     "before any is applied, on its middle makes three ranges of it",
                 .rules = "SVM-6 SVM-5", .guards = "BUG-35",
                 .needs = {Capability::kSvm, Capability::kRangeCount}) {
  const SvmMemory memory(kPages);
  MakeRange(memory);
  EXPECT_EQ(More(memory.Pages(4, 8), param().attributes(gpu().node_id)), 2);
}

KFD_TEST_CASES_F(SVMRange, SplitMakesAsManyRanges, CountTest, kParts,
                 .property =
                     "a set on the head or tail of a range makes two of it, on the middle "
                     "three, on the whole none more",
                 .rules = "SVM-5 SVM-6", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kRangeCount}) {
  const SvmMemory memory(kPages);
  MakeRange(memory);
  const auto part = memory.Pages(param().first, param().count);
  EXPECT_EQ(More(part, {Granularity(5)}), static_cast<std::ptrdiff_t>(param().more));
}

KFD_TEST_CASES_F(SVMRange, PrefetchAgainSplits, CountTest, kParts,
                 .property =
                     "a prefetch always counts as a change: repeated on a part of a range "
                     "it splits, on the whole it does not",
                 .rules = "SVM-6", .needs = {Capability::kSvm, Capability::kRangeCount}) {
  const SvmMemory memory(kPages);
  MakeRange(memory);
  ASSERT_EQ(Set(memory.All(), {Prefetch(cpu_node())}), HSAKMT_STATUS_SUCCESS);
  const auto part = memory.Pages(param().first, param().count);
  EXPECT_EQ(More(part, {Prefetch(cpu_node())}), static_cast<std::ptrdiff_t>(param().more));
  EXPECT_EQ(StateOf(memory.All()).prefetch, cpu_node());
}

KFD_TEST_F(SVMRange, ClampedGranularityIsNeverTheSame, CountTest,
           .property = "a granularity beyond 63 is stored as 63 but differs from it at each repeat",
           .rules = "SVM-6 SVM-10", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}) {
  const SvmMemory memory(kPages);
  MakeRange(memory);
  EXPECT_EQ(More(memory.Pages(0, 8), {Granularity(64)}), 1);
  EXPECT_EQ(More(memory.Pages(0, 4), {Granularity(64)}), 1);
  EXPECT_EQ(More(memory.Pages(0, 2), {Granularity(63)}), 0);
}

KFD_TEST_F(SVMRange, NothingIsMergedBack, CountTest,
           .property =
               "ranges stay apart when they are equal again, neighbours from the beginning "
               "as well as those once split",
           .rules = "SVM-6", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}) {
  const SvmMemory memory(kPages + 4);
  MakeRange(memory);
  EXPECT_EQ(More(memory.Pages(4, 8), {Granularity(5)}), 2);
  EXPECT_EQ(More(memory.Pages(4, 8), {Granularity(63)}), 0);
  EXPECT_EQ(More(memory.All(), {SetFlags(HSA_SVM_FLAG_GPU_READ_MOSTLY)}), 0);
  EXPECT_EQ(More(memory.All(), {Preferred(cpu_node())}), 0);
}

// Golden rule 16.
KFD_TEST_F(SVMRange, OnlyWhatDiffersIsSplit, CountTest,
           .property = "of several ranges that a set overlaps only those that differ are split",
           .rules = "SVM-6", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}) {
  const SvmMemory memory(24);
  MakeRange(memory);
  ASSERT_EQ(Set(memory.Pages(0, 8), {Granularity(5)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(16, 8), {Granularity(7)}), HSAKMT_STATUS_SUCCESS);
  // Of the first range's end, which is the same, and the last one's beginning, which is not.
  EXPECT_EQ(More(memory.Pages(4, 16), {Granularity(5)}), 1);
}

// Kernels differ: older ones leave the range whole, newer ones let only mapped ranges be the same.
KFD_TEST_F(SVMRange, SameOnAnUnmappedRange, CountTest,
           .property =
               "setting what a range has that no GPU maps changes no attribute, and makes "
               "either none or two ranges more",
           .rules = "SVM-6", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}) {
  const SvmMemory memory(kPages);
  ASSERT_EQ(Set(memory.All(), {Granularity(5)}), HSAKMT_STATUS_SUCCESS);
  const std::ptrdiff_t more = More(memory.Pages(4, 8), {Granularity(5)});
  EXPECT_TRUE(more == 0 || more == 2) << more;
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithGranularity(5));
}

KFD_TEST_F(SVMRange, RefusedSetMakesNoRange, CountTest,
           .property = "a set that is refused makes no range and splits none",
           .rules = "SVM-2 SVM-3", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}) {
  SvmMemory memory(kPages);
  MakeRange(memory);
  const auto pages = memory.All();
  const std::size_t before = RangeCount();
  EXPECT_NE(Set(memory.Pages(4, 8), {Granularity(5), {8, 0}}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(RangeCount(), before);
  memory.Unmap(12, 1);
  const std::size_t holed = RangeCount();
  EXPECT_EQ(Set(pages, {Granularity(6)}), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(RangeCount(), holed);
}

KFD_TEST_F(SVMRange, AskingMakesNoRange, SvmTest,
           .property =
               "asking makes no range: what is asked before and after says the same, and "
               "the kernel keeps no more ranges",
           .rules = "SVM-4", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}) {
  const SvmMemory memory(4);
  const std::size_t before = RangeCount();
  EXPECT_EQ(StateOf(memory.All()), Defaults());
  EXPECT_EQ(StateOf(memory.Pages(1, 2)), Defaults());
  EXPECT_EQ(RangeCount(), before);
}

KFD_TEST_F(SVMRange, MunmappedPagesAreNoRange, CountTest,
           .property = "munmap takes ranges away and makes one more where it cuts out a middle",
           .rules = "SVM-14", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}) {
  const SvmMemory memory(kPages);
  MakeRange(memory);
  const SvmState own = StateOf(memory.All());
  const std::size_t one = RangeCount();
  MapAnew(memory.Pages(6, 4));
  EXPECT_EQ(StateOf(memory.Pages(0, 6)), own);  // flushes what the kernel put off
  EXPECT_EQ(RangeCount(), one + 1);
  MapAnew(memory.Pages(0, 6));
  EXPECT_EQ(StateOf(memory.Pages(0, 10)), Defaults());
  EXPECT_EQ(RangeCount(), one);
  MapAnew(memory.Pages(0, kPages));
  EXPECT_EQ(StateOf(memory.All()), Defaults());
  EXPECT_EQ(RangeCount(), one - 1);
}

}  // namespace kfdcts::suites
