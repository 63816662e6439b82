// kfdcts finds scenarios beside itself when it starts: no compiler, no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/program_run.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::ProgramRun;
using testing_support::TemporaryFolder;

/// A tree as an installed one, with scenarios of its own.
class ScenarioProgram : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path fixtures = folder_.path() / "share" / "kfdcts" / "fixtures";
    fs::create_directories(folder_.path() / "bin");
    fs::create_directories(fixtures / "scenarios" / "prefetch");
    for (const char* part : {"spec", "expectations", "machines"}) {
      fs::create_symlink(vm::ShareFolder() / "fixtures" / part, fixtures / part);
    }
    fs::copy_file(vm::ProgramFolder() / "kfdcts", Program());
  }

  fs::path Program() const { return folder_.path() / "bin" / "kfdcts"; }

  fs::path Write(const std::string& name, const std::string& content) const {
    return folder_.Write("share/kfdcts/fixtures/scenarios/prefetch/" + name, content);
  }

  ProgramRun List() const {
    return ProgramRun({"--target=vm", "--machine=vega10x2", "--gtest_list_tests",
                       "--gtest_filter=Prefetch.Scenario/*"},
                      Program().string());
  }

  const TemporaryFolder folder_;
};

TEST_F(ScenarioProgram, AFileIsATest) {
  Write("mine.yaml", "property: p\nrules: [PRE-1]\nsteps:\n  - map: {name: a, pages: 1}\n");
  Write("of_two.yaml",
        "property: p\nrules: [PRE-1]\ngpus: pair\nsteps:\n  - map: {name: a, pages: 1}\n");
  const ProgramRun run = List();
  EXPECT_EQ(run.exit_code(), 0) << run.errors();
  EXPECT_THAT(run.output(), HasSubstr("Scenario/mine/gpu0\n"));
  EXPECT_THAT(run.output(), HasSubstr("Scenario/mine/gpu1\n"));
  EXPECT_THAT(run.output(), HasSubstr("Scenario/of_two/gpu0_gpu1\n"));
}

TEST_F(ScenarioProgram, ABadFileEndsIt) {
  const auto file = Write("bad.yaml", "property: p\nrules: [PRE-1]\nsteps:\n  - mapp: {name: a}\n");
  const ProgramRun run = List();
  EXPECT_EQ(run.exit_code(), 2);
  EXPECT_THAT(run.errors(), HasSubstr("prefetch/bad.yaml:4: mapp: unknown key\n"));
}

}  // namespace
}  // namespace kfdcts::harness
