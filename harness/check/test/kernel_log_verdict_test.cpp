#include "harness/check/kernel_log_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace kfdcts::check {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

LogLine Line(int level, std::uint64_t seconds, const std::string& text) {
  return {level, seconds * 1'000'000, text};
}

const CheckWindow kFault{.test = "Faults.Read",
                         .start_us = 10'000'000,
                         .end_us = 12'000'000,
                         .expected = {"page fault"}};

TEST(KernelLogVerdict, LinesAreCut) {
  LogLine line;
  ASSERT_TRUE(ParseLogLine("<3>[   12.345678] amdgpu: bad", line));
  EXPECT_EQ(line.level, 3);
  EXPECT_EQ(line.us, 12'345'678U);
  EXPECT_EQ(line.text, "amdgpu: bad");
  EXPECT_FALSE(ParseLogLine("no line", line));
}

TEST(KernelLogVerdict, ErrorsAndSplatsAreTrouble) {
  EXPECT_TRUE(IsTrouble(Line(3, 1, "anything")));
  EXPECT_TRUE(IsTrouble(Line(4, 1, "WARNING: CPU: 0 PID: 1 at x.c:1 f+0x1/0x2")));
  EXPECT_TRUE(IsTrouble(Line(6, 1, "amdgpu 0000:00:04.0: GPU reset begin!")));
  EXPECT_TRUE(IsTrouble(Line(4, 1, "amdgpu: qcm fence wait loop timeout expired")));
  EXPECT_FALSE(IsTrouble(Line(4, 1, "tsc: Unable to calibrate against PIT")));
  EXPECT_FALSE(IsTrouble(Line(6, 1, "amdgpu: HMM registered 256MB device memory")));
}

TEST(KernelLogVerdict, DeclaredLinesAreForgivenWhileTheirCheckRuns) {
  EXPECT_THAT(JudgeLog({Line(3, 11, "a page fault")}, {kFault}, {}), IsEmpty());
  EXPECT_THAT(JudgeLog({Line(3, 13, "a page fault, a little late")}, {kFault}, {}), IsEmpty());
}

TEST(KernelLogVerdict, OthersAndOtherTimesAreNot) {
  const auto unexpected =
      JudgeLog({Line(3, 11, "something else"), Line(3, 30, "a page fault")}, {kFault}, {});
  ASSERT_EQ(unexpected.size(), 2U);
  EXPECT_EQ(unexpected[0].test, "Faults.Read");
  EXPECT_EQ(unexpected[1].test, "");
  EXPECT_EQ(JudgeLog({Line(3, 1, "a page fault before its check")}, {kFault}, {}).size(), 1U);
}

TEST(KernelLogVerdict, CheckThatNeverEndedOwnsTheRest) {
  const CheckWindow hung{.test = "Hung", .start_us = 5'000'000, .expected = {}};
  const auto unexpected = JudgeLog({Line(3, 99, "stuck")}, {hung}, {});
  ASSERT_EQ(unexpected.size(), 1U);
  EXPECT_EQ(unexpected[0].test, "Hung");
}

TEST(KernelLogVerdict, AllowedListHasComments) {
  std::istringstream in("# why\n\nperfctr msr\n");
  const auto allowed = ReadAllowed(in);
  EXPECT_THAT(allowed, ElementsAre("perfctr msr"));
  EXPECT_THAT(
      JudgeLog({Line(3, 1, "Failed to access perfctr msr (MSR c0010007 is 0)")}, {}, allowed),
      IsEmpty());
}

TEST(KernelLogVerdict, ReportsOfUnknownPacketsAreBad) {
  std::istringstream report(
      "packet PM4 NOP: 3\nunknown register: reg 0x1 x1\nunknown packet: PM4 0x5a x1\n");
  EXPECT_THAT(BadReportLines(report), ElementsAre("unknown packet: PM4 0x5a x1"));
}

TEST(CheckLog, ReadsWhatWasWritten) {
  const std::string file = ::testing::TempDir() + "check_log_test.jsonl";
  {
    CheckLog log(file);
    log.Begin("A");
    log.End("A", {"x.*y"});
    log.Begin("B");
  }
  std::ifstream in(file);
  const auto windows = ReadCheckLog(in);
  std::remove(file.c_str());
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0].test, "A");
  EXPECT_GE(windows[0].end_us, windows[0].start_us);
  EXPECT_THAT(windows[0].expected, ElementsAre("x.*y"));
  EXPECT_EQ(windows[1].end_us, UINT64_MAX);
}

TEST(CheckLog, ForeignLinesAreRefusedWithTheirNumber) {
  std::istringstream in("{\"test\":\"A\",\"start_us\":1}\nnonsense\n");
  EXPECT_THROW(ReadCheckLog(in), std::runtime_error);
  std::istringstream end_only("{\"test\":\"A\",\"end_us\":1,\"expected\":[]}\n");
  EXPECT_THROW(ReadCheckLog(end_only), std::runtime_error);
}

}  // namespace
}  // namespace kfdcts::check
