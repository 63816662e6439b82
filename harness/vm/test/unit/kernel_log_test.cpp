#include "harness/vm/kernel_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace kfdcts::vm {
namespace {

std::vector<KernelLine> Parse(std::initializer_list<std::string_view> chunks) {
  std::vector<KernelLine> lines;
  KernelLogParser parser([&](const KernelLine& line) { lines.push_back(line); });
  for (const std::string_view chunk : chunks) {
    parser.Feed(chunk);
  }
  return lines;
}

TEST(KernelLog, RecordBecomesALine) {
  const auto lines = Parse({"4,339,5140900,-;amdgpu: a warning\n"});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].level, 4);
  EXPECT_EQ(lines[0].microseconds, 5140900u);
  EXPECT_EQ(lines[0].text, "amdgpu: a warning");
  EXPECT_EQ(lines[0].Raw(), "<4>[    5.140900] amdgpu: a warning");
}

TEST(KernelLog, FacilityIsNoPartOfTheLevel) {
  EXPECT_EQ(Parse({"12,1,2,-;from a program\n"})[0].level, 4);
}

TEST(KernelLog, PropertiesAreDropped) {
  const auto lines =
      Parse({"6,1,2,-,caller=T1;text\n SUBSYSTEM=pci\n DEVICE=+pci:0\n6,2,3,-;next\n"});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].text, "next");
}

TEST(KernelLog, EscapesAreResolvedAndLinesCut) {
  const auto lines = Parse({"6,1,2,-;tab\\x09 back\\x5cslash\\x0asecond \\xzz\n"});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text, "tab\t back\\slash");
  EXPECT_EQ(lines[1].text, "second \\xzz");
  EXPECT_EQ(lines[1].level, 6);
}

TEST(KernelLog, RecordsMayComeInPieces) {
  const auto lines = Parse({"6,1,2,-;one\n6,2", ",3,-;tw", "o\n"});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].text, "two");
}

TEST(KernelLog, WhatIsNoRecordIsDropped) { EXPECT_TRUE(Parse({"garbage\n\n"}).empty()); }

}  // namespace
}  // namespace kfdcts::vm
