// Random sequences against a kernel that is the model itself, right and falsified.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>

#include "harness/scenario/loader.h"
#include "harness/scenario/writer.h"
#include "harness/svm_model/sequence.h"
#include "harness/test/temporary_folder.h"

namespace kfdcts::harness::svm_model {
namespace {

using testing_support::TemporaryFolder;

Setting TwoGpus(bool xnack) {
  Setting setting;
  setting.machine = {{{1, true, 0}, {2, true, 0}}, xnack, 262144};
  setting.gpus = 2;
  return setting;
}

/// Answers the attribute calls of a scenario, and says what an `expect` step finds wrong. `falsify`
/// may change an answer about granularity, or nothing.
class FakeKernel {
 public:
  using Falsify = std::uint32_t (*)(std::uint32_t granularity);

  FakeKernel(const Setting& setting, Falsify falsify) : setting_(setting), falsify_(falsify) {}

  std::optional<std::string> Play(const std::vector<scenario::Step>& steps) {
    for (const auto& step : steps) {
      auto complaint = std::visit([this](const auto& action) { return Do(action); }, step.action);
      if (complaint) return complaint;
    }
    return std::nullopt;
  }

 private:
  using Complaint = std::optional<std::string>;
  static constexpr std::uint64_t kBase = 4096;

  Complaint Do(const scenario::Map& step) {
    kernels_.emplace(step.name, setting_.machine).first->second.Map(kBase, step.pages);
    return std::nullopt;
  }
  Complaint Do(const scenario::Munmap& step) {
    Of(step.at).Unmap(kBase + step.at.first, step.at.count);
    return std::nullopt;
  }
  Complaint Do(const scenario::MapAgain& step) {
    Of(step.at).Unmap(kBase + step.at.first, step.at.count);
    Of(step.at).Map(kBase + step.at.first, step.at.count);
    return std::nullopt;
  }
  Complaint Do(const scenario::SetAttributes& step) {
    std::vector<Attribute> attributes;
    for (const auto& one : step.attributes) {
      if (one.kind == scenario::Attribute::Kind::kGranularity) {
        attributes.push_back({kGranularity, one.value});
      }
    }
    Of(step.at).Set(kBase + step.at.first, step.at.count, attributes);
    return std::nullopt;
  }
  Complaint Do(const scenario::Expect& step) {
    if (!kernels_.contains(step.at.mapping)) return std::nullopt;
    std::vector<Attribute> answer = {{kGranularity, 0}};
    Of(step.at).Get(kBase + step.at.first, step.at.count, answer);
    if (falsify_(answer[0].value) == step.granularity) return std::nullopt;
    return "granularity " + std::to_string(falsify_(answer[0].value));
  }
  Complaint Do(const scenario::Together& step) {
    for (const auto& thread : step.threads) {
      if (auto complaint = Play(thread)) return complaint;
    }
    return std::nullopt;
  }
  template <typename Other>
  Complaint Do(const Other&) {
    return std::nullopt;
  }

  Model& Of(const scenario::Pages& pages) { return kernels_.at(pages.mapping); }

  const Setting& setting_;
  Falsify falsify_;
  std::map<std::string, Model> kernels_;
};

std::uint32_t AsItIs(std::uint32_t granularity) { return granularity; }
std::uint32_t NeverThree(std::uint32_t granularity) { return granularity == 3 ? 4 : granularity; }

TEST(SvmSequence, OfOneSeedIsOneSequence) {
  const Setting setting = TwoGpus(true);
  const auto text = [&](std::uint32_t seed) {
    auto scenario = ToScenario(setting, MakeSequence(setting, 3, 40, seed));
    return scenario::WriteScenario(scenario);
  };
  EXPECT_EQ(text(7), text(7));
  EXPECT_NE(text(7), text(8));
}

/// XNACK off, where no GPU's fault makes ranges that the fake kernel does not see.
TEST(SvmSequence, RightKernelPasses) {
  const Setting setting = TwoGpus(false);
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    const auto scenario = ToScenario(setting, MakeSequence(setting, seed % 4 + 1, 60, seed));
    EXPECT_GT(CountSteps(scenario), 10U);
    EXPECT_EQ(FakeKernel(setting, AsItIs).Play(scenario.steps), std::nullopt) << "seed " << seed;
  }
}

TEST(SvmSequence, FalsifiedAnswerShrinksToAFileThatFailsAgain) {
  Setting setting = TwoGpus(false);
  setting.allow_miscounts = true;  // granularity 3, too
  const auto fails = [&](const Sequence& sequence) {
    return FakeKernel(setting, NeverThree).Play(ToScenario(setting, sequence).steps).has_value();
  };
  Sequence found;
  for (std::uint32_t seed = 1; seed <= 20 && !fails(found); ++seed) {
    found = MakeSequence(setting, 4, 60, seed);
  }
  ASSERT_TRUE(fails(found));
  const auto least = ToScenario(setting, Shrink(found, fails, 400));
  EXPECT_LE(CountSteps(least), 5U) << scenario::WriteScenario(least);
  const TemporaryFolder folder;
  const auto file = folder.Write("least.yaml", scenario::WriteScenario(least));
  const auto loaded = scenario::LoadScenario(file);
  EXPECT_EQ(CountSteps(loaded), CountSteps(least));
  EXPECT_EQ(scenario::WriteScenario(loaded), scenario::WriteScenario(least));
  EXPECT_TRUE(FakeKernel(setting, NeverThree).Play(loaded.steps).has_value());
  EXPECT_FALSE(FakeKernel(setting, AsItIs).Play(loaded.steps).has_value());
}

/// The steps of one operation on pages that a GPU has written where it may.
std::vector<scenario::Step> AfterAWrite(const Setting& setting, Operation::Kind kind) {
  Operation write, then;
  write.kind = Operation::Kind::kGpuWrite;
  then.kind = kind;
  return ToScenario(setting, {{write, then}}).steps;
}

TEST(SvmSequence, PagesAreFetchedBackBeforeTheyAreDiscarded) {
  constexpr auto kDiscard = Operation::Kind::kDontNeed;
  Setting setting = TwoGpus(false);
  const auto fetched = AfterAWrite(setting, kDiscard);
  ASSERT_EQ(fetched.size(), 4U);  // map, cpu-read, madvise, cpu-write: no access without a set
  EXPECT_TRUE(std::holds_alternative<scenario::CpuRead>(fetched[1].action));
  setting.allow_miscounts = true;
  EXPECT_EQ(AfterAWrite(setting, kDiscard).size(), 3U);
  setting.allow_miscounts = false;
  setting.gpus = 1;
  EXPECT_EQ(AfterAWrite(setting, kDiscard).size(), 3U);
}

/// Whose late faults could take the pages back to the GPU.
TEST(SvmSequence, WithRetryPagesAreNotDiscardedMovedOrProtected) {
  Setting setting = TwoGpus(true);
  EXPECT_EQ(AfterAWrite(setting, Operation::Kind::kDontNeed).size(), 2U) << "map, gpu-write";
  EXPECT_EQ(AfterAWrite(setting, Operation::Kind::kMove).size(), 2U);
  EXPECT_EQ(AfterAWrite(setting, Operation::Kind::kProtect).size(), 2U);
  setting.allow_late_faults = true;
  EXPECT_EQ(AfterAWrite(setting, Operation::Kind::kProtect).size(), 4U);
  const auto discarded = AfterAWrite(setting, Operation::Kind::kDontNeed);
  ASSERT_EQ(discarded.size(), 5U);  // map, gpu-write, cpu-read, madvise, cpu-write
  EXPECT_TRUE(std::holds_alternative<scenario::CpuRead>(discarded[2].action));
  EXPECT_GT(AfterAWrite(setting, Operation::Kind::kMove).size(), 2U);
  setting.allow_late_faults = false;
  setting.gpus = 1;
  EXPECT_EQ(AfterAWrite(setting, Operation::Kind::kDontNeed).size(), 4U);
  EXPECT_EQ(AfterAWrite(setting, Operation::Kind::kMove).size(), 2U);
}

TEST(SvmSequence, WithRetryANewMappingGetsARange) {
  const auto steps = AfterAWrite(TwoGpus(true), Operation::Kind::kMapAgain);
  ASSERT_EQ(steps.size(), 4U);  // map, gpu-write, map-again, set
  const auto* set = std::get_if<scenario::SetAttributes>(&steps[3].action);
  ASSERT_NE(set, nullptr);
  EXPECT_TRUE(set->attributes.empty());
  EXPECT_EQ(AfterAWrite(TwoGpus(false), Operation::Kind::kMapAgain).size(), 2U);
}

/// Every kind of step that sequences make is one that files have.
TEST(SvmSequence, WrittenScenariosLoad) {
  const TemporaryFolder folder;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const Setting setting = TwoGpus(seed % 2 == 0);
    const auto scenario = ToScenario(setting, MakeSequence(setting, seed % 4 + 1, 60, seed));
    const std::string text = scenario::WriteScenario(scenario);
    const auto file = folder.Write("one.yaml", text);
    EXPECT_EQ(scenario::WriteScenario(scenario::LoadScenario(file)), text);
  }
}

/// BUG-51's smallest trigger is left out, or not where that is asked for.
TEST(SvmSequence, WhatWouldHangIsLeftOut) {
  using Kind = scenario::Attribute::Kind;
  Setting setting = TwoGpus(true);
  const scenario::Place second{scenario::Place::Kind::kGpu, 1};
  Operation move;
  move.attributes = {{Kind::kNoAccess, second, 0}, {Kind::kPrefetch, second, 0}};
  Operation map_always;
  map_always.attributes = {{Kind::kSetFlags, {}, kFlagAlwaysMapped}};
  EXPECT_EQ(CountSteps(ToScenario(setting, {{move, map_always}})), 2U) << "the map and one set";
  setting.allow_hang = true;
  EXPECT_EQ(CountSteps(ToScenario(setting, {{move, map_always}})), 3U);
}

}  // namespace
}  // namespace kfdcts::harness::svm_model
