// Whole runs of kfdcts_fake against the reports that they must leave, harness/test/golden/.
// KFDCTS_WRITE_GOLDEN=1 writes these files anew: look at the difference before it is committed.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>

#include "harness/test/temporary_folder.h"
#include "harness/vm/base/child_process.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

namespace fs = std::filesystem;
using testing_support::TemporaryFolder;

const fs::path kGolden = fs::path(KFDCTS_SOURCE_DIR) / "harness/test/golden";

std::string ReadAll(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Times, process ids, source lines and what differs from machine to machine.
std::string Normalised(std::string text) {
  const std::pair<const char*, const char*> changes[] = {
      {R"(time="[0-9.]+")", R"(time="T")"},
      {R"(timestamp="[^"]*")", R"(timestamp="T")"},
      {R"(line="[0-9]+")", R"(line="L")"},
      {R"((_suite\.cpp|kfd_test\.cpp):[0-9]+)", "$1:L"},
      {R"(process [0-9]+ left-over)", "process P left-over"},
      {R"(name="kernel_release" value="[^"]*")", R"(name="kernel_release" value="R")"}};
  for (const auto& [pattern, by] : changes)
    text = std::regex_replace(text, std::regex(pattern), by);
  return text;
}

class GoldenRun : public testing::Test {
 protected:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  /// Runs kfdcts_fake; its exit code, or -1 where it was killed.
  int Run(std::vector<std::string> flags, Environment environment = {}) {
    vm::SpawnOptions options;
    options.argv = {(vm::ProgramFolder() / "kfdcts_fake").string()};
    options.argv.insert(options.argv.end(), flags.begin(), flags.end());
    options.environment = std::move(environment);
    options.environment.emplace_back("KFDCTS_KERNEL_LOG", log_.string());
    options.environment.emplace_back("GTEST_COLOR", "no");
    options.working_directory = folder_.path();
    const vm::ToolResult result = vm::RunTool(options);
    output_ = result.output + result.errors;
    return WIFEXITED(result.status) ? WEXITSTATUS(result.status) : -1;
  }

  int Start(const std::string& filter, std::vector<std::string> flags = {},
            Environment environment = {}) {
    flags.insert(flags.end(), {"--results=" + results().string(), "--rerun=0",
                               "--gtest_random_seed=4711", "--gtest_filter=" + filter});
    return Run(std::move(flags), std::move(environment));
  }

  fs::path results() const { return folder_.path() / "results"; }

  void ExpectReports(const std::string& name) {
    const fs::path golden = kGolden / (name + ".xml");
    const std::string is = Normalised(ReadAll(results() / "junit.xml"));
    if (std::getenv("KFDCTS_WRITE_GOLDEN") != nullptr) {
      fs::create_directories(kGolden);
      std::ofstream(golden, std::ios::binary) << is;
    }
    EXPECT_EQ(ReadAll(golden), is) << output_;
  }

  TemporaryFolder folder_;
  fs::path log_ = folder_.Write("kmsg", "");
  std::string output_;
};

TEST_F(GoldenRun, Batches) {
  EXPECT_EQ(1, Start("Rough.*"));
  ExpectReports("batches");
}

TEST_F(GoldenRun, Isolated) {
  EXPECT_EQ(1, Start("Rough.*", {"--isolate"}));
  ExpectReports("isolated");
}

/// The marks of a test stand around what its process did to its end.
TEST_F(GoldenRun, Marks) {
  Start("Rough.Passes*:Rough.Crashes*:Rough.KernelWarns*");
  EXPECT_EQ(
      "6,0,0,-;kfdcts: begin Rough.Passes/cpu\n"
      "6,0,0,-;kfdcts: end Rough.Passes/cpu\n"
      "6,0,0,-;kfdcts: begin Rough.Crashes/cpu\n"
      "6,0,0,-;kfdcts: end Rough.Crashes/cpu\n"
      "6,0,0,-;kfdcts: begin Rough.KernelWarns/cpu\n"
      "4,0,0,-;WARNING: CPU: 0 PID: 1 at drivers/gpu/drm/amd/amdkfd/kfd_svm.c:1 f+0x1/0x2\n"
      "4,0,0,-;Call Trace:\n"
      "6,0,0,-;kfdcts: end Rough.KernelWarns/cpu\n",
      ReadAll(log_));
}

TEST_F(GoldenRun, ARestartInTheMiddle) {
  const std::string filter = "Rough.Passes*:Rough.Fails*:Rough.EndsItsRun*:Rough.TheLast*";
  EXPECT_EQ(-1, Start(filter, {}, {{"KFDCTS_BOOT_ID", "boot-a"}, {"KFDCTS_FAKE_RESTART", "1"}}));
  EXPECT_FALSE(fs::exists(results() / "junit.xml"));
  EXPECT_EQ(1, Run({"--resume=results"}, {{"KFDCTS_BOOT_ID", "boot-b"}}));
  ExpectReports("restarted");
  EXPECT_TRUE(fs::exists(results() / "boot2"));
}

TEST_F(GoldenRun, KilledInTheMiddle) {
  EXPECT_EQ(-1, Start("Rough.EndsItsRun*:Rough.TheLast*", {},
                      {{"KFDCTS_BOOT_ID", "boot-a"}, {"KFDCTS_FAKE_RESTART", "1"}}));
  EXPECT_EQ(1, Run({"--resume=results"}, {{"KFDCTS_BOOT_ID", "boot-a"}}));
  ExpectReports("killed");
}

TEST_F(GoldenRun, TheRunsLimit) {
  EXPECT_EQ(1, Start("Rough.Passes*:Rough.SaysNothing*:Rough.TheLast*", {"--run-timeout=1"},
                     {{"KFDCTS_FAKE_SILENCE", "1"}}));
  ExpectReports("run-timeout");
  // What has no verdict by then is left to a run that goes on.
  EXPECT_EQ(0, Run({"--resume=results"}));
  ExpectReports("run-timeout-resumed");
}

TEST_F(GoldenRun, Silence) {
  EXPECT_EQ(1, Start("Rough.SaysNothing*:Rough.TheLast*", {"--silence-timeout=1"},
                     {{"KFDCTS_FAKE_SILENCE", "1"}}));
  ExpectReports("silence");
}

TEST_F(GoldenRun, AbortOnAKind) {
  EXPECT_EQ(1, Start("Rough.Passes*:Rough.Driver*:Rough.GpuFaults*:Rough.TheLast*",
                     {"--abort-on=lockdep,driver"}));
  ExpectReports("abort-on");
}

TEST_F(GoldenRun, AFilterOfOnesOwn) {
  const auto filter = folder_.Write("filter.yaml",
                                    "lines:\n"
                                    "  - {kind: all, pattern: WARNING, verdict: warn, cause: x,\n"
                                    "     test: Rough.Kernel*}\n");
  EXPECT_EQ(0, Start("Rough.KernelWarns*", {"--kernel-log-filter=" + filter.string()}));
  ExpectReports("own-filter");
}

TEST_F(GoldenRun, TheWatchdogIsFedAndDisarmed) {
  const auto device = folder_.Write("watchdog", "");
  EXPECT_EQ(0, Start("Rough.Passes*", {"--watchdog=" + device.string()}));
  const std::string written = ReadAll(device);
  EXPECT_EQ('V', written.back());
  EXPECT_LE(1u, written.find_first_not_of('\n'));
}

TEST_F(GoldenRun, BadInputIsRefused) {
  const auto refused = [&](const std::string& what) {
    EXPECT_NE(std::string::npos, output_.find(what)) << output_;
  };
  EXPECT_EQ(2, Start("Rough.Passes*", {"--abort-on=taint,lokdep"}));
  refused("--abort-on: lokdep is no kind of the kernel-log filter");
  EXPECT_EQ(2, Start("Rough.Passes*", {"--watchdog=/nowhere/watchdog"}));
  refused("--watchdog: watchdog /nowhere/watchdog: No such file");
  EXPECT_EQ(2, Run({"--resume=nowhere"}));
  refused("nowhere/journal.jsonl: no journal");
  EXPECT_EQ(0, Start("Rough.Passes*"));
  EXPECT_EQ(2, Run({"--resume=results", "--isolate"}));
  refused("--isolate cannot be added");
  std::string journal = ReadAll(results() / "journal.jsonl");
  folder_.Write("results/journal.jsonl", std::regex_replace(journal, std::regex(" tests, "), " t"));
  EXPECT_EQ(2, Run({"--resume=results"}));
  refused("the journal is of another kfdcts");
}

}  // namespace
}  // namespace kfdcts::harness
