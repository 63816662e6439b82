#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/svm_vectors/vector_file.h"
#include "harness/test/program_run.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_support::ProgramRun;
using testing_support::TemporaryFolder;

struct UsageCase {
  const char* name;
  const char* program;
  std::vector<std::string> flags;
  const char* error;
};

class Usage : public testing::TestWithParam<UsageCase> {};

TEST_P(Usage, BadInputIsOneClearLineAndExitCode2) {
  const ProgramRun run(GetParam().flags, GetParam().program);
  EXPECT_EQ(2, run.exit_code());
  EXPECT_THAT(run.errors(), StartsWith("kfdcts: "));
  EXPECT_THAT(run.errors(), HasSubstr(GetParam().error));
  EXPECT_EQ(1, std::count(run.errors().begin(), run.errors().end(), '\n')) << run.errors();
  EXPECT_FALSE(std::filesystem::exists(run.results()));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Usage,
    testing::Values(
        UsageCase{"unknown_flag", "kfdcts", {"--frob"}, "unknown argument --frob"},
        UsageCase{"unknown_gtest_flag", "kfdcts", {"--gtest_frob=1"}, "unknown argument"},
        UsageCase{"stray_word", "kfdcts", {"word"}, "unknown argument word"},
        UsageCase{"unknown_target", "kfdcts", {"--target=moon"}, "--target: moon"},
        UsageCase{"unknown_machine", "kfdcts", {"--machine=nosuch"}, "unknown machine \"nosuch\""},
        UsageCase{"machine_of_host",
                  "kfdcts",
                  {"--target=host", "--machine=vega10"},
                  "are for --target=vm"},
        UsageCase{"no_variable", "kfdcts", {"--env=KEY"}, "--env: KEY is not of the form NAME="},
        UsageCase{"no_kernel", "kfdcts", {"--kernel=/no/such"}, "/no/such: no such file or folder"},
        UsageCase{"no_thunk", "kfdcts", {"--target=vm", "--thunk=/no/such.so"}, "/no/such.so: No "},
        UsageCase{"thunk_of_text", "kfdcts", {"--target=vm", "--thunk=/etc/passwd"}, "no ELF file"},
        UsageCase{"no_vectors", "kfdcts", {"svm-vectors", "/no/such.jsonl"}, "/no/such.jsonl: can"},
        UsageCase{"no_sequence",
                  "kfdcts",
                  {"svm-vectors", GoldenVectors().string(), "--sequence=none"},
                  "--sequence: none names no sequence"},
        UsageCase{"no_expectations", "kfdcts_fake", {"--expectations=/no/such"}, "/no/such: "},
        UsageCase{"breakages_of_what", "kfdcts", {"breakages"}, "name what to break, --thunk or"},
        UsageCase{"breakages_of_both",
                  "kfdcts",
                  {"breakages", "--thunk", "--kernel"},
                  "name what to break, --thunk or"},
        UsageCase{"no_breakable_kernel",
                  "kfdcts",
                  {"breakages", "--kernel", "--image=/no/vmlinux"},
                  "kernel /no/vmlinux: cannot be read; fixtures/breakages/kernel/build makes one"},
        UsageCase{"kernel_without_faults",
                  "kfdcts",
                  {"breakages", "--kernel", "--image=/bin/sh"},
                  "kernel /bin/sh: does not know the fault "},
        UsageCase{"hosts_kernel",
                  "kfdcts",
                  {"breakages", "--kernel", "--target=host"},
                  "breaks a guest's"},
        UsageCase{"unknown_fault",
                  "kfdcts",
                  {"breakages", "--thunk", "--fault=Nosuch"},
                  "--fault: Nosuch is no fault"},
        UsageCase{"no_breakable_thunk",
                  "kfdcts",
                  {"breakages", "--thunk", "--library=/no/such.so"},
                  "/no/such.so: cannot be read"},
        UsageCase{"thunk_without_faults",
                  "kfdcts",
                  {"breakages", "--thunk", "--library=/bin/sh"},
                  "/bin/sh: not built with faults"},
        UsageCase{"breakages_of_no_test",
                  "kfdcts",
                  {"breakages", "--thunk", "--target=vm", "--gtest_filter=No.Such"},
                  "--gtest_filter: no test"},
        UsageCase{"unknown_label",
                  "kfdcts_fake",
                  {"--exclude-label=odd"},
                  "--exclude-label: odd is no label; they are full-vram, hang, reset, soak"},
        UsageCase{"no_cases", "kfdcts_fake", {"--cases=0"}, "--cases"},
        UsageCase{"odd_repeat",
                  "kfdcts_fake",
                  {"--repeat-until-fail=some"},
                  "--repeat-until-fail: some is no number"},
        UsageCase{"repeat_of_both",
                  "kfdcts_fake",
                  {"--repeat-until-fail", "--gtest_repeat=2"},
                  "exclude one another"},
        UsageCase{"no_earlier_run",
                  "kfdcts_fake",
                  {"--rerun-failed=/no/such"},
                  "/no/such: cannot be read"},
        UsageCase{"choice_of_vectors",
                  "kfdcts",
                  {"svm-vectors", GoldenVectors().string(), "--safe"},
                  "for runs of tests, not for breakages and svm-vectors"},
        UsageCase{"explain_what", "kfdcts_fake", {"explain"}, "id is required"},
        UsageCase{"odd_time_limit", "kfdcts", {"--test-timeout=0"}, "--test-timeout"}),
    [](const auto& test) { return test.param.name; });

TEST(CommandLine, MalformedExpectationsAreNamedByFileLineAndKey) {
  const TemporaryFolder folder;
  const auto file = folder.Write("list.yaml", "fails:\n  - pattern: a\n");
  const ProgramRun run({"--expectations=" + file.string()});
  EXPECT_EQ(2, run.exit_code());
  EXPECT_EQ("kfdcts: " + file.string() + ":2: cause: missing\n", run.errors());
}

TEST(CommandLine, MalformedMachineIsNamedByFileAndLine) {
  const TemporaryFolder folder;
  const auto file = folder.Write("machine.yaml", "gpus: []\nfrob: 1\n");
  const ProgramRun run({"--machine=" + file.string()}, "kfdcts");
  EXPECT_EQ(2, run.exit_code());
  EXPECT_THAT(run.errors(), HasSubstr(file.string() + ":"));
}

TEST(CommandLine, HostWithoutKfdIsRefused) {
  if (std::filesystem::exists("/dev/kfd")) GTEST_SKIP() << "/dev/kfd is here";
  const ProgramRun run({"--target=host"}, "kfdcts");
  EXPECT_EQ(2, run.exit_code());
  EXPECT_EQ("kfdcts: --target=host: there is no /dev/kfd; --target=vm needs none\n", run.errors());
}

TEST(CommandLine, HelpNamesOwnFlagsAndGtests) {
  const ProgramRun run({"--help"});
  EXPECT_EQ(0, run.exit_code());
  EXPECT_THAT(run.output(), HasSubstr("--expectations"));
  EXPECT_THAT(run.output(), HasSubstr("--gtest_filter"));
}

TEST(CommandLine, ListingBootsNothing) {
  const ProgramRun run({"--gtest_list_tests", "--machine=vega10x4"}, "kfdcts");
  EXPECT_EQ(0, run.exit_code()) << run.errors();
  EXPECT_THAT(run.output(), HasSubstr("/gpu3"));
  EXPECT_THAT(run.output(), Not(HasSubstr("/gpu4")));
  EXPECT_FALSE(std::filesystem::exists(run.results()));
}

TEST(CommandLine, ListingOnTheCpuOnlyMachineHasNoGpuTests) {
  const ProgramRun run({"--gtest_list_tests", "--machine=cpu-only"}, "kfdcts");
  EXPECT_EQ(0, run.exit_code()) << run.errors();
  EXPECT_THAT(run.output(), Not(HasSubstr("/gpu0")));
}

TEST(CommandLine, BreakagesAreListedWithTheirRules) {
  const ProgramRun run({"breakages", "--thunk", "--list", "--fault=Size*"}, "kfdcts");
  EXPECT_EQ(0, run.exit_code()) << run.errors();
  EXPECT_THAT(run.output(), HasSubstr("SizeRounded "));
  EXPECT_THAT(run.output(), HasSubstr(" PTR-5 "));
  EXPECT_THAT(run.output(), Not(HasSubstr("FreedIsFound")));
  EXPECT_FALSE(std::filesystem::exists(run.results()));
}

TEST(CommandLine, RulesAreListedWithTheirTests) {
  const ProgramRun run({"--list-rules"});
  EXPECT_EQ(0, run.exit_code());
  EXPECT_THAT(run.output(), HasSubstr("PTR-2  "));
  EXPECT_THAT(run.output(), HasSubstr("    Good.Passes\n    Good.Records\n"));
  EXPECT_THAT(run.output(), HasSubstr("    (no test)\n"));
}

TEST(CommandLine, CapabilitiesOfAGuestAreListed) {
  const ProgramRun run({"--list-capabilities", "--target=vm"}, "kfdcts");
  EXPECT_EQ(0, run.exit_code());
  EXPECT_THAT(run.output(), HasSubstr("Asked in the guest"));
  EXPECT_THAT(run.output(), HasSubstr("xnack-switchable"));
}

}  // namespace
}  // namespace kfdcts::harness
