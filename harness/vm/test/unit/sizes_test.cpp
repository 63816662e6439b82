#include "harness/vm/base/sizes.h"

#include <gtest/gtest.h>

namespace kfdcts::vm {
namespace {

TEST(Sizes, AreReadWithTheirUnits) {
  EXPECT_EQ(ParseSize("512"), 512u);
  EXPECT_EQ(ParseSize("4K"), 4096u);
  EXPECT_EQ(ParseSize("256M"), 256u << 20);
  EXPECT_EQ(ParseSize("2G"), std::uint64_t{2} << 30);
}

TEST(Sizes, AnythingElseIsNone) {
  for (const char* text : {"", "M", "0", "0G", "-1M", "1.5G", "2GB", "2g", " 2G", "2G ", "0x10",
                           "9223372036854775808", "4294967297G"}) {
    EXPECT_EQ(ParseSize(text), std::nullopt) << text;
  }
}

TEST(Sizes, AreWrittenShortAndExact) {
  EXPECT_EQ(FormatSize(std::uint64_t{2} << 30), "2G");
  EXPECT_EQ(FormatSize(std::uint64_t{1536} << 20), "1536M");
  EXPECT_EQ(FormatSize(4096), "4K");
  EXPECT_EQ(FormatSize(4097), "4097");
}

}  // namespace
}  // namespace kfdcts::vm
