#include "harness/gpu/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <utility>
#include <vector>

#include "harness/gpu/pagemap.h"
#include "harness/gpu/wait.h"

namespace kfdcts::gpu {
namespace {

TEST(Pattern, FitsItselfOnly) {
  std::vector<std::byte> memory(1003);
  FillPattern(memory, 1);
  EXPECT_EQ(FirstMismatch(memory, 1), memory.size());
  EXPECT_LT(FirstMismatch(memory, 2), 4U);
}

TEST(Pattern, MismatchIsFoundToTheByte) {
  std::vector<std::byte> memory(1003);
  FillPattern(memory, 7);
  for (const std::size_t offset : {std::size_t{0}, std::size_t{513}, std::size_t{1002}}) {
    memory[offset] ^= std::byte{1};
    EXPECT_EQ(FirstMismatch(memory, 7), offset);
    memory[offset] ^= std::byte{1};
  }
}

TEST(HostMemory, SmallIsPageAligned) {
  const HostMemory memory(HostMemory::Kind::kAnonymous, 100);
  EXPECT_EQ(memory.bytes(), kPageBytes);
  EXPECT_EQ(memory.address() % kPageBytes, 0U);
}

TEST(HostMemory, LargeIsHugePageAlignedAndLeavesNothing) {
  std::byte* start = nullptr;
  {
    const HostMemory memory(HostMemory::Kind::kAnonymous, 3 * kHugePageBytes);
    start = memory.data();
    EXPECT_EQ(memory.address() % kHugePageBytes, 0U);
    EXPECT_EQ(CountPages(memory.span()), (PageCounts{.present = 0, .swapped = 0, .absent = 1536}));
  }
  EXPECT_EQ(msync(start, kPageBytes, MS_ASYNC), -1);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(HostMemory, MovesOwnership) {
  HostMemory first(HostMemory::Kind::kAnonymous, kPageBytes);
  std::byte* const data = first.data();
  const HostMemory second = std::move(first);
  EXPECT_EQ(second.data(), data);
  second.data()[0] = std::byte{1};
}

TEST(Pagemap, TouchedPagesArePresent) {
  const HostMemory memory(HostMemory::Kind::kAnonymous, 4 * kPageBytes);
  memory.data()[0] = std::byte{1};
  memory.data()[2 * kPageBytes] = std::byte{1};
  EXPECT_EQ(CountPages(memory.span()), (PageCounts{.present = 2, .swapped = 0, .absent = 2}));
  EXPECT_EQ(PageLetters(memory.span()), "m.m.");
}

TEST(Pagemap, SwapEntryIsNotPresent) {
  PageCounts counts;
  CountEntry(1ULL << 62, counts);
  CountEntry(1ULL << 63, counts);
  CountEntry(0, counts);
  EXPECT_EQ(counts, (PageCounts{.present = 1, .swapped = 1, .absent = 1}));
}

TEST(Wait, EndsAtTheDeadline) {
  EXPECT_FALSE(WaitUntil([] { return false; }, Deadline(std::chrono::milliseconds(5))));
}

TEST(Wait, LooksOnceMoreAtTheDeadline) {
  int looks = 0;
  EXPECT_TRUE(WaitUntil([&] { return ++looks == 2; }, Deadline(std::chrono::milliseconds(0))));
}

}  // namespace
}  // namespace kfdcts::gpu
