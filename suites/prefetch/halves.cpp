// What an interval says of which only a part was prefetched.
#include <algorithm>

#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

/// 'v' are the pages that are prefetched, run by run.
struct PartCase {
  std::string_view name;
  std::string_view mask;
};
constexpr PartCase kParts[] = {
    {"first_1_of_8", "vmmmmmmm"}, {"first_2_of_8", "vvmmmmmm"},     {"first_3_of_8", "vvvmmmmm"},
    {"first_4_of_8", "vvvvmmmm"}, {"first_5_of_8", "vvvvvmmm"},     {"first_6_of_8", "vvvvvvmm"},
    {"first_7_of_8", "vvvvvvvm"}, {"last_1_of_8", "mmmmmmmv"},      {"last_2_of_8", "mmmmmmvv"},
    {"last_3_of_8", "mmmmmvvv"},  {"last_4_of_8", "mmmmvvvv"},      {"last_5_of_8", "mmmvvvvv"},
    {"last_6_of_8", "mmvvvvvv"},  {"last_7_of_8", "mvvvvvvv"},      {"middle_page", "mmmmvmmm"},
    {"middle_half", "mmvvvvmm"},  {"all_but_edges", "mvvvvvvm"},    {"two_pieces", "vvmmmvvm"},
    {"edges", "vmmmmmmv"},        {"every_other_page", "vmvmvmvm"}, {"three_pieces", "mvmvvmmv"},
};

class PartTest : public PrefetchTest {
 protected:
  void PrefetchPieces(const MigratedBuffer& buffer, std::string_view mask) {
    for (const Piece& piece : PiecesOf(mask, 'v')) {
      MoveTo(buffer.Pages(piece.first, piece.count), node());
    }
  }

  void ExpectPieces(const MigratedBuffer& buffer, std::string_view mask, char letter,
                    const SvmState& state) {
    for (const Piece& piece : PiecesOf(mask, letter)) {
      EXPECT_EQ(StateOf(buffer.Pages(piece.first, piece.count)), state)
          << piece.count << " pages from " << piece.first;
    }
  }

  void PartOfRange(std::string_view mask) {
    const MigratedBuffer buffer(mask.size());
    Allow(buffer.All(), {node()});
    const SvmState before = StateOf(buffer.All());
    ASSERT_EQ(before.prefetch, INVALID_NODEID);
    PrefetchPieces(buffer, mask);
    EXPECT_EQ(StateOf(buffer.All()), before);
    ExpectPieces(buffer, mask, 'v', before.WithPrefetch(node()));
    ExpectPieces(buffer, mask, 'm', before);
    EXPECT_EQ(buffer.Where(), mask);
    ExpectGpuReads(buffer);
    buffer.ExpectIntact();
  }

  void PartOfFreshMemory(std::string_view mask) {
    const MigratedBuffer buffer(mask.size());
    PrefetchPieces(buffer, mask);
    const SvmState prefetched = Defaults().WithPrefetch(node());
    EXPECT_EQ(StateOf(buffer.All()), prefetched);
    ExpectPieces(buffer, mask, 'v', prefetched);
    ExpectPieces(buffer, mask, 'm', Defaults());
    EXPECT_EQ(buffer.Where(), mask);
    buffer.ExpectIntact();
  }
};

}  // namespace

KFD_TEST_F(Prefetch, HalfOf16KiBWhoseRangeExists, PrefetchTest,
           .property =
               "prefetching half of a 16 KiB buffer whose range exists: 0xFFFFFFFF for the "
               "whole, the GPU for that half, 0xFFFFFFFF for the other",
           .rules = "PRE-3 SVM-7", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const std::size_t pages = std::max<std::size_t>(16 * 1024 / PageSize(), 2);
  const std::size_t half = pages / 2;
  const MigratedBuffer buffer(pages);
  Allow(buffer.All(), {node()});
  MoveTo(buffer.Pages(0, half), node());
  std::vector<HSA_SVM_ATTRIBUTE> whole{Prefetch(0)}, first{Prefetch(0)}, second{Prefetch(0)};
  ASSERT_EQ(Get(buffer.All(), whole), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Get(buffer.Pages(0, half), first), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Get(buffer.Pages(half, half), second), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(whole[0].value, 0xFFFFFFFFU);
  EXPECT_EQ(first[0].value, node());
  EXPECT_EQ(second[0].value, 0xFFFFFFFFU);
  EXPECT_EQ(buffer.Where(), InVram(half) + InSystemMemory(half));
  buffer.ExpectIntact();
}

KFD_TEST_CASES_F(Prefetch, PartOfRange, PartTest, kParts,
                 .property =
                     "after a prefetch of a part of a range the whole says undefined, the "
                     "part the GPU, the rest undefined; exactly the part moved",
                 .rules = "PRE-3 PRE-2 SVM-7", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOn) {
  PartOfRange(param().mask);
}

KFD_TEST_CASES_F(Prefetch, PartOfRangeNoRetry, PartTest, kParts,
                 .property = "with XNACK off, too, a prefetch of a part of a range is the part's",
                 .rules = "PRE-3 PRE-2 SVM-7", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  PartOfRange(param().mask);
}

KFD_TEST_CASES_F(Prefetch, PartOfFreshMemory, PartTest, kParts,
                 .property =
                     "after a prefetch of a part of memory without a range the whole says "
                     "the GPU, and the rest the defaults",
                 .rules = "PRE-3 PRE-2 SVM-7", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOn) {
  PartOfFreshMemory(param().mask);
}

KFD_TEST_CASES_F(Prefetch, PartOfFreshMemoryNoRetry, PartTest, kParts,
                 .property = "with XNACK off, too, holes are left out of what the whole says",
                 .rules = "PRE-3 PRE-2 SVM-7", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  PartOfFreshMemory(param().mask);
}

KFD_TEST_CASES_F(Prefetch, TheRestMakesItAgree, PartTest, kParts,
                 .property = "prefetching the rest, too, makes the whole agree",
                 .rules = "PRE-4 SVM-7", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(param().mask.size());
  Allow(buffer.All(), {node()});
  PrefetchPieces(buffer, param().mask);
  for (const Piece& piece : PiecesOf(param().mask, 'm')) {
    EXPECT_EQ(StateOf(buffer.All()).prefetch, INVALID_NODEID);
    MoveTo(buffer.Pages(piece.first, piece.count), node());
  }
  EXPECT_EQ(StateOf(buffer.All()), DefaultsWithAccess({node()}).WithPrefetch(node()));
  EXPECT_EQ(buffer.Where(), InVram(param().mask.size()));
  ExpectGpuReads(buffer);
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, HalvesOnTwoGpus, PrefetchTest,
           .property = "two halves on two GPUs: undefined for the whole, each half its own",
           .rules = "PRE-4 SVM-7", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(8);
  const std::uint64_t first_in = PagesIn(0), second_in = PagesIn(1);
  MoveTo(buffer.Pages(0, 4), node(0));
  MoveTo(buffer.Pages(4, 4), node(1));
  EXPECT_EQ(StateOf(buffer.All()), Defaults());
  EXPECT_EQ(StateOf(buffer.Pages(0, 4)), Defaults().WithPrefetch(node(0)));
  EXPECT_EQ(StateOf(buffer.Pages(4, 4)), Defaults().WithPrefetch(node(1)));
  EXPECT_EQ(buffer.Where(), "vvvvvvvv");
  EXPECT_EQ(PagesIn(0) - first_in, 4U);
  EXPECT_EQ(PagesIn(1) - second_in, 4U);
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, HalfOnTheCpu, PrefetchTest,
           .property =
               "one half on a GPU and one prefetched to the CPU's node: undefined for the "
               "whole; so with one half never prefetched",
           .rules = "PRE-4 SVM-7", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(8);
  Allow(buffer.All(), {node()});
  MoveTo(buffer.Pages(0, 4), cpu_node());
  EXPECT_EQ(StateOf(buffer.All()).prefetch, INVALID_NODEID);
  MoveTo(buffer.Pages(4, 4), node());
  EXPECT_EQ(StateOf(buffer.All()).prefetch, INVALID_NODEID);
  EXPECT_EQ(StateOf(buffer.Pages(0, 4)).prefetch, cpu_node());
  EXPECT_EQ(StateOf(buffer.Pages(4, 4)).prefetch, node());
  EXPECT_EQ(buffer.Where(), "mmmmvvvv");
  buffer.ExpectIntact();
}

}  // namespace kfdcts::suites
