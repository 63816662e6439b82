#include "harness/capabilities/capability.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/capabilities/probe.h"

namespace kfdcts::harness {
namespace {

GpuNode Gpu(int ordinal, std::map<std::string, std::uint64_t> properties, bool large_bar = false) {
  GpuNode node;
  node.ordinal = ordinal;
  node.facts.properties = std::move(properties);
  node.facts.vram_is_public = large_bar;
  return node;
}

TEST(Capability, EachHasANameOfItsOwnInTheOrderOfTheList) {
  std::set<std::string_view> names;
  int expected = 0;
  for (const Capability capability : AllCapabilities()) {
    EXPECT_EQ(expected++, static_cast<int>(capability));
    EXPECT_TRUE(names.insert(NameOf(capability)).second) << NameOf(capability);
    EXPECT_NE("", DescriptionOf(capability));
  }
  EXPECT_EQ(static_cast<int>(Capability::kDirector) + 1, expected);
}

TEST(Capability, ASymbolNeedsAThunk) {
  EXPECT_EQ("symbol:hsaKmtX", NameOf(Requirement{Symbol{"hsaKmtX"}}));
  EXPECT_TRUE(WhyMissing(Symbol{"hsaKmtX"}, {}));
}

TEST(Capability, GpuIsMissingWhereTheTestNamesNone) {
  const std::vector<GpuNode> gpus = {Gpu(0, {})};
  EXPECT_TRUE(WhyMissing(Capability::kGpu, {}));
  EXPECT_FALSE(WhyMissing(Capability::kGpu, {nullptr, false, gpus, gpus}));
}

TEST(Capability, SvmWantsEveryGpuOfTheSystem) {
  const std::uint64_t svm = 1U << 27U;
  const std::vector<GpuNode> both = {Gpu(0, {{"capability", svm}}), Gpu(1, {{"capability", svm}})};
  const std::vector<GpuNode> one = {Gpu(0, {{"capability", svm}}), Gpu(1, {{"capability", 0}})};
  EXPECT_FALSE(WhyMissing(Capability::kSvm, {nullptr, false, both, both}));
  EXPECT_EQ("gpu1 or the kernel has no SVM",
            WhyMissing(Capability::kSvm, {nullptr, false, {one.data(), 1}, one}));
  EXPECT_TRUE(WhyMissing(Capability::kSvm, {}));
}

TEST(Capability, LargeBarWantsEveryGpuOfTheTest) {
  const std::vector<GpuNode> gpus = {Gpu(0, {}, true), Gpu(3, {}, false)};
  EXPECT_FALSE(WhyMissing(Capability::kLargeBar, {nullptr, false, {gpus.data(), 1}, gpus}));
  EXPECT_EQ("gpu3: not all of its VRAM is visible to the CPU",
            WhyMissing(Capability::kLargeBar, {nullptr, false, gpus, gpus}));
}

TEST(Capability, HiveIsOneForAll) {
  const std::vector<GpuNode> same = {Gpu(0, {{"hive_id", 5}}), Gpu(1, {{"hive_id", 5}})};
  const std::vector<GpuNode> none = {Gpu(0, {{"hive_id", 0}}), Gpu(1, {{"hive_id", 0}})};
  const std::vector<GpuNode> two = {Gpu(0, {{"hive_id", 5}}), Gpu(1, {{"hive_id", 6}})};
  EXPECT_FALSE(WhyMissing(Capability::kHive, {nullptr, false, same, same}));
  EXPECT_TRUE(WhyMissing(Capability::kHive, {nullptr, false, none, none}));
  EXPECT_TRUE(WhyMissing(Capability::kHive, {nullptr, false, two, two}));
  EXPECT_TRUE(WhyMissing(Capability::kHive, {nullptr, false, {same.data(), 1}, same}));
}

TEST(Capability, WhatNeedsAnOpenThunkIsMissingWithout) {
  EXPECT_TRUE(WhyMissing(Capability::kXnackSwitchable, {}));
  EXPECT_TRUE(WhyMissing(Capability::kSharedMemory, {}));
  EXPECT_TRUE(WhyMissing(Capability::kThunkObjects, {}));
}

TEST(Capability, PagemapIsHere) { EXPECT_FALSE(WhyMissing(Capability::kPagemap, {})); }

}  // namespace
}  // namespace kfdcts::harness
