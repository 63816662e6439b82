#include "harness/vm/boot/cached_file.h"

#include <gtest/gtest.h>

#include "harness/vm/test/scratch.h"

namespace kfdcts::vm {
namespace {

namespace fs = std::filesystem;

TEST(CachedFile, IsFoundAgainWithItsNote) {
  const test::Scratch scratch;
  const auto source = scratch.File("source", "1");
  const CachedFile entry(scratch.path() / "cache", "kind", "option", {source});
  EXPECT_FALSE(entry.Find());
  const fs::path file = entry.Store("content", "a note", {source});
  const auto found = entry.Find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->file, file);
  EXPECT_EQ(found->note, "a note");
  EXPECT_EQ(ReadFile(file), "content");
}

TEST(CachedFile, IsOutOfDateOnceAnInputChanged) {
  const test::Scratch scratch;
  const auto source = scratch.File("source", "1");
  const auto further = scratch.File("further", "1");
  const CachedFile entry(scratch.path() / "cache", "kind", "", {source});
  entry.Store("content", "", {source, further});
  ASSERT_TRUE(entry.Find());
  scratch.File("further", "12");
  EXPECT_FALSE(entry.Find());
}

TEST(CachedFile, IsOutOfDateOnceAnInputIsGone) {
  const test::Scratch scratch;
  const auto source = scratch.File("source", "1");
  const CachedFile entry(scratch.path() / "cache", "kind", "", {source});
  entry.Store("content", "", {source});
  fs::remove(source);
  EXPECT_FALSE(entry.Find());
}

TEST(CachedFile, OptionsAndSourcesTellEntriesApart) {
  const test::Scratch scratch;
  const fs::path cache = scratch.path() / "cache";
  CachedFile(cache, "kind", "a", {"/x"}).Store("content", "", {});
  EXPECT_TRUE(CachedFile(cache, "kind", "a", {"/x"}).Find());
  EXPECT_FALSE(CachedFile(cache, "kind", "b", {"/x"}).Find());
  EXPECT_FALSE(CachedFile(cache, "kind", "a", {"/y"}).Find());
  EXPECT_FALSE(CachedFile(cache, "other", "a", {"/x"}).Find());
}

TEST(CachedFile, CutOffOneIsNotTaken) {
  const test::Scratch scratch;
  const CachedFile entry(scratch.path() / "cache", "kind", "", {});
  const fs::path file = entry.Store("content", "", {});
  fs::resize_file(file, 3);
  EXPECT_FALSE(entry.Find());
}

TEST(CachedFile, OldEntriesGoWhenThereAreMany) {
  const test::Scratch scratch;
  const fs::path cache = scratch.path() / "cache";
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(48);
  for (int i = 0; i < 12; ++i) {
    const CachedFile entry(cache, "kind", std::to_string(i), {});
    fs::last_write_time(entry.Store("content", "", {}), long_ago - std::chrono::minutes(i));
  }
  CachedFile(cache, "kind", "newest", {}).Store("content", "", {});
  EXPECT_TRUE(CachedFile(cache, "kind", "newest", {}).Find());
  EXPECT_TRUE(CachedFile(cache, "kind", "0", {}).Find());
  EXPECT_FALSE(CachedFile(cache, "kind", "11", {}).Find());
}

}  // namespace
}  // namespace kfdcts::vm
