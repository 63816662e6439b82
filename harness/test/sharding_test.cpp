#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "harness/test/program_run.h"

namespace kfdcts::harness {
namespace {

using testing_support::ProgramRun;

class Shard : public testing::Test {
 protected:
  void TearDown() override {
    unsetenv("GTEST_TOTAL_SHARDS");
    unsetenv("GTEST_SHARD_INDEX");
  }

  static int CountOf(const char* index) {
    setenv("GTEST_TOTAL_SHARDS", "2", 1);
    setenv("GTEST_SHARD_INDEX", index, 1);
    ProgramRun run({"--gtest_filter=Good.*"});
    EXPECT_EQ(0, run.exit_code()) << run.output() << run.errors();
    pugi::xml_document report;
    EXPECT_TRUE(report.load_file((run.results() / "junit.xml").c_str()));
    return report.child("testsuites").attribute("tests").as_int();
  }
};

TEST_F(Shard, TwoHalvesMakeTheWhole) {
  const int first = CountOf("0");
  const int second = CountOf("1");
  EXPECT_EQ(7, first + second);
  EXPECT_LT(0, first);
  EXPECT_LT(0, second);
}

}  // namespace
}  // namespace kfdcts::harness
