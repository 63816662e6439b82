// The kernel's faults: their list, their patches, the check of a kernel.
#include <gmock/gmock.h>

#include <filesystem>
#include <regex>
#include <set>

#include "harness/breakages/kernel_kind.h"
#include "harness/breakages/report.h"
#include "harness/cli/options.h"
#include "harness/run/kernel_fault.h"
#include "harness/test/temporary_folder.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::MessageOf;
using testing_support::TemporaryFolder;

fs::path Fixtures() { return vm::ShareFolder() / "fixtures"; }
fs::path Folder() { return Fixtures() / "breakages" / "kernel"; }

TEST(KernelBreakages, EveryRuleOfOffsetsHasOne) {
  const auto book = RuleBook::Load(Fixtures() / "spec");
  const auto kind = KernelBreakages(Folder() / "faults.yaml");
  CheckRules(kind, book);
  std::set<std::string> broken;
  for (const auto& one : kind.breakages) broken.insert(one.rules.begin(), one.rules.end());
  for (const auto& rule : book.rules()) {
    if (rule.family != "OFF") continue;
    EXPECT_TRUE(broken.contains(rule.id)) << rule.id;
  }
}

TEST(KernelBreakages, PatchesHaveTheListedFaultsAndNoOthers) {
  std::set<std::string> listed;
  for (const auto& one : KernelBreakages(Folder() / "faults.yaml").breakages) {
    EXPECT_TRUE(listed.insert(one.name).second) << one.name << " stands twice";
  }
  std::set<std::string> patched;
  const std::regex call("drm_kfdcts_fault\\(\"([a-z_]+)\"\\)");
  for (const auto& entry : fs::directory_iterator(Folder() / "patches")) {
    const std::string patch = vm::ReadFile(entry.path());
    for (std::sregex_iterator hit(patch.begin(), patch.end(), call), end; hit != end; ++hit) {
      patched.insert((*hit)[1]);
    }
  }
  EXPECT_EQ(listed, patched);
}

TEST(KernelBreakages, EachNamesItselfInABootOfItsOwn) {
  const auto kind = KernelBreakages(Folder() / "faults.yaml");
  EXPECT_TRUE(kind.boot_each);
  EXPECT_EQ(kind.whole.at(kKernelFaultVariable), "");
  EXPECT_EQ(kind.environment(kind.breakages[1]).at(kKernelFaultVariable), kind.breakages[1].name);
}

TEST(KernelBreakages, WhereIsAnyDeviceOrAmdgpu) {
  const TemporaryFolder folder;
  const auto list = [&](const std::string& where) {
    return folder.Write("faults.yaml",
                        "faults:\n  - {name: a, rules: [OFF-1], where: " + where + ", what: b}\n");
  };
  EXPECT_FALSE(KernelBreakages(list("any")).breakages.front().needs_gpu);
  EXPECT_TRUE(KernelBreakages(list("amdgpu")).breakages.front().needs_gpu);
  EXPECT_THAT(MessageOf<FixtureError>([&] { KernelBreakages(list("vgem")); }),
              HasSubstr("where: neither any nor amdgpu"));
}

TEST(KernelBreakages, KernelMustKnowThemAll) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& content) {
    const auto file = folder.Write("vmlinux", content);
    return MessageOf<UsageError>([&] { CheckBreakableKernel(file, {{"one", {"OFF-1"}, ""}}); });
  };
  EXPECT_THAT(error(""), HasSubstr("cannot be read; fixtures/breakages/kernel/build"));
  EXPECT_THAT(error(std::string("a\0one_and_a_half\0", 17)), HasSubstr("the fault one;"));
  EXPECT_EQ(error(std::string("a\0one\0", 6)), "");
}

TEST(KernelBreakages, ModulesAreBesideTheImage) {
  const TemporaryFolder folder;
  EXPECT_TRUE(ModulesOf(folder.path() / "vmlinux").empty());
  fs::create_directories(folder.path() / "lib/modules/6.1-x");
  EXPECT_EQ(ModulesOf(folder.path() / "vmlinux"), folder.path() / "lib/modules/6.1-x");
}

TEST(KernelFault, OnlyAKernelWithFaultsTakesOne) {
  EXPECT_NO_THROW(SetKernelFault({{"OTHER", "x"}}));
  if (fs::exists("/sys/module/drm/parameters/kfdcts_fault")) GTEST_SKIP() << "this kernel has them";
  EXPECT_THAT(MessageOf<std::system_error>([] {
                SetKernelFault({{kKernelFaultVariable, ""}});
              }),
              HasSubstr("kfdcts_fault"));
}

}  // namespace
}  // namespace kfdcts::harness
