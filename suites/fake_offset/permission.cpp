// Who may use an offset.
#include "suites/fake_offset/offset_test.h"

namespace kfdcts::suites {

OFFSET_TEST(OtherFile,
            .property =
                "an open file that has no handle of the object gets EACCES at the right "
                "offset, for every length that would be good",
            .rules = "OFF-6") {
  const UniqueFd file = Open();
  const UniqueFd other = Open();
  const Buffer buffer = Make(file);
  EXPECT_EQ(TryMap(other.get(), buffer.Offset(), buffer.bytes()), EACCES);
  EXPECT_EQ(TryMap(other.get(), buffer.Offset(), PageSize()), EACCES);
  EXPECT_EQ(TryMap(other.get(), buffer.Offset(), buffer.bytes(), PROT_NONE), EACCES);
  EXPECT_EQ(TryMap(other.get(), buffer.Offset(), buffer.bytes() + PageSize()), EINVAL);
  EXPECT_EQ(TryMap(file.get(), buffer.Offset(), buffer.bytes()), 0);
}

OFFSET_TEST(OtherNode,
            .property = "the device's other node, card or render, gets EACCES at the right offset",
            .rules = "OFF-6") {
  const UniqueFd file = Open();
  const UniqueFd other = source().OpenOther();
  const Buffer buffer = Make(file);
  EXPECT_EQ(TryMap(other.get(), buffer.Offset(), buffer.bytes()), EACCES);
  const Handle imported = Handle::Of(other.get(), Exported(file.get(), buffer.handle()));
  EXPECT_EQ(TryMap(other.get(), buffer.Offset(), buffer.bytes()), 0);
}

OFFSET_TEST(HandleOfAnotherObject,
            .property = "a handle of one object is no permission for another", .rules = "OFF-6") {
  const UniqueFd file = Open();
  const UniqueFd other = Open();
  const Buffer shared = Make(file);
  const Buffer secret = Make(file);
  const Handle imported = Handle::Of(other.get(), Exported(file.get(), shared.handle()));
  EXPECT_EQ(TryMap(other.get(), shared.Offset(), shared.bytes()), 0);
  EXPECT_EQ(TryMap(other.get(), secret.Offset(), secret.bytes()), EACCES);
}

OFFSET_TEST(ImportPermits,
            .property =
                "after a PRIME import a file maps the object at the offset that it has in "
                "the first file",
            .rules = "OFF-6 OFF-7") {
  const UniqueFd file = Open();
  const UniqueFd other = Open();
  const Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  const Handle imported = Handle::Of(other.get(), Exported(file.get(), buffer.handle()));
  std::uint64_t same = 0;
  EXPECT_EQ(source().Ask(other.get(), imported.get(), &same), 0);
  EXPECT_EQ(same, offset);
  const gpu::FileMapping one(file.get(), offset, buffer.bytes());
  const gpu::FileMapping two(other.get(), offset, buffer.bytes());
  gpu::FillPattern(one.span(), 5);
  EXPECT_EQ(gpu::FirstMismatch(two.span(), 5), buffer.bytes());
}

OFFSET_TEST(CloseRevokes,
            .property =
                "closing the handle takes the permission from that file and from no other; "
                "the offset stays",
            .rules = "OFF-7") {
  const UniqueFd file = Open();
  const UniqueFd other = Open();
  Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  const Handle imported = Handle::Of(other.get(), Exported(file.get(), buffer.handle()));
  ASSERT_EQ(buffer.Close(), 0);
  EXPECT_EQ(TryMap(file.get(), offset, buffer.bytes()), EACCES);
  EXPECT_EQ(TryMap(other.get(), offset, buffer.bytes()), 0);
  std::uint64_t same = 0;
  EXPECT_EQ(source().Ask(other.get(), imported.get(), &same), 0);
  EXPECT_EQ(same, offset);
}

OFFSET_TEST(ImporterCloses,
            .property = "the importer's close takes its permission, and the exporter keeps its own",
            .rules = "OFF-7") {
  const UniqueFd file = Open();
  const UniqueFd other = Open();
  const Buffer buffer = Make(file);
  const UniqueFd dma_buf = Exported(file.get(), buffer.handle());
  for (int round = 0; round < 3; ++round) {
    Handle imported = Handle::Of(other.get(), dma_buf);
    EXPECT_EQ(TryMap(other.get(), buffer.Offset(), buffer.bytes()), 0) << round;
    EXPECT_EQ(imported.Close(), 0);
    EXPECT_EQ(TryMap(other.get(), buffer.Offset(), buffer.bytes()), EACCES) << round;
    EXPECT_EQ(TryMap(file.get(), buffer.Offset(), buffer.bytes()), 0) << round;
  }
}

OFFSET_TEST(TwoHandlesOfOneFile,
            .property =
                "a file that opened an object's name twice keeps its permission until both "
                "handles are closed, in either order",
            .rules = "OFF-6 OFF-7") {
  const UniqueFd file = Open();
  const UniqueFd card = source().OpenCard();
  const UniqueFd reader = source().OpenCard();
  const Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  const Handle named = Handle::Of(card.get(), Exported(file.get(), buffer.handle()));
  std::uint32_t name = 0;
  ASSERT_EQ(NameHandle(card.get(), named.get(), &name), 0);
  for (const bool older_first : {true, false}) {
    Handle first = Handle::OfName(reader.get(), name);
    Handle second = Handle::OfName(reader.get(), name);
    ASSERT_NE(first.get(), second.get());
    EXPECT_EQ(TryMap(reader.get(), offset, buffer.bytes()), 0);
    EXPECT_EQ((older_first ? first : second).Close(), 0);
    EXPECT_EQ(TryMap(reader.get(), offset, buffer.bytes()), 0);
    EXPECT_EQ((older_first ? second : first).Close(), 0);
    EXPECT_EQ(TryMap(reader.get(), offset, buffer.bytes()), EACCES);
  }
}

OFFSET_TEST(SecondImportIsTheFirst,
            .property =
                "importing a dma-buf again gives the same handle and one permission: one "
                "close ends it",
            .rules = "OFF-7") {
  const UniqueFd file = Open();
  const UniqueFd other = Open();
  const Buffer buffer = Make(file);
  const UniqueFd dma_buf = Exported(file.get(), buffer.handle());
  Handle first = Handle::Of(other.get(), dma_buf);
  std::uint32_t again = 0;
  ASSERT_EQ(Import(other.get(), dma_buf.get(), &again), 0);
  EXPECT_EQ(again, first.get());
  EXPECT_EQ(first.Close(), 0);
  EXPECT_EQ(TryMap(other.get(), buffer.Offset(), buffer.bytes()), EACCES);
  EXPECT_EQ(CloseHandle(other.get(), again), EINVAL);
}

OFFSET_TEST(ReimportIntoMaker,
            .property =
                "the maker's own import of its dma-buf gives the handle that it has; one "
                "close ends its permission",
            .rules = "OFF-7") {
  const UniqueFd file = Open();
  Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  const UniqueFd dma_buf = Exported(file.get(), buffer.handle());
  std::uint32_t again = 0;
  ASSERT_EQ(Import(file.get(), dma_buf.get(), &again), 0);
  EXPECT_EQ(again, buffer.handle());
  EXPECT_EQ(buffer.Close(), 0);
  EXPECT_EQ(TryMap(file.get(), offset, buffer.bytes()), EACCES);
}

}  // namespace kfdcts::suites
