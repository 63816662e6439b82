// What the program kfdvm says to bad input: exit code 2, what and where, and nothing started.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "harness/vm/base/child_process.h"
#include "harness/vm/test/scratch.h"

namespace kfdcts::vm {
namespace {

using ::testing::HasSubstr;

class CliTest : public ::testing::Test {
 protected:
  ToolResult Kfdvm(std::vector<std::string> arguments) {
    SpawnOptions options;
    options.argv = std::move(arguments);
    options.argv.insert(options.argv.begin(), (ProgramFolder() / "kfdvm").string());
    options.environment = {{"KFDCTS_CACHE", (scratch_.path() / "cache").string()}};
    options.working_directory = scratch_.path().string();
    return RunTool(options);
  }

  void ExpectRefused(std::vector<std::string> arguments, const std::string& message) {
    const ToolResult result = Kfdvm(std::move(arguments));
    EXPECT_TRUE(WIFEXITED(result.status));
    EXPECT_EQ(WEXITSTATUS(result.status), 2);
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(result.output, "");
  }

  test::Scratch scratch_;
};

TEST_F(CliTest, UnknownMachine) {
  ExpectRefused({"run", "--machine", "vega11", "--", "true"},
                "unknown machine \"vega11\"; known: ");
}

TEST_F(CliTest, MalformedMachineFile) {
  const auto file = scratch_.File("bad.yaml", "description: x\ngpu: []\n");
  ExpectRefused({"run", "--machine", file.string(), "--", "true"},
                file.string() + ":2:1: gpu: unknown key");
}

TEST_F(CliTest, MissingKernelImage) {
  ExpectRefused({"run", "--kernel", "/nowhere/bzImage", "--", "true"},
                "kernel image /nowhere/bzImage: no such file");
  ExpectRefused({"run", "--kernel", "debian-9.9", "--", "true"}, "known names: debian-7.3");
}

TEST_F(CliTest, KernelImageThatIsNone) {
  const auto file = scratch_.File("image", "text");
  ExpectRefused({"run", "--kernel", file.string(), "--", "true"},
                "neither a bzImage nor a vmlinux");
}

TEST_F(CliTest, MissingModulesFolder) {
  const auto image = scratch_.File("image", "text");
  ExpectRefused({"run", "--kernel", image.string(), "--modules", "/nowhere", "--", "true"},
                "modules folder /nowhere: no such folder");
}

TEST_F(CliTest, NoProgram) { ExpectRefused({"run", "--machine", "cpu-only"}, "program"); }

TEST_F(CliTest, UnknownOption) { ExpectRefused({"run", "--colour", "--", "true"}, "--colour"); }

TEST_F(CliTest, BadMemory) {
  ExpectRefused({"run", "--memory", "lots", "--", "true"}, "--memory: \"lots\"");
}

TEST_F(CliTest, BadVariable) {
  ExpectRefused({"run", "--env", "=x", "--", "true"}, "--env: \"=x\" is not NAME=VALUE");
}

TEST_F(CliTest, UserAndRoot) { ExpectRefused({"run", "--user", "--root", "--", "true"}, "--user"); }

TEST_F(CliTest, BadTimeout) {
  ExpectRefused({"run", "--timeout", "soon", "--", "true"}, "--timeout");
}

TEST_F(CliTest, UnwritableResults) {
  ExpectRefused({"run", "--results", "/proc/nowhere", "--", "true"},
                "results folder /proc/nowhere");
}

TEST_F(CliTest, UnknownKernelToFetch) {
  ExpectRefused({"fetch", "--kernel", "debian-9.9"}, "unknown kernel \"debian-9.9\"");
}

TEST_F(CliTest, MachinesAreListedALineEach) {
  const ToolResult result = Kfdvm({"machines"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("vega10x2     2 x vega10"));
  EXPECT_THAT(result.output, HasSubstr("cpu-only     no GPU"));
}

TEST_F(CliTest, KernelsAreListedBeforeTheyAreThere) {
  const ToolResult result = Kfdvm({"kernels"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("debian-7.3   not fetched yet"));
}

}  // namespace
}  // namespace kfdcts::vm
