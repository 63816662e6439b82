#include "harness/vgpu/core/findings.h"

#include <gtest/gtest.h>

#include <set>

namespace kfdcts::vgpu {
namespace {

TEST(FindingsTest, OneOfAKindProcessAndQueueCounts) {
  Findings findings;
  findings.Add({.kind = FindingKind::kStaleTranslation, .vmid = 8, .pasid = 5, .address = 0x1000});
  findings.Add({.kind = FindingKind::kStaleTranslation, .vmid = 8, .pasid = 5, .address = 0x2000});
  EXPECT_TRUE(findings.unattributed());
  findings.Attribute("sdma0.rlc0");
  EXPECT_FALSE(findings.unattributed());
  findings.Add({.kind = FindingKind::kStaleTranslation, .vmid = 8, .pasid = 5, .address = 0x3000});
  findings.Attribute("sdma0.rlc0");
  ASSERT_EQ(findings.All().size(), 1U);
  const Finding& finding = findings.All()[0];
  EXPECT_EQ(finding.count, 3U);
  EXPECT_EQ(finding.address, 0x1000U);
  EXPECT_EQ(finding.engine, "sdma0.rlc0");
}

TEST(FindingsTest, OthersAreKeptApart) {
  Findings findings;
  findings.Add({.kind = FindingKind::kStaleTranslation, .vmid = 8, .pasid = 5});
  findings.Add({.kind = FindingKind::kClearedTranslation, .vmid = 8, .pasid = 5});
  findings.Add({.kind = FindingKind::kStaleTranslation, .vmid = 8, .pasid = 6});
  findings.Attribute("a");
  findings.Add({.kind = FindingKind::kStaleTranslation, .vmid = 8, .pasid = 5});
  findings.Attribute("b");
  EXPECT_EQ(findings.All().size(), 4U);
}

TEST(FindingsTest, WhatNobodyIsNamedForIsThereToo) {
  Findings findings;
  findings.Add({.kind = FindingKind::kDeadDoorbell});
  ASSERT_EQ(findings.All().size(), 1U);
  EXPECT_EQ(findings.All()[0].engine, "");
  findings.Clear();
  EXPECT_TRUE(findings.All().empty());
}

TEST(FindingsTest, IsBounded) {
  Findings findings;
  for (unsigned i = 0; i < 2 * Findings::kMax; ++i) {
    findings.Add({.kind = FindingKind::kStaleTranslation, .pasid = static_cast<std::uint16_t>(i)});
    findings.Attribute("a");
  }
  EXPECT_EQ(findings.All().size(), Findings::kMax);
  EXPECT_EQ(findings.beyond(), Findings::kMax);
}

TEST(FindingsTest, WhatIsBeyondCountsAsOftenAsItWasSeen) {
  Findings findings;
  for (unsigned i = 0; i < Findings::kMax; ++i) {
    findings.Add({.kind = FindingKind::kStaleTranslation, .pasid = static_cast<std::uint16_t>(i)});
  }
  findings.Add({.kind = FindingKind::kFenceTwice, .count = 3});
  EXPECT_EQ(findings.beyond(), 3U);
}

TEST(FindingsTest, EachKindHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kFindingKinds; ++i) {
    names.insert(NameOf(static_cast<FindingKind>(i)));
  }
  EXPECT_EQ(names.size(), kFindingKinds);
  EXPECT_FALSE(names.contains("?"));
}

}  // namespace
}  // namespace kfdcts::vgpu
