// The ways in which a run ends, each with a boot of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "harness/vm/test/vm/launcher.h"

namespace kfdcts::vm {
namespace {

using ::testing::HasSubstr;

class GuestEnd : public ::testing::Test {
 protected:
  void Run(std::vector<std::string> options, const std::vector<std::string>& program) {
    options.insert(options.begin(), {"--machine", "cpu-only"});
    result_ = launcher_.Run(std::move(options), program);
    ASSERT_TRUE(WIFEXITED(result_.status));
    code_ = WEXITSTATUS(result_.status);
  }

  test::Launcher launcher_;
  ToolResult result_;
  int code_ = -1;
};

TEST_F(GuestEnd, SuccessIsSilent) {
  Run({}, {"true"});
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(result_.output, "");
  EXPECT_EQ(result_.errors, "");
}

TEST_F(GuestEnd, SignalIsAddedTo128) {
  Run({}, {"sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(code_, 139);
}

TEST_F(GuestEnd, MissingProgramIsToldAsByAShell) {
  Run({}, {"/nowhere/program"});
  EXPECT_EQ(code_, 127);
  EXPECT_EQ(result_.errors, "kfdvm: /nowhere/program: No such file or directory\n");
}

TEST_F(GuestEnd, TimeOutIs124) {
  Run({"--timeout", "10"}, {"sh", "-c", "echo before; sleep 1000"});
  EXPECT_EQ(code_, 124);
  EXPECT_EQ(result_.output, "before\n");
  EXPECT_THAT(result_.errors, HasSubstr("the program still ran after 10 s"));
  EXPECT_THAT(result_.errors, HasSubstr("| kfdvm: stage driver"));
}

TEST_F(GuestEnd, PanicIs125WithTheConsolesLastLines) {
  Run({"--root"}, {"sh", "-c", "echo before; echo c > /proc/sysrq-trigger; sleep 1000"});
  EXPECT_EQ(code_, 125);
  EXPECT_EQ(result_.output, "before\n");
  EXPECT_THAT(result_.errors, HasSubstr("Kernel panic - not syncing: sysrq triggered crash"));
  EXPECT_THAT(result_.errors, HasSubstr("sysrq_handle_crash"));
  EXPECT_THAT(ReadFile(launcher_.results() / "console.log"), HasSubstr("Kernel panic"));
}

TEST_F(GuestEnd, PowerOffUnderTheProgramIs125) {
  Run({"--root"}, {"sh", "-c", "echo o > /proc/sysrq-trigger; sleep 1000"});
  EXPECT_EQ(code_, 125);
  EXPECT_THAT(result_.errors, HasSubstr("while the program ran"));
}

TEST_F(GuestEnd, KernelThatFindsNoInitIs125) {
  Run({"--append", "rdinit=/nowhere"}, {"true"});
  EXPECT_EQ(code_, 125);
  EXPECT_THAT(result_.errors, HasSubstr("Kernel panic - not syncing: VFS"));
}

TEST_F(GuestEnd, GuestThatDoesNotComeUpIs125) {
  Run({"--boot-timeout", "1"}, {"true"});
  EXPECT_EQ(code_, 125);
  EXPECT_THAT(result_.errors, HasSubstr("the guest did not come up within 1 s"));
}

TEST_F(GuestEnd, EmulatorsComplaintIsPassedOn) {
  Run({"--append", "x", "--memory", "100000G"}, {"true"});
  EXPECT_EQ(code_, 125);
  EXPECT_THAT(result_.errors, HasSubstr("before the program ran; it said: "));
}

}  // namespace
}  // namespace kfdcts::vm
