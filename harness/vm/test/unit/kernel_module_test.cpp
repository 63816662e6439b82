#include "harness/vm/boot/kernel_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/vm/base/child_process.h"
#include "harness/vm/base/errors.h"
#include "harness/vm/test/scratch.h"
#include "harness/vm/test/unit/fake_module.h"

namespace kfdcts::vm {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Names(const std::vector<ModuleTree::Module>& modules) {
  std::vector<std::string> names;
  for (const auto& module : modules) {
    names.push_back(module.name);
  }
  return names;
}

TEST(KernelModule, InformationIsFoundByKey) {
  const std::string module =
      test::FakeModule(std::string("license=GPL\0firmware=a.bin\0firmware=b.bin\0", 43));
  EXPECT_THAT(ModuleInfo(module, "firmware", "m"), ElementsAre("a.bin", "b.bin"));
  EXPECT_THAT(ModuleInfo(module, "licens", "m"), IsEmpty());
}

TEST(KernelModule, CutOffOrForeignFilesAreRefused) {
  const std::string module = test::ModuleDependingOn("x");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{10}, std::size_t{70}, module.size() - 1}) {
    EXPECT_THROW(ModuleInfo(module.substr(0, size), "depends", "m"), RunError) << size;
  }
  EXPECT_THROW(ModuleInfo(std::string(1000, 'x'), "depends", "m"), RunError);
}

TEST(KernelModule, WithoutTraceSitesOnlyTheTablesNameAndTheSignatureGo) {
  const std::string module = test::ModuleDependingOn("x");
  std::string info(12, '\0');
  info[11] = 5;  // The signature's length.
  const std::string quick =
      WithoutTraceSites(module + "SIGNA" + info + "~Module signature appended~\n", "m");
  ASSERT_EQ(quick.size(), module.size());
  const auto changed = module.find("__mcount_loc");
  EXPECT_EQ(quick.substr(changed, 12), "-_mcount_loc");
  EXPECT_EQ(quick.substr(0, changed), module.substr(0, changed));
  EXPECT_EQ(quick.substr(changed + 1), module.substr(changed + 1));
}

TEST(KernelModule, ForgedSignatureLengthCutsNothing) {
  const std::string info(12, '\xff');
  const std::string module = test::ModuleDependingOn("x") + info + "~Module signature appended~\n";
  EXPECT_EQ(WithoutTraceSites(module, "m").size(), module.size());
}

TEST(ModuleTree, DependenciesComeFirstAndOnce) {
  const test::Scratch scratch;
  scratch.File("kernel/gpu/amdgpu.ko", test::ModuleDependingOn("ttm,gpu-sched,drm"));
  scratch.File("kernel/gpu/ttm.ko", test::ModuleDependingOn("drm"));
  scratch.File("kernel/gpu/gpu-sched.ko", test::ModuleDependingOn(""));
  scratch.File("kernel/gpu/drm.ko", test::ModuleDependingOn(""));
  scratch.File("kernel/other.ko", test::ModuleDependingOn("drm"));
  const ModuleTree tree(scratch.path());
  EXPECT_THAT(Names(tree.Closure({"amdgpu"})), ElementsAre("drm", "ttm", "gpu_sched", "amdgpu"));
  EXPECT_THAT(Names(tree.Closure({"ttm", "other"})), ElementsAre("drm", "ttm", "other"));
}

TEST(ModuleTree, WhatIsBuiltInIsLeftOut) {
  const test::Scratch scratch;
  scratch.File("kernel/a.ko", test::ModuleDependingOn("builtin"));
  const ModuleTree tree(scratch.path());
  EXPECT_THAT(Names(tree.Closure({"virtio_pci", "a"})), ElementsAre("a"));
  EXPECT_FALSE(tree.Contains("virtio_pci"));
}

TEST(ModuleTree, PackedModulesAreUnpacked) {
  const test::Scratch scratch;
  const std::string plain = test::ModuleDependingOn("");
  for (const char* tool : {"xz", "gzip"}) {
    const auto file = scratch.File(std::string("kernel/with_") + tool + ".ko", plain);
    ToolOutput({tool, file.string()});
  }
  const ModuleTree tree(scratch.path());
  for (const auto& module : tree.Closure({"with_xz", "with_gzip"})) {
    EXPECT_EQ(module.content, plain) << module.file;
  }
  EXPECT_THAT(Names(tree.Closure({"with_xz", "with_gzip"})), ElementsAre("with_xz", "with_gzip"));
}

TEST(ModuleTree, UpdatesReplaceTheKernelsOwn) {
  const test::Scratch scratch;
  scratch.File("kernel/amdgpu.ko", test::ModuleDependingOn(""));
  scratch.File("updates/dkms/amdgpu.ko", test::ModuleDependingOn(""));
  const auto modules = ModuleTree(scratch.path()).Closure({"amdgpu"});
  ASSERT_EQ(modules.size(), 1u);
  EXPECT_THAT(modules[0].file.string(), EndsWith("updates/dkms/amdgpu.ko"));
}

TEST(ModuleTree, CircleIsRefused) {
  const test::Scratch scratch;
  scratch.File("kernel/a.ko", test::ModuleDependingOn("b"));
  scratch.File("kernel/b.ko", test::ModuleDependingOn("a"));
  const ModuleTree tree(scratch.path());
  EXPECT_THROW(tree.Closure({"a"}), RunError);
}

TEST(ModuleTree, FolderWithoutModulesIsRefused) {
  const test::Scratch scratch;
  try {
    ModuleTree tree(scratch.path());
    FAIL();
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr(scratch.path().string() + ": holds no kernel modules"));
  }
}

}  // namespace
}  // namespace kfdcts::vm
