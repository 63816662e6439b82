// What can be mapped at an offset.
#include "suites/fake_offset/offset_test.h"

namespace kfdcts::suites {

OFFSET_TEST(MappingsAlias, .property = "two mappings of one offset show the same memory",
            .rules = "OFF-5") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file);
  const gpu::FileMapping one(file.get(), buffer.Offset(), buffer.bytes());
  const gpu::FileMapping two(file.get(), buffer.Offset(), buffer.bytes());
  gpu::FillPattern(one.span(), 1);
  EXPECT_EQ(gpu::FirstMismatch(two.span(), 1), buffer.bytes());
  gpu::FillPattern(two.span(), 2);
  EXPECT_EQ(gpu::FirstMismatch(one.span(), 2), buffer.bytes());
}

OFFSET_TEST(ObjectsDoNotAlias, .property = "mappings of two objects show two memories",
            .rules = "OFF-3 OFF-5") {
  const UniqueFd file = Open();
  const Buffer first = Make(file);
  const Buffer second = Make(file);
  const gpu::FileMapping one(file.get(), first.Offset(), first.bytes());
  const gpu::FileMapping two(file.get(), second.Offset(), second.bytes());
  gpu::FillPattern(one.span(), 1);
  gpu::FillPattern(two.span(), 2);
  EXPECT_EQ(gpu::FirstMismatch(one.span(), 1), first.bytes());
  EXPECT_EQ(gpu::FirstMismatch(two.span(), 2), second.bytes());
}

OFFSET_TEST(FirstPagesAlone,
            .property = "the first pages of an object can be mapped alone and are its first pages",
            .rules = "OFF-5") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file, 4);
  const gpu::FileMapping whole(file.get(), buffer.Offset(), buffer.bytes());
  gpu::FillPattern(whole.span(), 7);
  for (std::size_t pages = 1; pages < 4; ++pages) {
    const gpu::FileMapping part(file.get(), buffer.Offset(), pages * PageSize());
    EXPECT_EQ(gpu::FirstMismatch(part.span(), 7), pages * PageSize());
  }
}

OFFSET_TEST(StartInside, .property = "mapping from inside an object is EINVAL, whatever the length",
            .rules = "OFF-5") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file, 4);
  for (std::size_t page = 1; page < 4; ++page) {
    const std::uint64_t inside = buffer.Offset() + page * PageSize();
    EXPECT_EQ(TryMap(file.get(), inside, PageSize()), EINVAL) << page;
    EXPECT_EQ(TryMap(file.get(), inside, (4 - page) * PageSize()), EINVAL) << page;
  }
}

OFFSET_TEST(PastEnd,
            .property = "mapping more than the object is EINVAL, also where another object follows",
            .rules = "OFF-5") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file);
  const Buffer next = Make(file);
  for (const std::size_t more : {std::size_t{1}, std::size_t{3}, std::size_t{1} << 20U}) {
    EXPECT_EQ(TryMap(file.get(), buffer.Offset(), buffer.bytes() + more * PageSize()), EINVAL);
    EXPECT_EQ(TryMap(file.get(), next.Offset(), next.bytes() + more * PageSize()), EINVAL);
  }
}

OFFSET_TEST(NoObjectThere,
            .property =
                "mapping an offset of no object is EINVAL: 0, below 4 GiB, behind all "
                "objects; so is an offset that is not page aligned",
            .rules = "OFF-5 OFF-11") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file);
  const std::uint64_t page = PageSize();
  for (const std::uint64_t offset : {std::uint64_t{0}, page, kFirstOffset - page,
                                     std::uint64_t{1} << 40U, std::uint64_t{1} << 50U}) {
    EXPECT_EQ(TryMap(file.get(), offset, page), EINVAL) << std::hex << offset;
  }
  EXPECT_EQ(TryMap(file.get(), buffer.Offset() - page, page + buffer.bytes()), EINVAL);
  EXPECT_EQ(TryMap(file.get(), buffer.Offset() + 1, page), EINVAL);
  EXPECT_EQ(TryMap(file.get(), buffer.Offset(), page), 0);
}

OFFSET_TEST(PrivateMapping,
            .property = "a private mapping with any access is EINVAL; nothing of it remains",
            .rules = "OFF-5", .guards = "BUG-49") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file);
  for (const int protection : {PROT_READ, PROT_WRITE, PROT_READ | PROT_WRITE}) {
    EXPECT_EQ(TryMap(file.get(), buffer.Offset(), buffer.bytes(), protection, MAP_PRIVATE), EINVAL)
        << protection;
  }
  EXPECT_EQ(TryMap(file.get(), buffer.Offset(), buffer.bytes()), 0);
}

OFFSET_TEST(SharedProtections,
            .property =
                "a shared mapping may be without access, read-only, or write-only; access "
                "can be added later",
            .rules = "OFF-5") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file);
  for (const int protection : {PROT_NONE, PROT_READ, PROT_WRITE}) {
    EXPECT_EQ(TryMap(file.get(), buffer.Offset(), buffer.bytes(), protection), 0) << protection;
  }
  void* const map = mmap(nullptr, buffer.bytes(), PROT_NONE, MAP_SHARED, file.get(),
                         static_cast<off_t>(buffer.Offset()));
  ASSERT_NE(map, MAP_FAILED);
  EXPECT_EQ(mprotect(map, buffer.bytes(), PROT_READ | PROT_WRITE), 0);
  const std::span<std::byte> memory(static_cast<std::byte*>(map), buffer.bytes());
  gpu::FillPattern(memory, 3);
  EXPECT_EQ(gpu::FirstMismatch(memory, 3), buffer.bytes());
  munmap(map, buffer.bytes());
}

}  // namespace kfdcts::suites
