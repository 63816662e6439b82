#include "harness/vm/base/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/vm/base/errors.h"
#include "harness/vm/base/files.h"
#include "harness/vm/test/scratch.h"

namespace kfdcts::vm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using std::chrono::seconds;

TEST(Tool, OutputErrorsAndStatusComeBack) {
  SpawnOptions options;
  options.argv = {"sh", "-c", "echo out; echo err >&2; exit 3"};
  std::vector<std::string> lines;
  const ToolResult result =
      RunTool(options, -1, [&](std::string_view line) { lines.emplace_back(line); });
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_EQ(WEXITSTATUS(result.status), 3);
  EXPECT_THAT(lines, ::testing::UnorderedElementsAre("out", "err"));
}

TEST(Tool, EnvironmentAndFolderAreSet) {
  const test::Scratch scratch;
  SpawnOptions options;
  options.argv = {"sh", "-c", "echo $KFDVM_TEST; pwd -P"};
  options.environment = {{"KFDVM_TEST", "a b"}};
  options.working_directory = scratch.path().string();
  EXPECT_EQ(RunTool(options).output,
            "a b\n" + std::filesystem::canonical(scratch.path()).string() + "\n");
}

TEST(Tool, MissingProgramIsAnErrorWithItsName) {
  try {
    ToolOutput({"/nowhere/tool"});
    FAIL();
  } catch (const RunError& error) {
    EXPECT_STREQ(error.what(), "/nowhere/tool: No such file or directory");
  }
}

TEST(Tool, FailureBringsItsLastWords) {
  try {
    ToolOutput({"sh", "-c", "echo why >&2; exit 4"});
    FAIL();
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr("exited with 4: why"));
  }
}

TEST(Tool, IsKilledWhenCancelled) {
  FdPair cancel = MakePipe();
  WriteAll(cancel.second.get(), "x", "pipe");
  SpawnOptions options;
  options.argv = {"sleep", "1000"};
  EXPECT_THROW(RunTool(options, cancel.first.get()), Cancelled);
}

TEST(ChildProcess, IsGoneWithItsWholeGroupAfterKill) {
  FdPair alive = MakePipe();
  SpawnOptions options;
  options.argv = {"sh", "-c", "sleep 1000 & echo; wait"};
  options.stdout_fd = alive.second.get();
  ChildProcess child = ChildProcess::Spawn(options);
  alive.second.Reset();
  char byte;
  ASSERT_EQ(read(alive.first.get(), &byte, 1), 1);
  child.Kill();
  EXPECT_FALSE(child.running());
  // The end of the pipe says that nobody holds it any more, sleep neither.
  EXPECT_EQ(read(alive.first.get(), &byte, 1), 0);
}

TEST(ChildProcess, StatusIsDescribed) {
  SpawnOptions options;
  options.argv = {"sh", "-c", "kill -SEGV $$"};
  ChildProcess child = ChildProcess::Spawn(options);
  const auto status = child.WaitFor(seconds(60));
  ASSERT_TRUE(status);
  EXPECT_EQ(DescribeStatus(*status), "was killed by signal 11 (Segmentation fault)");
}

TEST(ChildProcess, WaitEndsAtItsLimit) {
  SpawnOptions options;
  options.argv = {"sleep", "1000"};
  ChildProcess child = ChildProcess::Spawn(options);
  EXPECT_FALSE(child.WaitFor(std::chrono::milliseconds(10)));
  EXPECT_TRUE(child.running());
}

TEST(ChildProcess, OnlyInheritsWhatIsNamed) {
  const FdPair named = MakePipe();
  const FdPair other = MakePipe();
  SpawnOptions options;
  options.argv = {"sh", "-c",
                  "test -e /proc/self/fd/" + std::to_string(named.first.get()) +
                      " && ! test -e /proc/self/fd/" + std::to_string(other.first.get())};
  options.inherit = {named.first.get()};
  EXPECT_EQ(RunTool(options).status, 0);
}

TEST(TemporaryFolder, LeftoversOfTheDeadAreRemovedAndOthersKept) {
  const TemporaryFolder living;
  const auto dead = TemporaryFolder::Parent() / (std::string(TemporaryFolder::kPrefix) + "dead00");
  std::filesystem::create_directories(dead / "sub");
  const TemporaryFolder fresh;
  EXPECT_FALSE(std::filesystem::exists(dead));
  EXPECT_TRUE(std::filesystem::exists(living.path()));
}

TEST(FileLock, IsHeldByOneAndWaitedForByOthers) {
  const test::Scratch scratch;
  const auto first = std::make_unique<FileLock>(scratch.path() / "lock");
  EXPECT_TRUE(first->held());
  FileLock second(scratch.path() / "lock");
  EXPECT_FALSE(second.held());
  FdPair cancel = MakePipe();
  WriteAll(cancel.second.get(), "x", "pipe");
  EXPECT_THROW(second.Wait(cancel.first.get()), Cancelled);
}

}  // namespace
}  // namespace kfdcts::vm
