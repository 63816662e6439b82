#include "harness/test_support/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/run/plan.h"
#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::MessageOf;

TestDefinition Definition(const char* name, Scope scope, std::vector<std::string> cases = {}) {
  TestDefinition definition;
  definition.suite = "Suite";
  definition.name = name;
  definition.spec.scope = scope;
  definition.cases = std::move(cases);
  return definition;
}

std::vector<std::string> Names(const TestRegistry& registry, int gpu_count) {
  std::vector<std::string> names;
  for (const auto& test : registry.Instantiate(gpu_count)) names.push_back(test.FullName());
  return names;
}

TEST(Registry, EachGpuGivesATestAGpu) {
  TestRegistry registry;
  registry.Add(Definition("One", Scope::kEachGpu));
  EXPECT_THAT(Names(registry, 2), ElementsAre("Suite.One/gpu0", "Suite.One/gpu1"));
  EXPECT_THAT(Names(registry, 0), IsEmpty());
}

TEST(Registry, FirstGpuGivesOneTest) {
  TestRegistry registry;
  registry.Add(Definition("First", Scope::kFirstGpu));
  EXPECT_THAT(Names(registry, 2), ElementsAre("Suite.First/gpu0"));
  EXPECT_THAT(Names(registry, 0), IsEmpty());
}

TEST(Registry, PairsAreAscending) {
  TestRegistry registry;
  registry.Add(Definition("Two", Scope::kEachGpuPair));
  EXPECT_THAT(Names(registry, 3),
              ElementsAre("Suite.Two/gpu0_gpu1", "Suite.Two/gpu0_gpu2", "Suite.Two/gpu1_gpu2"));
  EXPECT_THAT(Names(registry, 1), IsEmpty());
}

TEST(Registry, SourcesAreAskedOnce) {
  TestRegistry registry;
  registry.AddSource([](TestRegistry& to) { to.Add(Definition("Data", Scope::kCpu, {"file"})); });
  EXPECT_THAT(Names(registry, 1), IsEmpty());
  registry.ReadSources();
  registry.ReadSources();
  EXPECT_THAT(Names(registry, 1), ElementsAre("Suite.Data/file/cpu"));
}

TEST(Registry, CpuTestsNeedNoGpu) {
  TestRegistry registry;
  registry.Add(Definition("None", Scope::kCpu));
  EXPECT_THAT(Names(registry, 0), ElementsAre("Suite.None/cpu"));
  EXPECT_THAT(Names(registry, 4), ElementsAre("Suite.None/cpu"));
}

TEST(Registry, CasesStandBeforeTheGpu) {
  TestRegistry registry;
  registry.Add(Definition("Edge", Scope::kEachGpu, {"first", "last"}));
  const auto tests = registry.Instantiate(1);
  EXPECT_THAT(Names(registry, 1), ElementsAre("Suite.Edge/first/gpu0", "Suite.Edge/last/gpu0"));
  EXPECT_EQ(1u, tests[1].case_index);
}

TEST(Registry, OrderIsByFileAndLineNotByInitialisation) {
  TestRegistry registry;
  auto late = Definition("Late", Scope::kCpu);
  late.file = "b.cpp";
  auto early = Definition("Early", Scope::kCpu);
  early.file = "a.cpp";
  early.line = 9;
  auto first = Definition("First", Scope::kCpu);
  first.file = "a.cpp";
  first.line = 2;
  for (const auto& definition : {late, early, first}) registry.Add(definition);
  EXPECT_THAT(Names(registry, 0),
              ElementsAre("Suite.First/cpu", "Suite.Early/cpu", "Suite.Late/cpu"));
}

TEST(Registry, IdsAreSplitAtBlanks) {
  EXPECT_THAT(SplitIds(" PTR-4  PTR-9\n"), ElementsAre("PTR-4", "PTR-9"));
  EXPECT_THAT(SplitIds(""), IsEmpty());
}

TEST(Plan, ComesBackWhole) {
  const Plan plan{.tests = {"Suite.One/gpu1"},
                  .gpu_count = 2,
                  .thunk = "/lib/\"quoted\".so",
                  .seed = 7,
                  .time_limit = std::chrono::seconds(30),
                  .silence = std::chrono::seconds(20),
                  .environment = {{"NAME", "a value"}},
                  .isolate = true,
                  .kernel_log = "/dev/kmsg"};
  EXPECT_EQ(plan, PlanFromLine(ToLine(plan)));
}

TEST(Plan, BrokenOnesAreRefused) {
  EXPECT_NE("", MessageOf<std::runtime_error>([] { PlanFromLine("{"); }));
  EXPECT_NE("", MessageOf<std::runtime_error>([] { PlanFromLine("{}"); }));
}

TEST(Plan, KeepsItsOrderAndKnowsItsTests) {
  TestRegistry registry;
  registry.Add(Definition("One", Scope::kEachGpu));
  const auto tests = FindTests({{"Suite.One/gpu1", "Suite.One/gpu0"}, 2, "", 0, {}}, registry);
  ASSERT_EQ(2u, tests.size());
  EXPECT_THAT(tests[0].gpu_ordinals, ElementsAre(1));
  EXPECT_EQ("the plan names an unknown test: Suite.One/gpu1", MessageOf<std::runtime_error>([&] {
              FindTests({{"Suite.One/gpu1"}, 1, "", 0, {}}, registry);
            }));
}

TEST(Plan, ItsOwnTimeLimitComesFirst) {
  TestDefinition definition = Definition("One", Scope::kCpu);
  definition.spec.time_limit = std::chrono::seconds(5);
  const TestInstance test{&definition, 0, {}, "One/cpu"};
  EXPECT_EQ(5, TimeLimit({}, test).count());
  EXPECT_EQ(9, TimeLimit({{}, 0, "", 0, std::chrono::seconds(9)}, test).count());
}

}  // namespace
}  // namespace kfdcts::harness
