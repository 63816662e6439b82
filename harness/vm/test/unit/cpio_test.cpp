#include "harness/vm/boot/cpio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "harness/vm/base/child_process.h"
#include "harness/vm/test/scratch.h"

namespace kfdcts::vm {
namespace {

namespace fs = std::filesystem;

/// Unpacks with a reader that is not ours.
void Unpack(const std::string& archive, const fs::path& target, const test::Scratch& scratch) {
  const auto file = scratch.File("archive.cpio", archive);
  fs::create_directories(target);
  SpawnOptions cpio;
  cpio.argv = {"cpio", "--extract", "--quiet", "--file", file.string()};
  cpio.working_directory = target.string();
  const ToolResult result = RunTool(cpio);
  ASSERT_EQ(result.status, 0) << result.errors;
}

TEST(Cpio, OtherReadersFindWhatWasWritten) {
  CpioWriter writer;
  std::string binary(70001, '\0');
  binary[5] = '\n';
  writer.File("a/b/odd", "xyz", 0755);
  writer.File("a/binary", binary);
  writer.File("empty", "");
  writer.Link("a/link", "b/odd");
  writer.Folder("a/folder");
  const test::Scratch scratch;
  const fs::path target = scratch.path() / "out";
  Unpack(writer.Finish(), target, scratch);
  EXPECT_EQ(ReadFile(target / "a/b/odd"), "xyz");
  EXPECT_EQ(fs::status(target / "a/b/odd").permissions(), fs::perms(0755));
  EXPECT_EQ(ReadFile(target / "a/binary"), binary);
  EXPECT_EQ(ReadFile(target / "empty"), "");
  EXPECT_EQ(fs::read_symlink(target / "a/link"), "b/odd");
  EXPECT_TRUE(fs::is_directory(target / "a/folder"));
}

TEST(Cpio, FoldersComeOnceAndBeforeWhatIsInThem) {
  CpioWriter writer;
  writer.File("a/b/one", "1");
  writer.File("a/b/two", "2");
  const test::Scratch scratch;
  const auto file = scratch.File("archive.cpio", writer.Finish());
  EXPECT_EQ(ToolOutput({"cpio", "--list", "--quiet", "--file", file.string()}),
            "a\na/b\na/b/one\na/b/two\n");
}

TEST(Cpio, DevicesHaveTheirNumbers) {
  CpioWriter writer;
  writer.CharacterDevice("console", 5, 1);
  const std::string archive = writer.Finish();
  EXPECT_EQ(archive.substr(14, 8), "00002180");  // S_IFCHR | 0600.
  EXPECT_EQ(archive.substr(78, 16), "0000000500000001");
}

TEST(Cpio, SameContentGivesSameBytes) {
  const auto make = [] {
    CpioWriter writer;
    writer.File("a/b", "c");
    return writer.Finish();
  };
  const std::string archive = make();
  EXPECT_EQ(archive, make());
  EXPECT_EQ(archive.size() % 512, 0u);
}

}  // namespace
}  // namespace kfdcts::vm
