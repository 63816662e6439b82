// A run that is ended in its middle leaves no process, socket or folder behind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "harness/vm/test/vm/launcher.h"

namespace kfdcts::vm {
namespace {

namespace fs = std::filesystem;

class GuestLeftovers : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { fs::create_directories(temporary()); }

  fs::path temporary() const { return launcher_.scratch().path() / "t"; }

  /// Processes that have our mark in their environment: kfdvm's, the emulator's, the virtual GPUs'.
  std::vector<pid_t> Marked() const {
    std::vector<pid_t> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
      const int pid = std::atoi(entry.path().filename().c_str());
      try {
        if (pid > 0 && ReadFile(entry.path() / "environ").find("TMPDIR=" + temporary().string()) !=
                           std::string::npos) {
          found.push_back(pid);
        }
      } catch (const std::system_error&) {
        continue;  // It has just ended, or is not ours.
      }
    }
    return found;
  }

  /// Starts a guest and comes back when its program runs.
  ChildProcess StartGuest() {
    SpawnOptions command =
        launcher_.Command({"--machine", "vega10"}, {"sh", "-c", "echo running; sleep 1000"});
    command.environment.emplace_back("TMPDIR", temporary().string());
    FdPair output = MakePipe();
    command.stdout_fd = output.second.get();
    ChildProcess kfdvm = ChildProcess::Spawn(command);
    output.second.Reset();
    char first = 0;
    EXPECT_EQ(read(output.first.get(), &first, 1), 1);
    EXPECT_GE(Marked().size(), 3u);
    EXPECT_FALSE(fs::is_empty(temporary()));
    return kfdvm;
  }

  test::Launcher launcher_;
};

TEST_P(GuestLeftovers, NoneAfterASignal) {
  ChildProcess kfdvm = StartGuest();
  kill(kfdvm.pid(), GetParam());
  const auto status = kfdvm.WaitFor(std::chrono::seconds(30));
  ASSERT_TRUE(status);
  EXPECT_TRUE(WIFEXITED(*status));
  EXPECT_EQ(WEXITSTATUS(*status), 128 + GetParam());
  EXPECT_TRUE(Marked().empty());
  EXPECT_TRUE(fs::is_empty(temporary()));
  EXPECT_TRUE(fs::exists(launcher_.results() / "gpu0.report"));
}

INSTANTIATE_TEST_SUITE_P(Each, GuestLeftovers, ::testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& tested) {
                           return std::string("Signal") + std::to_string(tested.param);
                         });

class GuestLeftoversOfAKill : public GuestLeftovers {};

TEST_F(GuestLeftoversOfAKill, ChildrenDieWithAKilledLauncher) {
  ChildProcess kfdvm = StartGuest();
  const std::vector<pid_t> marked = Marked();
  std::vector<UniqueFd> ends;
  for (const pid_t pid : marked) {
    ends.emplace_back(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  }
  kill(kfdvm.pid(), SIGKILL);  // Not its group, as ChildProcess::Kill() would.
  for (const UniqueFd& end : ends) {
    pollfd ended{end.get(), POLLIN, 0};
    EXPECT_EQ(poll(&ended, 1, 30000), 1);
  }
  // The folder goes with the next run.
  EXPECT_FALSE(fs::is_empty(temporary()));
  setenv("TMPDIR", temporary().c_str(), 1);
  { const TemporaryFolder next; }
  unsetenv("TMPDIR");
  EXPECT_TRUE(fs::is_empty(temporary()));
}

}  // namespace
}  // namespace kfdcts::vm
