#include "harness/target/vm_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::TemporaryFolder;
using End = vm::GuestResult::End;

/// A guest whose end is given instead of booted.
Target::End EndOf(const vm::GuestResult& result, vm::GuestRun* seen = nullptr) {
  const TemporaryFolder folder;
  VmTarget target({}, "/opt/kfdcts", [&](const vm::GuestRun& run) {
    if (seen != nullptr) *seen = run;
    run.on_stderr("executor: said this\n");
    return result;
  });
  return target.Run({folder.path(), 5, 6, {}});
}

TEST(VmTarget, RunsTheProgramAsExecutorInTheGuest) {
  vm::GuestRun run;
  vm::GuestResult result;
  result.end = End::kExited;
  const auto end = EndOf(result, &run);
  EXPECT_TRUE(end.regular);
  EXPECT_THAT(run.command, ElementsAre("/opt/kfdcts", std::string("--execute=") + vm::kGuestShare));
  EXPECT_EQ(5, run.stdin_fd);
  EXPECT_EQ(6, run.cancel_fd);
  EXPECT_FALSE(run.root);
}

TEST(VmTarget, APanicIsNamedWithTheConsolesLastLines) {
  vm::GuestResult result;
  result.end = End::kPanicked;
  result.reason = "Fatal exception in interrupt";
  result.console_tail = {"line one", "line two"};
  const auto end = EndOf(result);
  EXPECT_FALSE(end.regular);
  EXPECT_EQ("the guest's kernel panicked: Fatal exception in interrupt", end.reason);
  EXPECT_THAT(end.last_words, HasSubstr("line one\nline two\n"));
  EXPECT_THAT(end.last_words, HasSubstr("said this"));
}

TEST(VmTarget, AnExecutorThatFailsIsNoRegularEnd) {
  vm::GuestResult result;
  result.end = End::kExited;
  result.exit_code = 70;
  EXPECT_EQ("the executor exited with 70", EndOf(result).reason);
}

TEST(VmTarget, WhatAVirtualGpuDidNotKnowIsTold) {
  const TemporaryFolder folder;
  vm::GuestResult result;
  result.end = End::kExited;
  result.gpu_reports = {folder.Write("gpu1.report",
                                     "vfio-user refused 0\n"
                                     "packet PM4 NOP: 3\n"
                                     "unknown packet: PM4 0x5a x1\n")};
  EXPECT_THAT(EndOf(result).device_complaints, ElementsAre("gpu1: unknown packet: PM4 0x5a x1"));
}

TEST(VmTarget, TheKernelsLogIsTakenOnce) {
  const TemporaryFolder folder;
  VmTarget target({}, "/opt/kfdcts", [](const vm::GuestRun& run) {
    run.on_kernel_line({.level = 6, .microseconds = 1, .text = "hello"});
    run.on_kernel_line({.level = 3, .microseconds = 2, .text = "amdgpu: trouble"});
    return vm::GuestResult{};
  });
  target.Run({folder.path(), -1, -1, {}});
  // The guest is gone: nothing is waited for.
  const auto log = target.TakeKernelLog("never", std::chrono::hours(1));
  ASSERT_EQ(2u, log.size());
  EXPECT_EQ("hello", log[0].text);
  EXPECT_EQ("<3>[    0.000002] amdgpu: trouble", log[1].Raw());
  EXPECT_THAT(target.TakeKernelLog("", std::chrono::hours(1)), testing::IsEmpty());
}

}  // namespace
}  // namespace kfdcts::harness
