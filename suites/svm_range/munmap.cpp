// munmap of a range, and of pieces of it.
#include <sys/mman.h>

#include "suites/support/done.h"
#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 16;

struct Piece {
  std::string_view name;
  std::size_t first;
  std::size_t count;
};

constexpr Piece kPieces[] = {
    {"first_page", 0, 1}, {"last_page", 15, 1},          {"head", 0, 5},          {"tail", 11, 5},
    {"middle", 6, 4},     {"all_but_middle_page", 0, 7}, {"all_but_last", 0, 15},
};

class MunmapTest : public SvmTest {
 protected:
  /// What MapAnew's memory and the range around it had.
  SvmState Own() const {
    return Defaults()
        .WithAccess(gpu().node_id, HSA_SVM_ATTR_ACCESS_IN_PLACE)
        .WithGranularity(4)
        .WithPreferred(cpu_node());
  }

  void MakeRange(std::span<std::byte> pages) const {
    ASSERT_EQ(Set(pages, {AccessInPlace(gpu().node_id), Granularity(4), Preferred(cpu_node())}),
              HSAKMT_STATUS_SUCCESS);
  }
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, MunmapTakesJustThatPart, MunmapTest, kPieces,
                 .property =
                     "munmap of part of a range ends the range there; the rest keeps its "
                     "attributes and what is mapped anew at that place has the defaults",
                 .rules = "SVM-14", .needs = {Capability::kSvm}) {
  const SvmMemory memory(kPages);
  memory.FillPattern(0x14);
  MakeRange(memory.All());
  MapAnew(memory.Pages(param().first, param().count));
  for (std::size_t page = 0; page < kPages; ++page) {
    const bool gone = page >= param().first && page < param().first + param().count;
    EXPECT_EQ(StateOf(memory.Pages(page)), gone ? Defaults() : Own()) << "page " << page;
    if (!gone) memory.ExpectPattern(0x14, page, 1);
  }
}

KFD_TEST_F(SVMRange, MunmapOfAll, MunmapTest,
           .property =
               "munmap of a whole range ends it: memory mapped anew at its place has the "
               "defaults",
           .rules = "SVM-14", .needs = {Capability::kSvm}) {
  const SvmMemory memory(kPages);
  memory.FillPattern(0x14);
  MakeRange(memory.All());
  MapAnew(memory.All());
  EXPECT_EQ(StateOf(memory.All()), Defaults());
}

KFD_TEST_F(SVMRange, MunmapOverSeveralRanges, MunmapTest,
           .property =
               "munmap over the end of one range, a whole one, a hole and the beginning of "
               "a last one ends just what it covers",
           .rules = "SVM-14", .needs = {Capability::kSvm}) {
  const SvmMemory memory(kPages);
  MakeRange(memory.Pages(0, 4));
  MakeRange(memory.Pages(4, 3));
  MakeRange(memory.Pages(9, 7));
  MapAnew(memory.Pages(2, 10));
  EXPECT_EQ(StateOf(memory.Pages(0, 2)), Own());
  EXPECT_EQ(StateOf(memory.Pages(2, 10)), Defaults());
  EXPECT_EQ(StateOf(memory.Pages(12, 4)), Own());
}

KFD_TEST_F(SVMRange, MunmapInPieces, MunmapTest,
           .property =
               "munmap of one page after another, from the middle outwards, leaves the "
               "attributes of what is still there each time",
           .rules = "SVM-14", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(kPages);
  MakeRange(memory.All());
  for (std::size_t step = 0; step < kPages / 2; ++step) {
    const std::size_t low = kPages / 2 - 1 - step;
    MapAnew(memory.Pages(low));
    MapAnew(memory.Pages(kPages / 2 + step));
    EXPECT_EQ(StateOf(memory.Pages(low, 2 * step + 2)), Defaults()) << step;
    if (low == 0) break;
    EXPECT_EQ(StateOf(memory.Pages(0, low)), Own()) << step;
    EXPECT_EQ(StateOf(memory.Pages(kPages / 2 + step + 1, low)), Own()) << step;
  }
}

KFD_TEST_F(SVMRange, MunmapOfVram, MunmapTest,
           .property =
               "munmap of part of a range that is in VRAM leaves the rest there with its "
               "contents, for GPU and CPU, and gives no old data to new memory",
           .rules = "SVM-14 SVM-17", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const SvmMemory memory(kPages);
  memory.FillPattern(0x77);
  ASSERT_EQ(Set(memory.All(), {Access(gpu().node_id), Prefetch(gpu().node_id)}),
            HSAKMT_STATUS_SUCCESS);
  MapAnew(memory.Pages(5, 3));
  EXPECT_EQ(Residency(memory.All()), "vvvvv...vvvvvvvv");
  EXPECT_EQ(StateOf(memory.Pages(8, 8)).prefetch, gpu().node_id);
  std::uint32_t seen = 1;
  ASSERT_EQ(Set(memory.Pages(5, 3), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_TRUE(Done(Work().Read(memory.Word(6), seen)));
  EXPECT_EQ(seen, 0U);
  memory.ExpectPattern(0x77, 0, 5);
  memory.ExpectPattern(0x77, 8, 8);
}

KFD_TEST_F(SVMRange, MunmapThenSetAtOnce, MunmapTest,
           .property =
               "a set right after munmap and mmap of the same place, many times, has "
               "nothing of the old range",
           .rules = "SVM-14", .needs = {Capability::kSvm}) {
  const SvmMemory memory(4);
  for (HSAuint32 round = 0; round < 50; ++round) {
    ASSERT_EQ(Set(memory.All(), {Granularity(round % 60), Preferred(gpu().node_id)}),
              HSAKMT_STATUS_SUCCESS);
    MapAnew(memory.All());
    ASSERT_EQ(Set(memory.Pages(0, 2), {SetFlags(HSA_SVM_FLAG_GPU_EXEC)}), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(StateOf(memory.Pages(0, 2)), Defaults().WithFlags(0x3 | HSA_SVM_FLAG_GPU_EXEC));
    ASSERT_EQ(StateOf(memory.Pages(2, 2)), Defaults());
    MapAnew(memory.All());
  }
}

}  // namespace kfdcts::suites
