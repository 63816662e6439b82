// Transparent huge pages.
#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

/// A part of 4 MiB of huge pages, in pages of 4 KiB.
struct HugeCase {
  std::string_view name;
  Piece part;
};
constexpr HugeCase kHugeParts[] = {
    {"all", {0, 1024}},
    {"first_huge_page", {0, 512}},
    {"second_huge_page", {512, 512}},
    {"one_page_inside", {300, 1}},
    {"first_page", {0, 1}},
    {"last_page", {1023, 1}},
    {"across_the_border", {500, 24}},
    {"unaligned_most", {3, 1000}},
    {"aligned_16_pages", {256, 16}},
};

/// The same and others around the border between the two huge pages.
constexpr HugeCase kSplits[] = {
    {"all", {0, 1024}},
    {"first_huge_page", {0, 512}},
    {"second_huge_page", {512, 512}},
    {"one_page_inside", {300, 1}},
    {"first_page", {0, 1}},
    {"last_page", {1023, 1}},
    {"page_before_border", {511, 1}},
    {"page_after_border", {512, 1}},
    {"both_at_the_border", {511, 2}},
    {"across_the_border", {500, 24}},
    {"inside_first", {412, 30}},
    {"inside_second", {519, 100}},
    {"second_but_its_ends", {513, 510}},
    {"unaligned_most", {3, 1000}},
    {"aligned_16_pages", {256, 16}},
};

class HugeTest : public PrefetchTest {
 protected:
  static constexpr std::size_t kPages = 1024;

  void Moves(Piece part) {
    const MigratedBuffer buffer(kPages, SvmMemory::Kind::kHuge);
    Allow(buffer.All(), {node()});
    MoveTo(buffer.Pages(part.first, part.count), node());
    const std::size_t rest = part.first + part.count;
    EXPECT_EQ(buffer.Where(),
              InSystemMemory(part.first) + InVram(part.count) + InSystemMemory(kPages - rest));
    ExpectGpuReads(buffer);
    MoveTo(buffer.All(), cpu_node());
    EXPECT_EQ(buffer.Where(), InSystemMemory(kPages));
    buffer.ExpectIntact();
  }

  // Everything is mapped on the GPU, `place` being where it is, when a part gets other attributes.
  void Splits(Piece part, HSAuint32 place) {
    MigratedBuffer buffer(kPages, SvmMemory::Kind::kHuge);
    Allow(buffer.All(), {node()});
    MoveTo(buffer.All(), place);
    ExpectGpuReads(buffer);
    EXPECT_EQ(Set(buffer.Pages(part.first, part.count), {SetFlags(HSA_SVM_FLAG_GPU_EXEC)}),
              HSAKMT_STATUS_SUCCESS);
    ExpectGpuReads(buffer);
    if (HasFailure()) return;  // after a fault the queues do nothing more
    for (std::size_t page = 0; page < kPages; page += 93) {
      GpuWrites(buffer, page, static_cast<std::uint32_t>(0x44000000U + page));
    }
    MoveTo(buffer.Pages(part.first, part.count), cpu_node());
    ExpectGpuReads(buffer);
    buffer.ExpectIntact();
  }
};

}  // namespace

KFD_TEST_CASES_F(Prefetch, HugePages, HugeTest, kHugeParts,
                 .property = "any part of huge pages moves, exactly that part, with its contents",
                 .rules = "PRE-12 PRE-3 PRE-8", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOn) {
  Moves(param().part);
}

KFD_TEST_CASES_F(Prefetch, HugePagesNoRetry, HugeTest, kHugeParts,
                 .property = "with XNACK off, too, any part of huge pages moves",
                 .rules = "PRE-12 PRE-3 PRE-8", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  Moves(param().part);
}

KFD_TEST_CASES_F(Prefetch, HugePagesSplitInSystemMemory, HugeTest, kSplits,
                 .property =
                     "a change of attributes of a part of mapped huge pages leaves the GPU "
                     "its access to all of them",
                 .rules = "PRE-12 SVM-5 SVM-15 SVM-17", .guards = "BUG-31 BUG-61",
                 .scope = Scope::kFirstGpu, .needs = {Capability::kSvm, Capability::kPagemap},
                 .process = Process::kFresh, .xnack = Xnack::kOff) {
  Splits(param().part, cpu_node());
}

KFD_TEST_CASES_F(Prefetch, HugePagesSplitOnTheGpu, HugeTest, kSplits,
                 .property =
                     "a change of attributes of a part of what is mapped in large pieces in "
                     "a GPU's memory leaves the GPU its access to all of it",
                 .rules = "PRE-12 SVM-5 SVM-15 SVM-17", .guards = "BUG-31 BUG-61",
                 .scope = Scope::kFirstGpu, .needs = {Capability::kSvm, Capability::kPagemap},
                 .process = Process::kFresh, .xnack = Xnack::kOff) {
  Splits(param().part, node());
}

KFD_TEST_CASES_F(Prefetch, HugePagesSplitInSystemMemoryWithRetry, HugeTest, kSplits,
                 .property =
                     "with XNACK on, too, a change of attributes of a part of mapped huge pages "
                     "leaves the GPU its access to all",
                 .rules = "PRE-12 SVM-5 SVM-15 SVM-17", .guards = "BUG-31",
                 .scope = Scope::kFirstGpu, .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOn) {
  Splits(param().part, cpu_node());
}

KFD_TEST_CASES_F(Prefetch, HugePagesSplitWithRetry, HugeTest, kSplits,
                 .property =
                     "with XNACK on, too, a change of attributes of a part leaves the GPU "
                     "its access to all",
                 .rules = "PRE-12 SVM-5 SVM-15 SVM-17", .guards = "BUG-31",
                 .scope = Scope::kFirstGpu, .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOn) {
  Splits(param().part, node());
}

}  // namespace kfdcts::suites
