// How long an object keeps its offset, and what becomes of the offset then.
#include "suites/fake_offset/offset_test.h"

namespace kfdcts::suites {

OFFSET_TEST(DmaBufKeepsOffset,
            .property =
                "with all handles closed a dma-buf keeps object and offset: the files get "
                "EACCES, no new object gets the offset, and an import has it again",
            .rules = "OFF-7 OFF-8") {
  const UniqueFd file = Open();
  UniqueFd dma_buf;
  std::uint64_t offset = 0;
  {
    const Buffer buffer = Make(file);
    offset = buffer.Offset();
    dma_buf = Exported(file.get(), buffer.handle());
  }
  EXPECT_EQ(TryMap(file.get(), offset, 3 * PageSize()), EACCES);
  const Buffer next = Make(file);
  EXPECT_NE(next.Offset(), offset);
  const Handle imported = Handle::Of(file.get(), dma_buf);
  std::uint64_t same = 0;
  EXPECT_EQ(source().Ask(file.get(), imported.get(), &same), 0);
  EXPECT_EQ(same, offset);
  EXPECT_EQ(TryMap(file.get(), offset, 3 * PageSize()), 0);
}

OFFSET_TEST(DmaBufMapsWithoutHandles,
            .property =
                "with all handles closed the dma-buf itself can be mapped and shows what "
                "was written before",
            .rules = "OFF-7") {
  const UniqueFd file = Open();
  UniqueFd dma_buf;
  {
    const Buffer buffer = Make(file);
    dma_buf = Exported(file.get(), buffer.handle());
    const gpu::FileMapping mapping(file.get(), buffer.Offset(), buffer.bytes());
    gpu::FillPattern(mapping.span(), 9);
  }
  const gpu::FileMapping mapping(dma_buf.get(), 0, 3 * PageSize());
  EXPECT_EQ(gpu::FirstMismatch(mapping.span(), 9), 3 * PageSize());
}

OFFSET_TEST(MappingKeepsOffset,
            .property =
                "with the only handle closed a mapping keeps object and offset: no new "
                "object gets the offset or the memory, and mapping again is refused",
            .rules = "OFF-7 OFF-8") {
  const UniqueFd file = Open();
  Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  const gpu::FileMapping mapping(file.get(), offset, buffer.bytes());
  gpu::FillPattern(mapping.span(), 11);
  ASSERT_EQ(buffer.Close(), 0);
  EXPECT_NE(TryMap(file.get(), offset, buffer.bytes()), 0);
  const Buffer next = Make(file);
  EXPECT_NE(next.Offset(), offset);
  const gpu::FileMapping other(file.get(), next.Offset(), next.bytes());
  gpu::FillPattern(other.span(), 12);
  EXPECT_EQ(gpu::FirstMismatch(mapping.span(), 11), buffer.bytes());
}

OFFSET_TEST(MappingAloneIsRefused,
            .property =
                "mapping an object that only a mapping keeps is EACCES, since the object "
                "is there and the handle is not",
            .rules = "OFF-7") {
  const UniqueFd file = Open();
  Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  const gpu::FileMapping mapping(file.get(), offset, buffer.bytes());
  ASSERT_EQ(buffer.Close(), 0);
  EXPECT_EQ(TryMap(file.get(), offset, buffer.bytes()), EACCES);
}

OFFSET_TEST(PartOfMappingKeepsOffset,
            .property =
                "a mapping of which only one page is left keeps the whole offset; without "
                "that page it is free",
            .rules = "OFF-7 OFF-8") {
  const UniqueFd file = Open();
  Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  void* const map = mmap(nullptr, buffer.bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                         static_cast<off_t>(offset));
  ASSERT_NE(map, MAP_FAILED);
  ASSERT_EQ(buffer.Close(), 0);
  auto* const middle = static_cast<std::byte*>(map) + PageSize();
  munmap(map, PageSize());
  munmap(middle + PageSize(), PageSize());
  EXPECT_FALSE(IsFree(file, offset));
  munmap(middle, PageSize());
  EXPECT_EQ(TryMap(file.get(), offset, buffer.bytes()), EINVAL);
  EXPECT_TRUE(IsFree(file, offset));
}

OFFSET_TEST(FreedOffset,
            .property =
                "when the last handle goes the offset is of no object (EINVAL), and the "
                "next object of that size gets it",
            .rules = "OFF-8") {
  const UniqueFd file = Open();
  const Buffer neighbour = Make(file);
  Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  ASSERT_EQ(buffer.Close(), 0);
  EXPECT_EQ(TryMap(file.get(), offset, buffer.bytes()), EINVAL);
  const Buffer next = Make(file);
  EXPECT_EQ(next.Offset(), offset);
  EXPECT_EQ(TryMap(file.get(), offset, next.bytes()), 0);
}

OFFSET_TEST(LastReferenceFrees,
            .property =
                "handle, dma-buf and mapping each keep the offset, in whichever order they "
                "go; with the last of them it is free",
            .rules = "OFF-7 OFF-8") {
  const UniqueFd file = Open();
  for (int last = 0; last < 3; ++last) {
    Buffer buffer = Make(file);
    const std::uint64_t offset = buffer.Offset();
    UniqueFd dma_buf = Exported(file.get(), buffer.handle());
    auto mapping = std::make_unique<gpu::FileMapping>(file.get(), offset, buffer.bytes());
    if (last != 0) buffer.Close();
    if (last != 1) dma_buf.Close();
    if (last != 2) mapping.reset();
    EXPECT_FALSE(IsFree(file, offset)) << last;
    EXPECT_EQ(TryMap(file.get(), offset, buffer.bytes()) == 0, last == 0) << last;
    if (last == 0) buffer.Close();
    if (last == 1) dma_buf.Close();
    if (last == 2) mapping.reset();
    EXPECT_EQ(TryMap(file.get(), offset, buffer.bytes()), EINVAL) << last;
    EXPECT_TRUE(IsFree(file, offset)) << last;
  }
}

OFFSET_TEST(ClosedFile, .property = "closing the file that has the last handle frees the offset",
            .rules = "OFF-7 OFF-8") {
  const UniqueFd file = Open();
  UniqueFd last = Open();
  const UniqueFd watcher = Open();
  Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  std::uint32_t handle = 0;
  ASSERT_EQ(Import(last.get(), Exported(file.get(), buffer.handle()).get(), &handle), 0);
  ASSERT_EQ(buffer.Close(), 0);
  EXPECT_EQ(TryMap(last.get(), offset, buffer.bytes()), 0);
  EXPECT_EQ(TryMap(watcher.get(), offset, buffer.bytes()), EACCES);
  last.Close();
  EXPECT_EQ(TryMap(watcher.get(), offset, buffer.bytes()), EINVAL);
}

OFFSET_TEST(MappingKeepsClosedFile,
            .property =
                "a mapping keeps the file that it was made by, with all its handles, after "
                "the descriptor was closed",
            .rules = "OFF-7 OFF-8") {
  const UniqueFd file = Open();
  UniqueFd closed = Open();
  const UniqueFd watcher = Open();
  Buffer mapped = Make(file);
  Buffer bystander = Make(file);
  const std::uint64_t offset = bystander.Offset();
  std::uint32_t handle = 0;
  for (const Buffer* buffer : {&mapped, &bystander}) {
    ASSERT_EQ(Import(closed.get(), Exported(file.get(), buffer->handle()).get(), &handle), 0);
  }
  auto mapping = std::make_unique<gpu::FileMapping>(closed.get(), mapped.Offset(), mapped.bytes());
  closed.Close();
  ASSERT_EQ(mapped.Close(), 0);
  ASSERT_EQ(bystander.Close(), 0);
  EXPECT_EQ(TryMap(watcher.get(), offset, bystander.bytes()), EACCES);
  mapping.reset();
  EXPECT_EQ(TryMap(watcher.get(), offset, bystander.bytes()), EINVAL);
}

}  // namespace kfdcts::suites
