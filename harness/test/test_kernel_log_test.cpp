#include "harness/run/test_kernel_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "harness/probes/kernel_log_device.h"
#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::TemporaryFolder;

/// A kernel's log that a test writes.
class LogTarget : public Target {
 public:
  explicit LogTarget(std::string marks) : marks_(std::move(marks)) {}

  End Run(const Launch&) override { return {}; }
  std::filesystem::path ExecutorFolder(const Launch& launch) const override {
    return launch.folder;
  }
  std::string marked_log() const override { return marks_; }
  std::vector<vm::KernelLine> TakeKernelLog(const std::string&,
                                            std::chrono::milliseconds) override {
    return std::exchange(lines_, {});
  }
  void Say(std::string text) { lines_.push_back({.level = 4, .text = std::move(text)}); }

 private:
  std::string marks_;
  std::vector<vm::KernelLine> lines_;
};

class TestKernelLogTest : public testing::Test {
 protected:
  static std::shared_ptr<const KernelLogFilter> Filter() {
    const TemporaryFolder folder;
    return std::make_shared<KernelLogFilter>(KernelLogFilter::Load(
        folder.Write("f.yaml",
                     "lines:\n  - {kind: bad, pattern: BAD, verdict: fail, cause: c}\n"
                     "  - {kind: odd, pattern: ODD, verdict: warn, cause: c}\n")));
  }
  TestRecord Attach(const char* test, bool ended = true) {
    TestRecord record;
    kinds_.clear();
    for (const auto& one : log_.Attach(test, ended, "7.3", record)) kinds_.push_back(one.kind);
    return record;
  }
  void SayTest(const char* test, const char* line) {
    target_.Say(BeginMark(test));
    target_.Say(line);
    target_.Say(EndMark(test));
  }

  LogTarget target_{"/dev/kmsg"};
  TestKernelLog log_{target_, Filter(), "host"};
  std::vector<std::string> kinds_;
};

TEST_F(TestKernelLogTest, MarksCutAndTheBootIsNobodys) {
  log_.StartBoot();
  target_.Say("BAD at boot");
  SayTest("A", "hello");
  const TestRecord record = Attach("A");
  EXPECT_THAT(record.kernel_log, ElementsAre("<4>[    0.000000] hello"));
  EXPECT_TRUE(record.Passed());
  EXPECT_EQ("", record.warning);
}

TEST_F(TestKernelLogTest, ABadLineFailsAnOddOneWarns) {
  SayTest("A", "BAD");
  EXPECT_THAT(Attach("A").failures.at(0).message, HasSubstr("the kernel complained: BAD"));
  EXPECT_THAT(kinds_, ElementsAre("bad"));
  SayTest("B", "ODD");
  const TestRecord odd = Attach("B");
  EXPECT_TRUE(odd.Passed());
  EXPECT_EQ("ODD", odd.warning);
}

TEST_F(TestKernelLogTest, WhatComesBetweenTestsWarnsTheNext) {
  SayTest("A", "x");
  target_.Say("BAD afterwards");
  EXPECT_TRUE(Attach("A").Passed());
  SayTest("B", "y");
  const TestRecord next = Attach("B");
  EXPECT_TRUE(next.Passed());
  EXPECT_EQ("before this test: BAD afterwards", next.warning);
  EXPECT_THAT(kinds_, ElementsAre("bad"));
}

TEST_F(TestKernelLogTest, WhatIsLateIsNobodysElse) {
  log_.StartBoot();
  target_.Say("BAD at boot");
  EXPECT_TRUE(Attach("A").Passed());
  SayTest("A", "late");
  SayTest("B", "own");
  const TestRecord record = Attach("B");
  EXPECT_TRUE(record.Passed());
  EXPECT_EQ("<4>[    0.000000] own", record.kernel_log.back());
}

TEST_F(TestKernelLogTest, ALostTestHasWhatCameSinceItsBegin) {
  target_.Say(BeginMark("A"));
  target_.Say("BAD");
  EXPECT_THAT(Attach("A", false).kernel_log, ElementsAre("<4>[    0.000000] BAD"));
}

TEST_F(TestKernelLogTest, ManyLinesAreShortened) {
  target_.Say(BeginMark("A"));
  for (int i = 0; i < 1000; ++i) target_.Say(std::to_string(i));
  target_.Say(EndMark("A"));
  const auto log = Attach("A").kernel_log;
  EXPECT_EQ(kKernelLogLines + 1, log.size());
  EXPECT_EQ("(800 lines left out)", log[kKernelLogLines / 2]);
  EXPECT_THAT(log.back(), HasSubstr("999"));
}

TEST_F(TestKernelLogTest, NewTaintIsALineOfIts) {
  SayTest("A", "x");
  TestRecord record;
  record.properties = {{kTaintProperty, "warning"}};
  log_.Attach("A", true, "7.3", record);
  EXPECT_THAT(record.kernel_log.back(), HasSubstr("kfdcts: new kernel taint: warning"));
  EXPECT_THAT(record.properties, IsEmpty());
}

TEST(TestKernelLogWithoutMarks, TimeDecides) {
  LogTarget target("");
  TestKernelLog log(target, nullptr, "host");
  target.Say("earlier");
  log.Begin();
  target.Say("own");
  TestRecord record;
  log.Attach("A", true, "7.3", record);
  EXPECT_THAT(record.kernel_log, ElementsAre("<4>[    0.000000] own"));
}

}  // namespace
}  // namespace kfdcts::harness
