// Sizes around the number of pages that the driver copies in one go. The driver's own migration is
// no change that it answers by taking the pages back.
#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

struct BatchCase {
  std::string_view name;
  std::size_t pages;
  std::size_t skipped;  ///< Pages before the first that is prefetched.
};
constexpr BatchCase kBatches[] = {
    {"1_page", 1, 0},
    {"2_pages", 2, 0},
    {"16_pages", 16, 0},
    {"255_pages", 255, 0},
    {"256_pages", 256, 0},
    {"257_pages", 257, 0},
    {"511_pages", 511, 0},
    {"512_pages", 512, 0},
    {"513_pages", 513, 0},
    {"1025_pages", 1025, 0},
    {"3000_pages", 3000, 0},
    {"256_pages_from_the_second", 256, 1},
    {"511_pages_from_the_fourth", 511, 3},
    {"512_pages_from_the_second", 512, 1},
    {"513_pages_from_the_256th", 513, 255},
    {"1024_pages_from_the_512th", 1024, 511},
};

class BatchTest : public PrefetchTest {
 protected:
  void Batch(const BatchCase& one) {
    const MigratedBuffer buffer(one.skipped + one.pages + 1);
    const auto pages = buffer.Pages(one.skipped, one.pages);
    const std::uint64_t in = PagesIn(), out = PagesOut();
    EXPECT_EQ(Set(pages, {Access(node()), Prefetch(node())}), HSAKMT_STATUS_SUCCESS);
    const std::string moved = InSystemMemory(one.skipped) + InVram(one.pages) + "m";
    EXPECT_EQ(buffer.Where(), moved);
    // Work of the GPU ends after whatever the migration set off.
    ExpectGpuReads(buffer, one.skipped, one.pages);
    EXPECT_EQ(buffer.Where(), moved);
    MoveTo(pages, node());
    ExpectGpuReads(buffer, one.skipped, one.pages);
    EXPECT_EQ(buffer.Where(), moved);
    EXPECT_EQ(PagesIn() - in, one.pages) << "moved twice";
    MoveTo(pages, cpu_node());
    EXPECT_EQ(buffer.Where(), InSystemMemory(buffer.page_count()));
    EXPECT_EQ(PagesOut() - out, one.pages);
    buffer.ExpectIntact();
  }
};

}  // namespace

KFD_TEST_CASES_F(Prefetch, AroundTheBatch, BatchTest, kBatches,
                 .property =
                     "any number of pages moves, and exactly these, with their contents, and stays "
                     "when the GPU used them and after a second prefetch",
                 .rules = "PRE-8 PRE-1 SVM-16", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOn) {
  Batch(param());
}

KFD_TEST_CASES_F(Prefetch, AroundTheBatchNoRetry, BatchTest, kBatches,
                 .property = "with XNACK off, too, any number of pages moves, and stays",
                 .rules = "PRE-8 PRE-1 SVM-16", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  Batch(param());
}

// The holes end the runs that are copied in one go.
KFD_TEST_F(Prefetch, RunsOfEveryLength, PrefetchTest,
           .property =
               "pages that the CPU took back between others go again, whatever lies "
               "between them",
           .rules = "PRE-8 PRE-5", .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(528);
  EXPECT_EQ(Set(buffer.All(), {Access(node()), Granularity(0), Prefetch(node())}),
            HSAKMT_STATUS_SUCCESS);
  std::string where = InVram(528);
  for (std::size_t page = 0, step = 1; page < 528; page += step++) {
    buffer.Write(page, static_cast<std::uint32_t>(0x70000000U + page));
    where[page] = 'm';
  }
  ASSERT_EQ(buffer.Where(), where);
  ExpectGpuReads(buffer);
  MoveTo(buffer.All(), node());
  EXPECT_EQ(buffer.Where(), InVram(528));
  ExpectGpuReads(buffer);
  MoveTo(buffer.All(), cpu_node());
  buffer.ExpectIntact();
}

}  // namespace kfdcts::suites
