// What the CPU's access to pages on a GPU brings back.
#include "suites/prefetch/prefetch_test.h"
#include "suites/support/threads.h"

namespace kfdcts::suites {
namespace {

/// A range of `count` pages from `first` in a buffer of 16 pages that begins at a multiple of 16.
struct WindowCase {
  std::string_view name;
  HSAuint32 granularity;
  std::size_t touched;
  Piece range;
  std::string_view after;  ///< Residency of the 16 pages.
};
constexpr WindowCase kWindows[] = {
    {"granularity_0", 0, 5, {0, 16}, "vvvvvmvvvvvvvvvv"},
    {"granularity_0_first_page", 0, 0, {0, 16}, "mvvvvvvvvvvvvvvv"},
    {"granularity_0_last_page", 0, 15, {0, 16}, "vvvvvvvvvvvvvvvm"},
    {"granularity_1_even_page", 1, 6, {0, 16}, "vvvvvvmmvvvvvvvv"},
    {"granularity_1_odd_page", 1, 7, {0, 16}, "vvvvvvmmvvvvvvvv"},
    {"granularity_2", 2, 9, {0, 16}, "vvvvvvvvmmmmvvvv"},
    {"granularity_3_first_window", 3, 7, {0, 16}, "mmmmmmmmvvvvvvvv"},
    {"granularity_3_second_window", 3, 8, {0, 16}, "vvvvvvvvmmmmmmmm"},
    {"granularity_4", 4, 3, {0, 16}, "mmmmmmmmmmmmmmmm"},
    {"granularity_9_is_larger_than_the_range", 9, 3, {0, 16}, "mmmmmmmmmmmmmmmm"},
    {"granularity_63_is_the_largest", 63, 3, {0, 16}, "mmmmmmmmmmmmmmmm"},
    {"clipped_by_the_range_s_start", 3, 6, {3, 13}, "mmmmmmmmvvvvvvvv"},
    {"clipped_by_the_range_s_end", 2, 8, {0, 10}, "vvvvvvvvmmmmmmmm"},
    {"clipped_at_both_ends", 3, 10, {9, 3}, "mmmmmmmmmmmmmmmm"},
};

enum class Touch { kRead, kWrite };
struct TouchCase {
  std::string_view name;
  Touch touch;
};
constexpr TouchCase kTouches[] = {{"read", Touch::kRead}, {"write", Touch::kWrite}};

class TouchTest : public PrefetchTest {
 protected:
  // Pages [first, first + count) as a range of that granularity on the GPU.
  void OnGpu(const MigratedBuffer& buffer, Piece range, HSAuint32 granularity) {
    const auto pages = buffer.Pages(range.first, range.count);
    EXPECT_EQ(Set(pages, {Access(node()), Granularity(granularity), Prefetch(node())}),
              HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(Residency(pages), InVram(range.count));
  }

  void Window(const WindowCase& one) {
    const MigratedBuffer buffer(one.after.size());
    OnGpu(buffer, one.range, one.granularity);
    const SvmState before = StateOf(buffer.Pages(one.range.first, one.range.count));
    EXPECT_EQ(gpu::LoadAcquire(buffer.Word(one.touched)), buffer.ExpectedWord(one.touched));
    EXPECT_EQ(buffer.Where(), one.after);
    EXPECT_EQ(StateOf(buffer.Pages(one.range.first, one.range.count)), before);
    ExpectGpuReads(buffer, one.range.first, one.range.count);
    buffer.ExpectIntact();
  }
};

}  // namespace

KFD_TEST_CASES_F(Prefetch, CpuTouchWindow, TouchTest, kWindows,
                 .property =
                     "the CPU's access to a page on a GPU brings back the aligned window of "
                     "2^granularity pages around it, clipped by the range",
                 .rules = "PRE-5 PRE-6", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOn) {
  Window(param());
}

KFD_TEST_CASES_F(Prefetch, CpuTouchWindowNoRetry, TouchTest, kWindows,
                 .property = "with XNACK off, too, the CPU's access brings back the window",
                 .rules = "PRE-5 PRE-6", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  Window(param());
}

KFD_TEST_F(Prefetch, CpuTouchWindowClippedByTheMapping, TouchTest,
           .property = "the window ends where the mapping does", .rules = "PRE-5 SVM-14",
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(16);
  OnGpu(buffer, {0, 16}, 3);
  buffer.Unmap(6, 3);
  EXPECT_EQ(gpu::LoadAcquire(buffer.Word(4)), buffer.ExpectedWord(4));
  EXPECT_EQ(buffer.Where(0, 6), "mmmmmm");
  EXPECT_EQ(buffer.Where(9, 7), "vvvvvvv");
  EXPECT_EQ(gpu::LoadAcquire(buffer.Word(9)), buffer.ExpectedWord(9));
  EXPECT_EQ(buffer.Where(9, 7), "mmmmmmm");
  buffer.ExpectIntact(0, 6);
  buffer.ExpectIntact(9, 7);
}

KFD_TEST_CASES_F(Prefetch, CpuTouchSeesTheGpu, TouchTest, kTouches,
                 .property =
                     "what the GPU wrote to its memory is what the CPU's access finds, and "
                     "a GPU finds what the CPU left",
                 .rules = "PRE-5 SVM-17", .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(4);
  OnGpu(buffer, {0, 4}, 0);
  for (std::size_t page = 0; page < 4; ++page) {
    GpuWrites(buffer, page, 0xABCD0000U + static_cast<std::uint32_t>(page));
  }
  if (param().touch == Touch::kWrite) buffer.Write(2, 0x12345678);
  EXPECT_EQ(gpu::LoadAcquire(buffer.Word(2)), buffer.ExpectedWord(2));
  EXPECT_EQ(buffer.Where(), "vvmv");
  ExpectGpuReads(buffer);
  buffer.ExpectIntact();
}

KFD_TEST_F(
    Prefetch, CpuTouchWindowByWindow, TouchTest,
    .property = "touch by touch the pages of a range come back, and go again with a prefetch",
    .rules = "PRE-5 PRE-1", .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(16);
  OnGpu(buffer, {0, 16}, 2);
  for (std::uint32_t round = 0; round < 2; ++round) {
    buffer.Write(13, 0x50000000U + round);
    EXPECT_EQ(buffer.Where(), "vvvvvvvvvvvvmmmm");
    buffer.Write(2, 0x60000000U + round);
    EXPECT_EQ(buffer.Where(), "mmmmvvvvvvvvmmmm");
    MoveTo(buffer.All(), node());
    EXPECT_EQ(buffer.Where(), InVram(16));
    ExpectGpuReads(buffer);
  }
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, OneTouchForManyThreads, TouchTest,
           .property =
               "threads that touch a page on the GPU at the same time all see its contents, "
               "and it comes back once",
           .rules = "PRE-5", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(64);
  OnGpu(buffer, {0, 64}, 0);
  const std::uint64_t out = PagesOut();
  InThreads(4, [&](int) {
    for (std::size_t page = 0; page < buffer.page_count(); ++page) {
      EXPECT_EQ(gpu::LoadAcquire(buffer.Word(page)), buffer.ExpectedWord(page)) << page;
    }
  });
  EXPECT_EQ(buffer.Where(), InSystemMemory(64));
  EXPECT_EQ(PagesOut() - out, 64U);
  buffer.ExpectIntact();
}

}  // namespace kfdcts::suites
