// Which faults the environment variable turns on.
#include "thunk/src/fault/fault.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <csignal>
#include <string>
#include <vector>

#include "harness/vm/base/child_process.h"

namespace kfdcts::thunk {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kNames = {
#define KFDCTS_FAULT(name, rules, what) #name,
#include "thunk/src/fault/faults.inc"
#undef KFDCTS_FAULT
};

vm::ToolResult Probe(std::vector<std::pair<std::string, std::string>> environment) {
  vm::SpawnOptions options;
  options.argv = {PROBE};
  options.environment = std::move(environment);
  return vm::RunTool(options);
}

TEST(Fault, NoneWithoutTheVariable) {
  const auto result = Probe({});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "");
}

TEST(Fault, NoneWithAnEmptyVariable) { EXPECT_EQ(Probe({{"KFDCTS_THUNK_FAULT", ""}}).output, ""); }

TEST(Fault, OnlyTheOneThatIsNamed) {
  for (const auto& name : {kNames.front(), kNames[kNames.size() / 2], kNames.back()}) {
    EXPECT_EQ(Probe({{"KFDCTS_THUNK_FAULT", name}}).output, name + "\n");
  }
}

TEST(Fault, UnknownNameEndsTheProcess) {
  const auto result = Probe({{"KFDCTS_THUNK_FAULT", "SizeRound"}});
  EXPECT_TRUE(WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGABRT);
  EXPECT_THAT(result.errors, HasSubstr("KFDCTS_THUNK_FAULT=SizeRound: there is no such fault"));
  EXPECT_EQ(result.output, "");
}

TEST(Fault, ThereAreAtLeastForty) { EXPECT_GE(kNames.size(), 40U); }

// This file is compiled as the library that users get is.
static_assert(!Broken(Fault::kSizeRounded));

}  // namespace
}  // namespace kfdcts::thunk
