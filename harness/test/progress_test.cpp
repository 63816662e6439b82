#include "harness/run/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "harness/test/program_run.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;
using testing_support::ProgramRun;
using testing_support::TemporaryFolder;

TEST(ProgressText, HasNoTimeBeforeTheFirstTest) {
  EXPECT_EQ("0 of 12, 0 failed, 0 skipped", ProgressText({.total = 12}, milliseconds(900), false));
}

TEST(ProgressText, TimeLeftIsThatOfTheTestsSoFar) {
  EXPECT_EQ("10 of 100, 2 failed, 1 skipped, about 2:15 left",
            ProgressText({100, 10, 2, 1}, milliseconds(15000), false));
  EXPECT_EQ("1 of 1001, 0 failed, 0 skipped, about 2:46:40 left",
            ProgressText({1001, 1, 0, 0}, milliseconds(10000), false));
  EXPECT_EQ("4 of 4, 0 failed, 0 skipped, about 0:00 left",
            ProgressText({4, 4, 0, 0}, milliseconds(10), false));
}

TEST(ProgressText, FailuresAreRedWhereColoursAreWanted) {
  EXPECT_THAT(ProgressText({2, 1, 1, 0}, milliseconds(1), true),
              HasSubstr("\x1b[31m1 failed\x1b[0m"));
  EXPECT_THAT(ProgressText({2, 1, 0, 0}, milliseconds(1), true), Not(HasSubstr("\x1b")));
}

TEST(Colours, AreRefusedByAVariableThatIsNotEmpty) {
  unsetenv("NO_COLOR");
  EXPECT_FALSE(ColoursRefused());
  setenv("NO_COLOR", "", 1);
  EXPECT_FALSE(ColoursRefused());
  setenv("NO_COLOR", "1", 1);
  EXPECT_TRUE(ColoursRefused());
  unsetenv("NO_COLOR");
}

TEST(StatusLine, IsNotWrittenWhereThereIsNoTerminal) {
  const ProgramRun run({"--gtest_filter=Good.*"});
  EXPECT_THAT(run.errors(), Not(HasSubstr("\r")));
  EXPECT_THAT(run.errors(), Not(HasSubstr(" left")));
}

/// What a program writes to the terminal that is all its streams.
std::string OnATerminal(std::vector<std::string> arguments) {
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    setenv("TERM", "xterm", 1);
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    execv(argv.front(), argv.data());
    _exit(127);
  }
  std::string text;
  std::array<char, 4096> bytes{};
  for (ssize_t count; (count = read(terminal, bytes.data(), bytes.size())) > 0;) {
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
  close(terminal);
  int status = 0;
  EXPECT_EQ(pid, waitpid(pid, &status, 0));
  EXPECT_TRUE(WIFEXITED(status));
  return text;
}

TEST(StatusLine, IsWrittenOverOnATerminal) {
  const TemporaryFolder folder;
  const std::string text = OnATerminal({(vm::ProgramFolder() / "kfdcts_fake").string(),
                                        "--results=" + folder.path().string(), "--rerun=0",
                                        "--gtest_filter=Bad.Hangs*"});
  EXPECT_THAT(text, HasSubstr("\r\x1b[K0 of 1, 0 failed, 0 skipped\r\x1b[K"));
}

}  // namespace
}  // namespace kfdcts::harness
