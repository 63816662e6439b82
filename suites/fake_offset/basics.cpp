// What an offset is, and when it is there.
#include <algorithm>
#include <iterator>
#include <list>
#include <random>

#include "harness/probes/proc_maps.h"
#include "suites/fake_offset/offset_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kSizes[] = {1, 2, 3, 16, 257};  // pages

/// Where an object's pages lie among the offsets.
struct Interval {
  std::uint64_t begin;
  std::uint64_t end;
};

}  // namespace

OFFSET_TEST(OffsetIsPageAligned,
            .property = "an object's offset is page aligned and at or above 4 GiB",
            .rules = "OFF-1") {
  const UniqueFd file = Open();
  for (const std::size_t pages : kSizes) {
    const Buffer buffer = Make(file, pages);
    EXPECT_EQ(buffer.Offset() % PageSize(), 0U) << pages;
    EXPECT_GE(buffer.Offset(), kFirstOffset) << pages;
  }
}

OFFSET_TEST(OffsetStays,
            .property =
                "an object's offset is the same before it is mapped, while, and after, and "
                "when it is exported",
            .rules = "OFF-2") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  EXPECT_EQ(buffer.Offset(), offset);
  {
    const gpu::FileMapping mapping(file.get(), offset, buffer.bytes());
    gpu::FillPattern(mapping.span(), 1);
    EXPECT_EQ(buffer.Offset(), offset);
  }
  EXPECT_EQ(buffer.Offset(), offset);
  const UniqueFd dma_buf = Exported(file.get(), buffer.handle());
  EXPECT_EQ(buffer.Offset(), offset);
}

OFFSET_TEST(OffsetIsThereBeforeAsked,
            .property =
                "a new object can be mapped at an offset that nobody asked for: it is there "
                "from creation",
            .rules = "OFF-2 OFF-8") {
  const UniqueFd file = Open();
  std::uint64_t freed = 0;
  {
    const Buffer before = Make(file);
    freed = before.Offset();
  }
  ASSERT_EQ(TryMap(file.get(), freed, 3 * PageSize()), EINVAL);
  const Buffer buffer = Make(file);  // gets the offset that is free again
  EXPECT_EQ(TryMap(file.get(), freed, buffer.bytes()), 0);
  EXPECT_EQ(buffer.Offset(), freed);
}

OFFSET_TEST(IntervalsDisjoint,
            .property = "the offsets of live objects, each as long as its object, never overlap",
            .rules = "OFF-3") {
  const UniqueFd file = Open();
  std::mt19937 random(Seed());
  std::list<Buffer> buffers;
  std::vector<Interval> intervals;
  for (int i = 0; i < 60; ++i) {
    if (i % 4 == 3) {
      buffers.erase(std::next(buffers.begin(), static_cast<int>(random() % buffers.size())));
    }
    buffers.push_back(Make(file, 1 + random() % 9));
  }
  for (const Buffer& buffer : buffers) {
    intervals.push_back({buffer.Offset(), buffer.Offset() + buffer.bytes()});
  }
  std::ranges::sort(intervals, {}, &Interval::begin);
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    EXPECT_GE(intervals[i].begin, intervals[i - 1].end) << "seed " << Seed();
  }
}

OFFSET_TEST(SizeIsRoundedUp,
            .property =
                "an object that ends inside a page has that whole page among the offsets, "
                "and no more",
            .rules = "OFF-3 OFF-5") {
  if (!source().TakesPartialPages()) {
    throw harness::CapabilityMissing("partial-pages", "the source makes whole pages only");
  }
  const UniqueFd file = Open();
  const Buffer buffer(source(), file, 2 * PageSize() + 64);
  const Buffer next(source(), file, 64);
  const std::uint64_t offset = buffer.Offset();
  EXPECT_EQ(TryMap(file.get(), offset, 3 * PageSize()), 0);
  EXPECT_EQ(TryMap(file.get(), offset, 4 * PageSize()), EINVAL);
  EXPECT_TRUE(next.Offset() >= offset + 3 * PageSize() || next.Offset() < offset);
  EXPECT_EQ(TryMap(file.get(), next.Offset(), PageSize()), 0);
  EXPECT_EQ(TryMap(file.get(), next.Offset(), 2 * PageSize()), EINVAL);
}

OFFSET_TEST(AskingMapsNothing, .property = "asking for the offset leaves no mapping",
            .rules = "OFF-4") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file);
  const auto before = harness::ReadMaps();
  const std::uint64_t offset = buffer.Offset();
  const auto fresh = harness::NewRegions(before, harness::ReadMaps());
  EXPECT_TRUE(std::ranges::none_of(fresh, [](const auto& region) {
    return region.name.starts_with("/dev/");
  })) << offset;
}

OFFSET_TEST(MappingReachesObject,
            .property =
                "what is written through one mapping is read through the next one and "
                "through the dma-buf, after the first is gone",
            .rules = "OFF-4") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file);
  {
    const gpu::FileMapping first(file.get(), buffer.Offset(), buffer.bytes());
    gpu::FillPattern(first.span(), Seed());
  }
  const gpu::FileMapping second(file.get(), buffer.Offset(), buffer.bytes());
  EXPECT_EQ(gpu::FirstMismatch(second.span(), Seed()), buffer.bytes());
  const UniqueFd dma_buf = Exported(file.get(), buffer.handle());
  const gpu::FileMapping third(dma_buf.get(), 0, buffer.bytes());
  EXPECT_EQ(gpu::FirstMismatch(third.span(), Seed()), buffer.bytes());
}

}  // namespace kfdcts::suites
