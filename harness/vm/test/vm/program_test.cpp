// One boot, in which a script writes down what a program in the guest finds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "harness/vm/test/vm/launcher.h"

namespace kfdcts::vm {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

constexpr const char* kScript = R"(#!/bin/sh
share=/run/kfdvm/share
id -u > $share/uid
pwd > $share/folder
printf '<%s>' "$@" > $share/arguments
echo "$KFDVM_A" > $share/variable
cat > $share/input
for device in /dev/kfd /dev/dri/renderD128 /dev/null /dev/shm /dev/kmsg; do
  [ -r $device ] && [ -w $device ] && echo $device >> $share/devices
done
echo changed > victim && cat victim > $share/victim
[ -e /tmp/kfdvm-was-here ] && echo yes > $share/was-here
echo mark > /tmp/kfdvm-was-here
tail -n 1 /proc/swaps > $share/swaps
sed -n 's/.*\[amdgpu\]\(svm_range_[a-z_]*\) =p .*/\1/p' /proc/dynamic_debug/control | sort -u > $share/debugged
cat /proc/sys/kernel/soft_watchdog /proc/sys/kernel/softlockup_panic /proc/sys/kernel/watchdog_thresh > $share/watchdog
echo complaint >&2
printf 'binary\000\377\n'
head -c 3000000 /dev/zero
exit 7
)";

class GuestProgram : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    launcher_ = std::make_unique<test::Launcher>();
    const fs::path script = launcher_->scratch().File("script", kScript);
    fs::permissions(script, fs::perms(0755));
    fs::permissions(launcher_->scratch().File("victim", "as it was"), fs::perms(0666));
    SpawnOptions command =
        launcher_->Command({"--machine", "cpu-only", "--stdin", "--env", "KFDVM_A=a  b=c",
                            "--append", "amdgpu.dyndbg=\"func svm_range_restore_pages +p\""},
                           {"./script", "x y", "", "$z"});
    FdPair input = MakePipe();
    WriteAll(input.second.get(), "first\nlast", "pipe");
    input.second.Reset();
    command.stdin_fd = input.first.get();
    result_ = RunTool(command);
  }

  static void TearDownTestSuite() { launcher_.reset(); }

  static std::string Told(const std::string& name) {
    return ReadFile(launcher_->results() / "share" / name);
  }

  static inline std::unique_ptr<test::Launcher> launcher_;
  static inline ToolResult result_;
};

TEST_F(GuestProgram, ExitCodeIsPassedOn) {
  EXPECT_TRUE(WIFEXITED(result_.status));
  EXPECT_EQ(WEXITSTATUS(result_.status), 7) << result_.errors;
}

TEST_F(GuestProgram, OutputComesByteForByte) {
  EXPECT_EQ(result_.output, std::string("binary\0\xff\n", 9) + std::string(3000000, '\0'));
}

TEST_F(GuestProgram, ErrorsComeApart) { EXPECT_EQ(result_.errors, "complaint\n"); }

TEST_F(GuestProgram, IsNotRoot) { EXPECT_NE(Told("uid"), "0\n"); }

TEST_F(GuestProgram, RunsInTheCallersFolder) {
  EXPECT_EQ(Told("folder"), fs::canonical(launcher_->scratch().path()).string() + "\n");
}

TEST_F(GuestProgram, ArgumentsAndVariablesArrive) {
  EXPECT_EQ(Told("arguments"), "<x y><><$z>");
  EXPECT_EQ(Told("variable"), "a  b=c\n");
}

TEST_F(GuestProgram, InputArrivesToItsEnd) { EXPECT_EQ(Told("input"), "first\nlast"); }

TEST_F(GuestProgram, MayOpenTheDevices) {
  EXPECT_EQ(Told("devices"), "/dev/kfd\n/dev/dri/renderD128\n/dev/null\n/dev/shm\n/dev/kmsg\n");
}

TEST_F(GuestProgram, WritesStayInTheGuest) {
  EXPECT_EQ(Told("victim"), "changed\n");
  EXPECT_EQ(ReadFile(launcher_->scratch().path() / "victim"), "as it was");
  EXPECT_FALSE(fs::exists("/tmp/kfdvm-was-here"));
  EXPECT_FALSE(fs::exists(launcher_->results() / "share" / "was-here"));
}

TEST_F(GuestProgram, HasNoSwap) { EXPECT_THAT(Told("swaps"), HasSubstr("Filename")); }

TEST_F(GuestProgram, QuotedParametersReachTheirModule) {
  EXPECT_EQ(Told("debugged"), "svm_range_restore_pages\n");
}

/// The kernel's settings: a soft lockup of twice watchdog_thresh panics.
TEST_F(GuestProgram, SoftLockupIsAPanic) { EXPECT_EQ(Told("watchdog"), "1\n1\n20\n"); }

TEST_F(GuestProgram, LogsAreKept) {
  EXPECT_THAT(ReadFile(launcher_->results() / "console.log"), HasSubstr("kfdvm: stage driver"));
  const std::string log = ReadFile(launcher_->results() / "kernel.log");
  EXPECT_THAT(log, ContainsRegex("^<5>\\[    0\\.000000\\] Linux version "));
  EXPECT_THAT(log, HasSubstr("kfdvm: the program has ended\n"));
}

}  // namespace
}  // namespace kfdcts::vm
