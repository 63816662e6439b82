#include "harness/kfdreport/output.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace kfdcts::report {
namespace {

namespace fs = std::filesystem;

TEST(Output, WhatIsNotFinishedLeavesTheFileAsItWas) {
  const fs::path folder = fs::path(testing::TempDir()) / ("output-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "report") << "before";
  {
    Output output(folder / "report");
    output.stream() << "half";
    output.stream().flush();
  }
  std::string content;
  std::ifstream(folder / "report") >> content;
  EXPECT_EQ(content, "before");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
  fs::remove_all(folder);
}

TEST(Output, AnyFileHasANameThatReportsCanHold) {
  EXPECT_EQ(DisplayName("a/é.xml"), "a/é.xml");
  EXPECT_EQ(DisplayName("a\xFF\x01\"\\.xml"), "a\xEF\xBF\xBD?\"\\.xml");
}

TEST(Output, NothingMovesATerminalsCursor) {
  EXPECT_EQ(Printable("a\x1B[2Jb\x7F\r\n\xC2\x9B\xC3\xA9"), "a?[2Jb????é");
}

}  // namespace
}  // namespace kfdcts::report
