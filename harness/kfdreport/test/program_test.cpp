#include "harness/kfdreport/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kfdcts::report {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome Kfdreport(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "kfdreport");
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = Main(static_cast<int>(argv.size()), argv.data());
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

std::string Content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Runs in data/, so that reports name files as a user would.
class Program : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    fs::current_path(kData);
    scratch_ = fs::path(testing::TempDir()) / ("kfdreport-" + std::to_string(getpid()));
    fs::create_directories(scratch_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(scratch_);
  }

  static constexpr const char* kData = KFDCTS_SOURCE_DIR "/harness/kfdreport/test/data";
  fs::path before_;
  fs::path scratch_;
};

struct Golden {
  std::string name;
  std::vector<std::string> arguments;
  int code = 0;
};

class GoldenReport : public Program, public testing::WithParamInterface<Golden> {};

/// KFDCTS_UPDATE_GOLDEN=1 writes the files anew; look at what changed.
TEST_P(GoldenReport, ByteForByte) {
  const Outcome outcome = Kfdreport(GetParam().arguments);
  EXPECT_EQ(outcome.code, GetParam().code);
  EXPECT_EQ(outcome.err, "");
  const fs::path expected = fs::path("../golden") / GetParam().name;
  if (std::getenv("KFDCTS_UPDATE_GOLDEN") != nullptr) std::ofstream(expected) << outcome.out;
  EXPECT_EQ(outcome.out, Content(expected));
}

const std::vector<Golden> kGolden = {
    {"kfdcts.txt", {"text", "kfdcts.xml"}},
    {"makers.txt",
     {"text", "--slowest=1", "gtest_shard0.xml", "gtest_shard1.xml", "pytest.xml", "surefire.xml"}},
    {"repeats.txt", {"text", "repeat_fail.xml", "repeat_pass.xml"}},
    {"kfdcts.ktap", {"ktap", "kfdcts.xml"}},
    {"runs.ktap", {"ktap", "repeat_fail.xml", "pytest.xml"}},
    {"kfdcts.junit", {"junit", "kfdcts.xml"}},
    {"makers.junit",
     {"junit", "gtest_shard0.xml", "gtest_shard1.xml", "pytest.xml", "surefire.xml"}},
    {"compare.txt", {"compare", "kfdcts.xml", "kfdcts_debian.xml"}, 1},
    {"compare_back.txt", {"compare", "kfdcts_debian.xml", "kfdcts.xml"}, 1},
    {"compare_same.txt", {"compare", "kfdcts.xml", "kfdcts.xml"}},
    {"compare_lists.txt",
     {"compare", "gtest_shard0.xml,pytest.xml", "pytest.xml,gtest_shard0.xml,gtest_shard1.xml"}},
    {"statement.txt", {"statement", "--rules=spec", "kfdcts.xml", "kfdcts_debian.xml"}},
    {"statement.json", {"statement", "--rules=spec", "--json", "kfdcts.xml", "kfdcts_debian.xml"}},
};

INSTANTIATE_TEST_SUITE_P(Files, GoldenReport, testing::ValuesIn(kGolden), [](const auto& tested) {
  std::string name = tested.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST_F(Program, WhatJunitWroteReadsTheSame) {
  const std::string merged = scratch_ / "merged.xml";
  const std::string again = scratch_ / "again.xml";
  ASSERT_EQ(Kfdreport({"junit", ".", "-o", merged}).code, 0);
  ASSERT_EQ(Kfdreport({"junit", merged, "-o", again}).code, 0);
  EXPECT_EQ(Content(merged), Content(again));
  const Outcome compared = Kfdreport({"compare", ".", merged});
  EXPECT_EQ(compared.code, 0) << compared.out;
  EXPECT_THAT(compared.out, testing::Not(HasSubstr("→")));
}

TEST_F(Program, AFolderStandsForItsFiles) {
  EXPECT_THAT(Kfdreport({"text", "."}).out, HasSubstr("(./repeat_fail.xml, ./repeat_pass.xml)"));
}

TEST_F(Program, AFolderWithoutFiles) {
  const Outcome outcome = Kfdreport({"text", "spec"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "kfdreport: spec: no *.xml in that folder\n");
}

TEST_F(Program, BadFileWritesNothing) {
  const fs::path bad = scratch_ / "bad.xml";
  const fs::path out = scratch_ / "out.txt";
  std::ofstream(bad) << "<testsuites>\n<testsuite";
  const Outcome outcome = Kfdreport({"text", "kfdcts.xml", bad, "-o", out});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("bad.xml:2:"));
  EXPECT_EQ(outcome.out, "");
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(Program, OutputReplacesTheFileAndLeavesNothingElse) {
  const fs::path out = scratch_ / "out.txt";
  std::ofstream(out) << "before";
  ASSERT_EQ(Kfdreport({"text", "kfdcts.xml", "-o", out}).code, 0);
  EXPECT_THAT(Content(out), HasSubstr("11 tests"));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_), {}), 1);
}

TEST_F(Program, OutputThatCannotBeWritten) {
  const Outcome outcome = Kfdreport({"text", "kfdcts.xml", "-o", scratch_ / "none" / "out.txt"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("No such file or directory"));
  EXPECT_EQ(Kfdreport({"text", "kfdcts.xml", "-o", "/dev/full"}).code, 2);
}

TEST_F(Program, NothingToCompareIsNoSuccess) {
  const fs::path empty = scratch_ / "empty.xml";
  std::ofstream(empty) << "<testsuites/>";
  const Outcome outcome = Kfdreport({"compare", "kfdcts.xml", empty});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("empty.xml: holds no test case"));
}

TEST_F(Program, BadArguments) {
  EXPECT_EQ(Kfdreport({}).code, 2);
  EXPECT_EQ(Kfdreport({"text"}).code, 2);
  EXPECT_EQ(Kfdreport({"draw", "kfdcts.xml"}).code, 2);
  EXPECT_EQ(Kfdreport({"compare", "kfdcts.xml"}).code, 2);
  EXPECT_EQ(Kfdreport({"compare", "kfdcts.xml", "kfdcts.xml", "--slower-factor=0.5"}).code, 2);
  EXPECT_EQ(Kfdreport({"compare", ",", "kfdcts.xml"}).code, 2);
  EXPECT_EQ(Kfdreport({"statement", "kfdcts.xml", "--rules=nowhere"}).code, 2);
  EXPECT_EQ(Kfdreport({"--help"}).code, 0);
}

}  // namespace
}  // namespace kfdcts::report
