#include "harness/vm/guest/program_spec.h"

#include <gtest/gtest.h>

namespace kfdcts::vm {
namespace {

ProgramSpec Example() {
  ProgramSpec spec;
  spec.command = {"/bin/echo", "", "a=b", "two\nlines"};
  spec.environment = {"A=1", "B=x=y", "C="};
  spec.working_directory = "/some where";
  spec.uid = 1000;
  spec.gid = 1001;
  spec.groups = {4, 27};
  spec.open_path = true;
  spec.terminal = true;
  spec.rows = 50;
  spec.columns = 132;
  return spec;
}

TEST(ProgramSpec, ComesOutAsItWentIn) {
  const ProgramSpec spec = Example();
  const auto parsed = ProgramSpec::Parse(spec.Serialise());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->command, spec.command);
  EXPECT_EQ(parsed->environment, spec.environment);
  EXPECT_EQ(parsed->working_directory, spec.working_directory);
  EXPECT_EQ(parsed->uid, spec.uid);
  EXPECT_EQ(parsed->gid, spec.gid);
  EXPECT_EQ(parsed->groups, spec.groups);
  EXPECT_EQ(parsed->open_path, spec.open_path);
  EXPECT_EQ(parsed->terminal, spec.terminal);
  EXPECT_EQ(parsed->rows, spec.rows);
  EXPECT_EQ(parsed->columns, spec.columns);
}

TEST(ProgramSpec, AnythingElseIsRefused) {
  const std::string good = Example().Serialise();
  const std::string zero(1, '\0');
  EXPECT_FALSE(ProgramSpec::Parse(""));
  EXPECT_FALSE(ProgramSpec::Parse(good.substr(0, good.size() - 1)));
  for (const char* record : {"what=1", "uid=x", "uid=-1", "gid=99999999999", "terminal=2",
                             "cwd=here", "env=novalue", "nothing"}) {
    EXPECT_FALSE(ProgramSpec::Parse(good + record + zero)) << record;
  }
  EXPECT_FALSE(ProgramSpec::Parse("cwd=/" + zero)) << "no program";
  EXPECT_FALSE(ProgramSpec::Parse("arg=true" + zero)) << "no folder";
}

}  // namespace
}  // namespace kfdcts::vm
