// Breakages of kfdcts_fake, found by its own tests in processes of their own.
#include "harness/breakages/campaign.h"

#include <gmock/gmock.h>

#include "harness/breakages/choice.h"
#include "harness/target/host_target.h"
#include "harness/test/temporary_folder.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

using testing::ElementsAre;
using testing_support::TemporaryFolder;
using Kind = BreakageVerdict::Kind;

class CampaignTest : public testing::Test {
 protected:
  CampaignTest() {
    kind_.name = "fake";
    kind_.suites = {"Breakable"};
    kind_.breakages = {{"One", {"PTR-1"}, ""}, {"Two", {"PTR-2"}, ""}};
    kind_.environment = [](const Breakage& breakage) {
      return std::map<std::string, std::string>{{"KFDCTS_FAKE_FAULT", breakage.name}};
    };
    Add("One", "PTR-1");
    Add("Two", "PTR-2");
    tests_ = TestsFor(kind_, "*", registry_.Instantiate(2));
  }
  ~CampaignTest() override { campaign_.Finish(); }

  /// As fake/fake_suite.cpp declares it.
  void Add(const char* name, const char* rules) {
    TestDefinition definition;
    definition.suite = "Breakable";
    definition.name = name;
    definition.spec.rules = rules;
    definition.spec.scope = Scope::kCpu;
    definition.spec.kfd = KfdState::kClosed;
    registry_.Add(definition);
  }

  static Plan SomePlan() {
    Plan plan;
    plan.gpu_count = 2;
    plan.time_limit = std::chrono::seconds(2);
    return plan;
  }

  TemporaryFolder folder_;
  BreakageKind kind_;
  TestRegistry registry_;
  std::vector<TestInstance> tests_;
  HostTarget target_{vm::ProgramFolder() / "kfdcts_fake"};
  Campaign campaign_{target_, kind_, tests_, {folder_.path(), SomePlan(), -1, false, {}}};
};

TEST_F(CampaignTest, EveryTestPassesWhileNothingIsBroken) {
  const auto records = campaign_.RunWhole();
  ASSERT_EQ(records.size(), 2U);
  for (const auto& record : records) EXPECT_TRUE(record.Passed()) << record.FullName();
  EXPECT_THAT(records[1].rules, ElementsAre("PTR-2"));
}

TEST_F(CampaignTest, ATestOfTheRuleCatchesIt) {
  const auto verdict = campaign_.Run({"One", {"PTR-1"}, ""});
  EXPECT_EQ(verdict.kind, Kind::kCaught);
  EXPECT_THAT(verdict.red, ElementsAre("Breakable.One/cpu"));
}

TEST_F(CampaignTest, WhatAVirtualGpuFindsIsRedToo) {
  const auto verdict = campaign_.Run({"Device", {"PTR-1"}, ""});
  EXPECT_EQ(verdict.kind, Kind::kCaught);
  EXPECT_THAT(verdict.red, ElementsAre("Breakable.One/cpu"));
}

TEST_F(CampaignTest, ATestOfAnotherRuleIsFoundWhereItsOwnAreGreen) {
  const auto verdict = campaign_.Run({"Two", {"PTR-1"}, ""});
  EXPECT_EQ(verdict.kind, Kind::kWrongRule);
  EXPECT_THAT(verdict.red, ElementsAre("Breakable.Two/cpu"));
}

TEST_F(CampaignTest, OneBreakageIsGoneWhenTheNextIsOn) {
  EXPECT_EQ(campaign_.Run({"One", {"PTR-1"}, ""}).kind, Kind::kCaught);
  EXPECT_EQ(campaign_.Run({"Nothing", {"PTR-1"}, ""}).kind, Kind::kMissed);
  EXPECT_TRUE(campaign_.RunWhole().front().Passed());
}

TEST_F(CampaignTest, ABreakageMayHaveABootOfItsOwn) {
  const auto boots = [&] {
    return std::distance(std::filesystem::directory_iterator(folder_.path()), {});
  };
  campaign_.RunWhole();
  campaign_.Run({"One", {"PTR-1"}, ""});
  EXPECT_EQ(boots(), 1);
  kind_.boot_each = true;
  EXPECT_EQ(campaign_.Run({"One", {"PTR-1"}, ""}).kind, Kind::kCaught);
  EXPECT_EQ(campaign_.Run({"Nothing", {"PTR-1"}, ""}).kind, Kind::kMissed);
  EXPECT_EQ(boots(), 3);
}

TEST_F(CampaignTest, WhatIsWholeHasAnEnvironmentOfItsOwn) {
  kind_.whole = {{"KFDCTS_FAKE_FAULT", "One"}};
  EXPECT_FALSE(campaign_.RunWhole().front().Passed());
}

TEST_F(CampaignTest, WhatIsLeftOutCatchesNothing) {
  campaign_.LeaveOut("Breakable.One/cpu");
  EXPECT_EQ(campaign_.RunWhole().size(), 1U);
  EXPECT_EQ(campaign_.Run({"One", {"PTR-1"}, ""}).kind, Kind::kMissed);
  EXPECT_EQ(campaign_.Run({"Two", {"PTR-2"}, ""}).kind, Kind::kCaught);
}

TEST_F(CampaignTest, AHungTestIsRed) {
  const auto verdict = campaign_.Run({"Hang", {"PTR-2"}, ""});
  EXPECT_EQ(verdict.kind, Kind::kCaught);
  EXPECT_THAT(verdict.red, ElementsAre("Breakable.Two/cpu"));
}

}  // namespace
}  // namespace kfdcts::harness
