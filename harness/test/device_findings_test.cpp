#include "harness/report/device_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::TemporaryFolder;

constexpr const char* kList = R"(fails: []
device_findings:
  - kind: cleared-translation
    kernel: 7.3.*
    cause: no flush
  - kind: stale-translation
    pattern: SVMRange.Known/*
    cause: a test of its own
)";

class DeviceFindings : public testing::Test {
 protected:
  void SetUp() override {
    folder_.Write("list.yaml", kList);
    expectations_.Load(folder_.path() / "list.yaml");
    run_.kernel_release = "7.3.4";
    record_.suite = "SVMRange";
    record_.name = "Some/gpu0";
  }
  void Judge(const std::string& finding) {
    record_.properties.emplace_back(DeviceFindingProperty(1), finding);
    JudgeDeviceFindings(record_, expectations_, run_);
  }

  TemporaryFolder folder_;
  Expectations expectations_;
  RunInfo run_;
  TestRecord record_;
};

TEST_F(DeviceFindings, FailTheTest) {
  Judge("fence-twice: gpu0: fence-twice x1 at 0x10");
  ASSERT_THAT(record_.failures, SizeIs(1));
  EXPECT_THAT(record_.failures[0].message, HasSubstr("fence-twice x1 at 0x10"));
  EXPECT_THAT(record_.known_findings, IsEmpty());
}

TEST_F(DeviceFindings, TheKernelsOwnAreKeptApart) {
  Judge("cleared-translation: gpu0: cleared-translation x1");
  EXPECT_FALSE(record_.Failed());
  ASSERT_THAT(record_.known_findings, SizeIs(1));
  EXPECT_EQ(record_.known_findings[0].cause, "no flush");
}

TEST_F(DeviceFindings, OfAnotherKernelFail) {
  run_.kernel_release = "7.4.0";
  Judge("cleared-translation: gpu0: cleared-translation x1");
  EXPECT_TRUE(record_.Failed());
}

TEST_F(DeviceFindings, OfAnotherTestFail) {
  Judge("stale-translation: gpu0");
  EXPECT_TRUE(record_.Failed());
  record_ = {};
  record_.suite = "SVMRange";
  record_.name = "Known/gpu1";
  Judge("stale-translation: gpu0");
  EXPECT_FALSE(record_.Failed());
}

TEST_F(DeviceFindings, EachOfATestHasAPropertyOfItsOwn) {
  record_.properties.emplace_back(DeviceFindingProperty(2), "interrupt-twice: gpu0");
  Judge("fence-twice: gpu0");
  EXPECT_THAT(record_.failures, SizeIs(2));
}

}  // namespace
}  // namespace kfdcts::harness
