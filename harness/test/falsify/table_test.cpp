#include "harness/test/falsify/table.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

namespace kfdcts::falsify {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ReadTableTest : public testing::Test {
 protected:
  std::vector<Falsification> Read(const std::string& text) {
    std::ofstream(file_) << text;
    return ReadTable(file_);
  }
  std::string ErrorOf(const std::string& text) {
    try {
      Read(text);
    } catch (const TableError& error) {
      return error.what();
    }
    return "no error";
  }
  ~ReadTableTest() override { std::remove(file_.c_str()); }

 private:
  std::string file_ = testing::TempDir() + "table_test." + std::to_string(getpid()) + ".yaml";
};

TEST_F(ReadTableTest, Entry) {
  const auto table = Read("- name: a.b\n  what: does a\n  red: [S.T/*, S.U/*]\n");
  ASSERT_EQ(table.size(), 1U);
  EXPECT_EQ(table[0].name, "a.b");
  EXPECT_EQ(table[0].what, "does a");
  EXPECT_THAT(table[0].red, ElementsAre("S.T/*", "S.U/*"));
}

TEST_F(ReadTableTest, UnknownKey) {
  EXPECT_THAT(ErrorOf("- name: a\n  what: b\n  rde: [S.T]\n"),
              HasSubstr(":3: unknown key \"rde\""));
}

TEST_F(ReadTableTest, MissingKey) {
  EXPECT_THAT(ErrorOf("- name: a\n  red: [S.T]\n"), HasSubstr(":1: no \"what\""));
}

TEST_F(ReadTableTest, NoTests) {
  EXPECT_THAT(ErrorOf("- name: a\n  what: b\n  red: []\n"), HasSubstr("\"red\" is no list"));
}

TEST_F(ReadTableTest, NameTwice) {
  const std::string entry = "- name: a\n  what: b\n  red: [S.T]\n";
  EXPECT_THAT(ErrorOf(entry + entry), HasSubstr(":4: \"a\" comes twice"));
}

TEST_F(ReadTableTest, NotYaml) { EXPECT_THAT(ErrorOf("- [a\n"), HasSubstr(".yaml:")); }

TEST_F(ReadTableTest, NoFile) { EXPECT_THROW(ReadTable("/nonexistent/table.yaml"), TableError); }

}  // namespace
}  // namespace kfdcts::falsify
