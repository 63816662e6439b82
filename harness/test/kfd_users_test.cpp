#include "harness/cli/kfd_users.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/test/program_run.h"

namespace kfdcts::harness {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::ProgramRun;
using testing_support::TemporaryFolder;

std::string Told(const fs::path& root) {
  std::string text;
  for (const auto& user : OtherKfdUsers(root)) {
    text += (text.empty() ? "" : ", ") + std::to_string(user.pid) + " " + user.name;
  }
  return text;
}

void AddProcess(const TemporaryFolder& root, const std::string& pid, const std::string& name,
                const char* holds) {
  fs::create_directories(root.path() / "proc" / pid / "fd");
  root.Write("proc/" + pid + "/comm", name + "\n");
  fs::create_symlink(holds, root.path() / "proc" / pid / "fd" / "3");
}

TEST(KfdUsers, AreWhatKfdNamesButThisProcess) {
  const TemporaryFolder root;
  const fs::path kfd = root.path() / "sys/class/kfd/kfd/proc";
  fs::create_directories(kfd / "412");
  fs::create_directories(kfd / "77_1");
  fs::create_directories(kfd / std::to_string(getpid()));
  AddProcess(root, "412", "rocminfo", "/dev/null");
  AddProcess(root, "99", "other", "/dev/kfd");
  EXPECT_EQ("77 ?, 412 rocminfo", Told(root.path()));
}

TEST(KfdUsers, WhereKfdNamesNoneTheHoldersOfItsFileAreFound) {
  const TemporaryFolder root;
  AddProcess(root, "412", "rocminfo", "/dev/kfd");
  AddProcess(root, "413", "shell", "/dev/null");
  AddProcess(root, std::to_string(getpid()), "self", "/dev/kfd");
  AddProcess(root, "sys", "no process", "/dev/kfd");
  fs::create_directories(root.path() / "proc/500");
  EXPECT_EQ("412 rocminfo", Told(root.path()));
}

TEST(KfdUsers, WithoutKfdThereAreNone) {
  const TemporaryFolder root;
  EXPECT_EQ("", Told(root.path()));
}

class BesideOthers : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_.path() / "sys/class/kfd/kfd/proc/412");
    AddProcess(root_, "412", "rocminfo", "/dev/null");
    setenv("KFDCTS_FAKE_ROOT", root_.path().c_str(), 1);
  }
  void TearDown() override { unsetenv("KFDCTS_FAKE_ROOT"); }

  TemporaryFolder root_;
};

TEST_F(BesideOthers, ARunIsRefused) {
  const ProgramRun run({"--gtest_filter=Good.Passes*"});
  EXPECT_EQ(2, run.exit_code());
  EXPECT_EQ(
      "kfdcts: --target=host: KFD is used by other processes: 412 (rocminfo); --beside-others runs "
      "beside them\n",
      run.errors());
  EXPECT_FALSE(fs::exists(run.results()));
}

TEST_F(BesideOthers, ARunGoesOnWhereThatIsAskedFor) {
  ProgramRun run({"--gtest_filter=Good.Passes*", "--beside-others"});
  EXPECT_EQ("passed", run.Verdict("Good.Passes/cpu")) << run.errors();
}

TEST_F(BesideOthers, AListIsPrinted) {
  const ProgramRun run({"--gtest_list_tests"});
  EXPECT_EQ(0, run.exit_code());
  EXPECT_THAT(run.output(), HasSubstr("Passes/cpu"));
}

}  // namespace
}  // namespace kfdcts::harness
