// Scenario files: what is read, and that each mistake is named with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/capabilities/capability.h"
#include "harness/scenario/falsify.h"
#include "harness/scenario/loader.h"
#include "harness/scenario/words.h"
#include "harness/scenario/writer.h"
#include "harness/test/temporary_folder.h"

namespace kfdcts::harness::scenario {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::MessageOf;
using testing_support::TemporaryFolder;

const fs::path kProject = KFDCTS_SOURCE_DIR;
const fs::path kHere = kProject / "harness" / "test";

std::vector<fs::path> FilesOf(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class BadScenario : public testing::TestWithParam<fs::path> {};

/// The first line says what the loader must say behind the file's name.
TEST_P(BadScenario, IsRefusedWithPlaceAndKey) {
  std::ifstream text(GetParam());
  std::string expected;
  std::getline(text, expected);
  ASSERT_EQ(expected.rfind("# error: ", 0), 0U);
  expected = GetParam().string() + ":" + expected.substr(9);
  EXPECT_THAT(MessageOf<FixtureError>([&] { LoadScenario(GetParam()); }), HasSubstr(expected));
}

std::string NameOfParam(const testing::TestParamInfo<fs::path>& info) { return info.param.stem(); }

INSTANTIATE_TEST_SUITE_P(OfSchemaToo, BadScenario,
                         testing::ValuesIn(FilesOf(kHere / "scenario" / "bad")), NameOfParam);
INSTANTIATE_TEST_SUITE_P(BeyondSchema, BadScenario,
                         testing::ValuesIn(FilesOf(kHere / "scenario" / "beyond_schema")),
                         NameOfParam);

TEST(Scenario, EveryShippedFileLoads) {
  for (const char* folder : {"svm_range", "prefetch", "xnack"}) {
    EXPECT_THAT(LoadFolder(kProject / "fixtures" / "scenarios" / folder), testing::Not(IsEmpty()));
  }
}

/// KFDCTS_SCENARIO_FALSIFY plays them so, and each must fail then.
TEST(Scenario, EveryShippedFileChecksSomething) {
  for (const char* folder : {"svm_range", "prefetch", "xnack"}) {
    for (const auto& scenario : LoadFolder(kProject / "fixtures" / "scenarios" / folder)) {
      EXPECT_TRUE(Falsify(scenario)) << scenario.file;
    }
  }
}

TEST(Scenario, FalsifiedAtItsLastCheck) {
  const TemporaryFolder folder;
  const auto file = folder.Write("one.yaml", R"(property: p
rules: [SVM-5]
steps:
  - map: {name: a, pages: 2, value: 1}
  - cpu-read: {at: a, value: 1}
  - together: {threads: [{steps: [cpu-read: {at: a, value: 6}]}]}
  - munmap: {at: a}
)");
  const auto wrong = Falsify(LoadScenario(file));
  ASSERT_TRUE(wrong);
  ASSERT_EQ(wrong->steps.size(), 3U);
  EXPECT_EQ(std::get<CpuRead>(wrong->steps[1].action).contents.number, 1U);
  const auto& together = std::get<Together>(wrong->steps[2].action);
  EXPECT_EQ(std::get<CpuRead>(together.threads[0][0].action).contents.number, 7U);
}

TEST(Scenario, HeadAndSteps) {
  const TemporaryFolder folder;
  const auto file = folder.Write("one.yaml", R"(property: it holds
rules: [SVM-5, PRE-3]
guards: [BUG-32]
gpus: pair
xnack: disabled
needs: [pagemap]
process: fresh
time-limit: 7
steps:
  - map: {name: a, pages: 8, kind: huge, pattern: 0x10}
  - set: {at: a 4-7, attributes: [access gpu1, set-flags gpu-ro+0x100, granularity 3], status: error}
  - together:
      rounds: 2
      threads:
        - steps:
            - cpu-write: {at: a 2, word: 5}
)");
  const Scenario scenario = LoadScenario(file);
  EXPECT_EQ(scenario.name, "one");
  EXPECT_EQ(scenario.rules, "SVM-5 PRE-3");
  EXPECT_EQ(scenario.guards, "BUG-32");
  EXPECT_EQ(scenario.scope, Scope::kEachGpuPair);
  EXPECT_EQ(scenario.xnack, Xnack::kOff);
  EXPECT_EQ(scenario.process, Process::kFresh);
  EXPECT_EQ(scenario.time_limit, std::chrono::seconds(7));
  ASSERT_EQ(scenario.steps.size(), 3U);
  const auto& map = std::get<Map>(scenario.steps[0].action);
  EXPECT_EQ(map.kind, MapKind::kHuge);
  EXPECT_EQ(map.contents, (Contents{Contents::Kind::kPattern, 16}));
  EXPECT_EQ(scenario.steps[1].line, 11);
  const auto& set = std::get<SetAttributes>(scenario.steps[1].action);
  EXPECT_EQ(set.at, (Pages{"a", 4, 4}));
  const std::vector<Attribute> attributes = {{Attribute::Kind::kAccess, {Place::Kind::kGpu, 1}, 0},
                                             {Attribute::Kind::kSetFlags, {}, 0x108},
                                             {Attribute::Kind::kGranularity, {}, 3}};
  EXPECT_EQ(set.attributes, attributes);
  EXPECT_EQ(set.status, Status::kError);
  const auto& together = std::get<Together>(scenario.steps[2].action);
  EXPECT_EQ(together.rounds, 2U);
  EXPECT_EQ(std::get<CpuWrite>(together.threads.at(0).at(0).action).at, (Pages{"a", 2, 1}));
}

TEST(Scenario, WhatIsWrittenIsReadBack) {
  const TemporaryFolder folder;
  const auto file = folder.Write("one.yaml", R"(property: "it's so: always"
rules: [SVM-5]
guards: [BUG-32]
needs: [pagemap, xnack-switchable]
process: fresh
time-limit: 7
steps:
  - map: {name: a, pages: 8}
  - set: {at: a 4-7, attributes: [set-flags 0x4000]}
  - expect: {at: a, flags: '0x4000', any-flags: gpu-ro+0x4000}
)");
  const Scenario scenario = LoadScenario(file);
  const Scenario again = LoadScenario(folder.Write("two.yaml", WriteScenario(scenario)));
  EXPECT_EQ(again.property, "it's so: always");
  EXPECT_EQ(again.guards, "BUG-32");
  ASSERT_EQ(again.needs.size(), 2U);
  EXPECT_EQ(NameOf(again.needs[1]), "xnack-switchable");
  EXPECT_EQ(again.process, Process::kFresh);
  EXPECT_EQ(again.time_limit, std::chrono::seconds(7));
  ASSERT_EQ(again.steps.size(), 3U);
  const auto& expect = std::get<Expect>(again.steps[2].action);
  EXPECT_EQ(expect.flags, 0x4000U);
  EXPECT_EQ(expect.any_flags, 0x4008U);
  EXPECT_EQ(WriteScenario(again), WriteScenario(scenario));
}

TEST(Scenario, FolderInOrderOfNames) {
  const TemporaryFolder folder;
  const std::string_view text =
      "property: p\nrules: [SVM-5]\nsteps:\n  - map: {name: a, pages: 4}\n";
  folder.Write("b.yaml", text);
  folder.Write("a.yaml", text);
  folder.Write("README.md", "nothing of ours");
  const auto scenarios = LoadFolder(folder.path());
  ASSERT_EQ(scenarios.size(), 2U);
  EXPECT_EQ(scenarios[0].name, "a");
  EXPECT_THAT(LoadFolder(folder.path() / "none"), IsEmpty());
  folder.Write("Big.yaml", text);
  EXPECT_THAT(MessageOf<FixtureError>([&] { LoadFolder(folder.path()); }),
              HasSubstr("Big.yaml: not named by small letters"));
}

TEST(Scenario, FileThatIsNoYaml) {
  const TemporaryFolder folder;
  const auto file = folder.Write("x.yaml", "steps: [\n");
  EXPECT_THAT(MessageOf<FixtureError>([&] { LoadScenario(file); }), HasSubstr("x.yaml:2"));
  EXPECT_THAT(MessageOf<FixtureError>([&] { LoadScenario(folder.path() / "no.yaml"); }),
              HasSubstr("no.yaml: cannot be read"));
}

/// What the schema lists of capabilities is what there is.
TEST(ScenarioSchema, NeedsAreTheCapabilities) {
  const auto schema = nlohmann::json::parse(
      std::ifstream(kProject / "fixtures" / "scenarios" / "scenario.schema.json"));
  std::vector<std::string> names;
  for (const Capability capability : AllCapabilities()) names.emplace_back(NameOf(capability));
  EXPECT_THAT(schema["properties"]["needs"]["items"]["enum"].get<std::vector<std::string>>(),
              testing::UnorderedElementsAreArray(names));
}

TEST(ScenarioWords, FlagsAsSums) {
  EXPECT_EQ(FlagsText(0), "none");
  EXPECT_EQ(FlagsText(0x3), "host-access+coherent");
  EXPECT_EQ(FlagsText(0x1000'0008), "gpu-ro+0x10000000");
  EXPECT_EQ(ParseFlags("gpu-ro+0x10000000"), 0x1000'0008U);
  EXPECT_EQ(ParseFlags("gpu-ro+"), std::nullopt);
}

TEST(ScenarioWords, TextIsReadBack) {
  for (const char* text :
       {"access gpu0", "in-place gpu1", "no-access cpu", "preferred none", "prefetch cpu",
        "set-flags gpu-ro", "clear-flags none", "granularity 64"}) {
    const auto attribute = ParseAttribute(text);
    ASSERT_TRUE(attribute) << text;
    EXPECT_EQ(Text(*attribute), text);
  }
}

}  // namespace
}  // namespace kfdcts::harness::scenario
