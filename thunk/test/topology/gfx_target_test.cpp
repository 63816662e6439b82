#include "thunk/src/topology/gfx_target.h"

#include <gtest/gtest.h>

namespace kfdcts::thunk {
namespace {

void ExpectTarget(std::uint64_t sysfs, std::uint64_t device, const GfxVersion& version,
                  const std::string& name) {
  const auto target = FindGfxTarget(sysfs, device);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->version, version);
  EXPECT_EQ(target->name, name);
}

TEST(GfxTarget, KnownDeviceTellsVersionAndName) {
  ExpectTarget(90000, 0x6863, {9, 0, 0}, "Vega10");
  ExpectTarget(0, 0x6863, {9, 0, 0}, "Vega10");
  ExpectTarget(0, 0x1304, {7, 0, 0}, "Spectre");  // the first of a range, of the table
  ExpectTarget(0, 0x130d, {7, 0, 0}, "Spectre");  // within one
  ExpectTarget(0, 0x1312, {7, 0, 0}, "Spooky");
  ExpectTarget(0, 0x7423, {10, 3, 4}, "BEIGE_GOBY");
  ExpectTarget(0, 0x9877, {8, 0, 1}, "Carrizo");  // the last
  ExpectTarget(90010, 0x7408, {9, 0, 10}, "Aldebaran");
}

TEST(GfxTarget, KnownDeviceWinsUpToGfx10) {
  ExpectTarget(90402, 0x6863, {9, 0, 0}, "Vega10");
  ExpectTarget(100300, 0x6863, {9, 0, 0}, "Vega10");
  ExpectTarget(110000, 0x6863, {11, 0, 0}, "GFX0b0000");
}

TEST(GfxTarget, OthersAreNamedByVersion) {
  ExpectTarget(90402, 0x74a1, {9, 4, 2}, "GFX090402");
  ExpectTarget(100306, 0x1308, {10, 3, 6}, "GFX0a0306");  // between two ranges
  ExpectTarget(120001, 0x7550, {12, 0, 1}, "GFX0c0001");
}

TEST(GfxTarget, NothingKnown) {
  EXPECT_FALSE(FindGfxTarget(0, 0));
  EXPECT_FALSE(FindGfxTarget(0, 0x9878));
  EXPECT_FALSE(FindGfxTarget(0, 0x16863));
}

TEST(GfxTarget, Override) {
  EXPECT_EQ(ParseGfxOverride("10.3.0"), (GfxVersion{10, 3, 0}));
  EXPECT_EQ(ParseGfxOverride("63.255.255"), (GfxVersion{63, 255, 255}));
  for (const char* text : {"", "10", "10.3", "10.3.", "10.3.0.", "10.3.0x", "a.b.c", "-1.0.0",
                           "64.0.0", "9.256.0", "9.0.256", "9..0", "4294967297.0.0"}) {
    EXPECT_EQ(ParseGfxOverride(text), std::nullopt) << text;
  }
}

TEST(GfxTarget, VectorRegisters) {
  EXPECT_EQ(VgprBytesPerCu({9, 0, 0}), 0x40000u);
  EXPECT_EQ(VgprBytesPerCu({9, 0, 8}), 0x80000u);
  EXPECT_EQ(VgprBytesPerCu({9, 0, 10}), 0x80000u);
  EXPECT_EQ(VgprBytesPerCu({9, 4, 2}), 0x80000u);
  EXPECT_EQ(VgprBytesPerCu({9, 5, 0}), 0x80000u);
  EXPECT_EQ(VgprBytesPerCu({10, 3, 0}), 0x40000u);
  EXPECT_EQ(VgprBytesPerCu({11, 0, 0}), 0x60000u);
  EXPECT_EQ(VgprBytesPerCu({11, 0, 1}), 0x60000u);
  EXPECT_EQ(VgprBytesPerCu({11, 0, 2}), 0x40000u);
  EXPECT_EQ(VgprBytesPerCu({12, 0, 1}), 0x60000u);
}

}  // namespace
}  // namespace kfdcts::thunk
