// kfdvm shell on a pseudo-terminal, driven as by a user.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "harness/vm/test/vm/launcher.h"

namespace kfdcts::vm {
namespace {

using ::testing::HasSubstr;

class GuestShell : public ::testing::Test {
 protected:
  void SetUp() override {
    winsize size{};
    size.ws_row = 33;
    size.ws_col = 99;
    int master = -1;
    int slave = -1;
    ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, &size), 0);
    master_.Reset(master);
    slave_.Reset(slave);
  }

  /// Reads on until the text has come.
  void Await(const std::string& text) {
    std::array<char, 4096> buffer;
    while (seen_.find(text) == std::string::npos) {
      const ssize_t got = read(master_.get(), buffer.data(), buffer.size());
      ASSERT_GT(got, 0) << seen_;
      seen_.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

  UniqueFd master_;
  UniqueFd slave_;
  std::string seen_;
};

TEST_F(GuestShell, IsATerminalAndGivesItBackAsItWas) {
  termios before{};
  tcgetattr(slave_.get(), &before);
  const test::Launcher launcher;
  SpawnOptions command = launcher.Command({"--machine", "cpu-only"}, {"sh", "-i"}, "shell");
  command.stdin_fd = command.stdout_fd = command.stderr_fd = slave_.get();
  ChildProcess kfdvm = ChildProcess::Spawn(command);
  Await("$ ");
  WriteAll(master_.get(), "stty size; echo $((6 * 7)); sh -c 'tty; exec sleep 1000'\n", "terminal");
  Await("\n42\r\n");
  Await("/dev/hvc0\r\n");
  EXPECT_THAT(seen_, HasSubstr("33 99\r\n"));
  seen_.clear();
  WriteAll(master_.get(), "\x03", "terminal");  // Ends what runs in the shell, not us.
  Await("$ ");
  WriteAll(master_.get(), "exit 5\n", "terminal");
  const auto status = kfdvm.WaitFor(std::chrono::seconds(120));
  ASSERT_TRUE(status);
  EXPECT_EQ(WEXITSTATUS(*status), 5);
  termios after{};
  tcgetattr(slave_.get(), &after);
  EXPECT_EQ(after.c_lflag, before.c_lflag);
  EXPECT_EQ(after.c_iflag, before.c_iflag);
  EXPECT_EQ(after.c_oflag, before.c_oflag);
}

}  // namespace
}  // namespace kfdcts::vm
