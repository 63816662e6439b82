#include "thunk/src/topology/property_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kfdcts::thunk {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs PropertiesOf(std::string_view text) {
  Pairs pairs;
  ForEachProperty(text, [&pairs](std::string_view key, std::string_view value) {
    pairs.emplace_back(key, value);
  });
  return pairs;
}

TEST(PropertyText, LinesOfKeyAndValue) {
  EXPECT_EQ(PropertiesOf("a 1\nb 2\n"), (Pairs{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(PropertiesOf("a 1\nb 2"), (Pairs{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(PropertiesOf(" a \t 1 2 \r\n"), (Pairs{{"a", "1 2"}}));
}

TEST(PropertyText, LinesWithoutAValueArePassedOver) {
  EXPECT_EQ(PropertiesOf(""), Pairs{});
  EXPECT_EQ(PropertiesOf("\n\n  \n"), Pairs{});
  EXPECT_EQ(PropertiesOf("alone\nwith_blank \nb 2\n"), (Pairs{{"b", "2"}}));
  EXPECT_EQ(PropertiesOf(std::string_view("a\0b 1\n", 6)), (Pairs{{std::string("a\0b", 3), "1"}}));
}

TEST(PropertyText, NumbersOf64Bits) {
  EXPECT_EQ(ParseNumber("0"), 0u);
  EXPECT_EQ(ParseNumber("007"), 7u);
  EXPECT_EQ(ParseNumber("18446744073709551615"), 18446744073709551615u);
  EXPECT_EQ(ParseNumber("-1"), 18446744073709551615u);
  EXPECT_EQ(ParseNumber("-9223372036854775808"), 9223372036854775808u);
}

TEST(PropertyText, WhatIsNoNumber) {
  for (const char* word : {"", "-", "--1", "+1", " 1", "1 ", "1x", "0x10", "1.5", "1,2", "one",
                           "18446744073709551616", "-9223372036854775809"}) {
    EXPECT_EQ(ParseNumber(word), std::nullopt) << word;
  }
}

TEST(PropertyText, NumberLists) {
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(ParseNumberList(""), Numbers{});
  EXPECT_EQ(ParseNumberList("1"), Numbers{1});
  EXPECT_EQ(ParseNumberList("1,0,16"), (Numbers{1, 0, 16}));
  EXPECT_EQ(ParseNumberList("1,0,"), (Numbers{1, 0}));
  EXPECT_EQ(ParseNumberList("1,,2"), Numbers{1});
  EXPECT_EQ(ParseNumberList("1,x,2"), Numbers{1});
  EXPECT_EQ(ParseNumberList("4294967295,4294967296"), Numbers{4294967295});
}

}  // namespace
}  // namespace kfdcts::thunk
