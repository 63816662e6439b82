#include "harness/run/kernel_log_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/fixture_error.h"
#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing_support::MessageOf;
using testing_support::TemporaryFolder;
using Verdict = KernelLogRule::Verdict;

const std::filesystem::path kShipped =
    std::filesystem::path(KFDCTS_SOURCE_DIR) / "fixtures/kernel-log/filters.yaml";

/// "fail lockdep", or empty where no rule finds the line.
std::string Judge(const std::string& line, const std::string& machine = "host",
                  const std::string& test = "S.T/gpu0", const std::string& kernel = "7.3.4") {
  static const KernelLogFilter filter = KernelLogFilter::Load(kShipped);
  const auto* rule = filter.Find(line, {test, machine, kernel});
  if (rule == nullptr) return "";
  const char* word = rule->verdict == Verdict::kFail   ? "fail "
                     : rule->verdict == Verdict::kWarn ? "warn "
                                                       : "ignore ";
  return word + rule->kind;
}

TEST(KernelLogFilter, TheShippedOneKnowsWhatKernelsComplainOf) {
  EXPECT_EQ("fail warning", Judge("WARNING: CPU: 1 PID: 77 at mm/page_alloc.c:1 x+0x1/0x2"));
  EXPECT_EQ("fail lockdep", Judge("WARNING: possible circular locking dependency detected"));
  EXPECT_EQ("fail lockdep", Judge("BUG: sleeping function called from invalid context at x.c:1"));
  EXPECT_EQ("fail oops", Judge("BUG: kernel NULL pointer dereference, address: 0000000000000008"));
  EXPECT_EQ("fail kasan", Judge("BUG: KASAN: slab-use-after-free in svm_range_x+0x1/0x2"));
  EXPECT_EQ("fail ubsan", Judge("UBSAN: array-index-out-of-bounds in drivers/gpu/x.c:1:2"));
  EXPECT_EQ("fail corruption", Judge("list_del corruption. next->prev should be ffff, was 0"));
  EXPECT_EQ("fail hung-task", Judge("INFO: task kfdcts:77 blocked for more than 120 seconds."));
  EXPECT_EQ("fail reset", Judge("amdgpu 0000:00:05.0: GPU reset begin!. Source:  1"));
  EXPECT_EQ("fail timeout", Judge("amdgpu 0000:00:05.0: ring sdma0 timeout, signaled seq=1"));
  EXPECT_EQ("fail timeout", Judge("amdgpu: qcm fence wait loop timeout expired"));
  EXPECT_EQ("warn driver", Judge("[drm:amdgpu_x [amdgpu]] *ERROR* it failed"));
  EXPECT_EQ("fail taint", Judge("kfdcts: new kernel taint: warning (see the kernel's log)"));
}

/// The kernel's own count goes wrong in random histories; elsewhere it must not.
TEST(KernelLogFilter, AKnownMiscountIsAWarningInRandomSequencesOnly) {
  const std::string line =
      "WARNING: drivers/gpu/drm/amd/amdgpu/../amdkfd/kfd_migrate.c:874 at "
      "svm_migrate_vram_to_ram+0xaff/0xc20 [amdgpu], CPU#0: kfdcts/462";
  const std::string taint = "kfdcts: new kernel taint: warning (see the kernel's log)";
  const std::string random = "SVMRange.RandomSequencesOfOneGpu/gpu0";
  EXPECT_EQ("warn warning", Judge(line, "vega10x2", random));
  EXPECT_EQ("warn taint", Judge(taint, "vega10x2", random));
  EXPECT_EQ("fail warning", Judge(line, "vega10x2"));
  EXPECT_EQ("fail warning", Judge("WARNING: mm/page_alloc.c:1 at x+0x1/0x2", "vega10x2", random));
}

/// Only kernels with lockdep look whether the lock is held.
TEST(KernelLogFilter, AnUnmapWithoutTheLockIsAWarningOfOwnKernelsOnly) {
  const std::string line =
      "WARNING: drivers/gpu/drm/amd/amdgpu/amdgpu_vm.c:138 at amdgpu_vm_ready+0x18a/0x1a0, CPU#1: "
      "kworker/u10:2/138";
  const std::string taint = "kfdcts: new kernel taint: warning (see the kernel's log)";
  EXPECT_EQ("warn warning", Judge(line, "vega10x2", "S.T/gpu0", "7.3.4-kfdcts"));
  EXPECT_EQ("warn taint", Judge(taint, "vega10x2", "S.T/gpu0", "7.3.4-kfdcts"));
  EXPECT_EQ("fail warning", Judge(line, "vega10x2", "S.T/gpu0", "7.3.4+deb13-amd64"));
}

TEST(KernelLogFilter, WhatTestsBringAboutIsNoComplaint) {
  EXPECT_EQ("ignore vm-fault",
            Judge("amdgpu 0000:00:05.0: [mmhub0] no-retry page fault (src_id:0 ring:1 vmid:8)"));
  EXPECT_EQ("ignore exception",
            Judge("[drm:gfx_v9_0_bad_op_irq [amdgpu]] *ERROR* Illegal opcode in command stream"));
  EXPECT_EQ("", Judge("amdgpu: Queue id does not match any known queue"));
  EXPECT_EQ("", Judge("amdgpu 0000:00:05.0: Failed to map peer:0000:00:06.0 mem_domain:4"));
}

TEST(KernelLogFilter, AStallInAnEmulatorMayBeABusyHosts) {
  const std::string line = "rcu: INFO: rcu_sched self-detected stall on CPU";
  EXPECT_EQ("fail stall", Judge(line));
  EXPECT_EQ("warn stall", Judge(line, "vega10x2"));
}

std::string ErrorOf(const std::string& text) {
  const TemporaryFolder folder;
  const auto file = folder.Write("f.yaml", text);
  return MessageOf<FixtureError>([&] { KernelLogFilter::Load(file); });
}

TEST(KernelLogFilter, MistakesAreToldWithTheirPlace) {
  EXPECT_THAT(ErrorOf("lines:\n  - {kind: a, pattern: '(', verdict: warn, cause: c}\n"),
              HasSubstr("is no regular expression"));
  EXPECT_THAT(ErrorOf("lines:\n  - {kind: a, pattern: b, verdict: maybe, cause: c}\n"),
              HasSubstr("\"maybe\" is none of ignore, warn and fail"));
  EXPECT_THAT(ErrorOf("lines:\n  - {kind: a, pattern: b, verdict: warn}\n"), HasSubstr("missing"));
}

}  // namespace
}  // namespace kfdcts::harness
