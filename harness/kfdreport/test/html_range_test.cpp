#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "harness/kfdreport/html_range_map.h"
#include "harness/kfdreport/html_range_svg.h"

namespace kfdcts::report::html {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kText =
    "suites/prefetch/again.cpp:16\n"
    "Expected equality of these values:\n"
    "  2\n"
    "suites/support/svm_test.cpp:77\n"
    "SVM after Set of 1 attributes:\n"
    "  0x10000 64 KiB  preferred undefined, flags 0x3, access 1: none  [.×8vvvvmmmm]\n"
    "SVM at the first failure:\n"
    "  0x10000 32 KiB  preferred undefined, flags 0x3, access 1: none  [.×8]\n"
    "  0x18000 32 KiB  preferred node 1, flags 0x3, access 1: none  [mmmmmmmm]\n"
    "after it\n";

TEST(RangeMap, MapsAreTakenOutOfTheText) {
  const auto maps = ParseRangeMaps(kText);
  EXPECT_EQ(maps.rest,
            "suites/prefetch/again.cpp:16\nExpected equality of these values:\n  2\nafter it\n");
  ASSERT_EQ(maps.states.size(), 2U);
  EXPECT_EQ(maps.states[0].title, "SVM after Set of 1 attributes");
  EXPECT_EQ(maps.states[1].title, "SVM at the first failure");
  EXPECT_THAT(maps.states[0].ranges,
              ElementsAre(Range{0x10000,
                                0x10000,
                                "preferred undefined, flags 0x3, access 1: none",
                                {{'.', 8}, {'v', 4}, {'m', 4}}}));
  EXPECT_THAT(AreasOf(maps.states), ElementsAre(Area{0x10000, 0x20000}));
  EXPECT_EQ(PieceCount(maps.states), 8U);
}

TEST(RangeMap, WhatIsNoMapStaysText) {
  for (const char* text : {
           "SVM at the first failure:\n  no memory\n",
           "  0x1000 4 KiB  without a title  [.]\n",
           "Title:\n  0x1000 4 KiB  cut off  [.\n",
           "Title:\n  0xffffffffffffffff 4 KiB  beyond the end  [.]\n",
           "Title:\n  0x1000 99999999999999999999 KiB  too large  [.]\n",
           "Title:\n  0x1000 0 KiB  empty  [.]\n",
           "Title:\n  0x1000 4 pages  another unit  [.]\n",
       }) {
    const auto maps = ParseRangeMaps(text);
    EXPECT_EQ(maps.rest, text);
    EXPECT_TRUE(maps.states.empty()) << text;
  }
}

TEST(RangeMap, PagesThatAreNoPages) {
  EXPECT_THAT(ParsePages("v×512m"), ElementsAre(PageRun{'v', 512}, PageRun{'m', 1}));
  EXPECT_TRUE(ParsePages("/proc/self/pagemap: no").empty());
  EXPECT_TRUE(ParsePages("m×0").empty());
  EXPECT_TRUE(ParsePages("m×99999999999999999999").empty());
}

TEST(RangeMap, MemoryWithAHoleIsTwoAreas) {
  const std::vector<RangeState> states = {
      {"a", {{0x1000, 0x1000, "x", {}}}},
      {"b", {{0x3000, 0x1000, "x", {}}, {0x2000, 0x800, "", {}}}}};
  EXPECT_THAT(AreasOf(states), ElementsAre(Area{0x1000, 0x2800}, Area{0x3000, 0x4000}));
}

TEST(Scale, SmallPiecesAreNotToScale) {
  const std::vector<RangeState> alike = {{"a", {{0, 0x4000, "x", {}}, {0x4000, 0xC000, "y", {}}}}};
  const Scale scale({0, 0x10000}, alike);
  EXPECT_TRUE(scale.proportional());
  EXPECT_EQ(scale.At(0x4000), "25%");
  EXPECT_EQ(scale.Width(0x4000, 0x10000), "75%");
  const std::vector<RangeState> unlike = {
      {"a", {{0, 0x1000, "x", {}}, {0x1000, 0xFFF000, "y", {}}}}};
  EXPECT_FALSE(Scale({0, 0x1000000}, unlike).proportional());
}

TEST(Flags, HaveNames) {
  EXPECT_EQ(WithFlagNames("a, flags 0x3, b"), "a, flags 0x3 (host access + coherent), b");
  EXPECT_EQ(WithFlagNames("flags 0x0"), "flags 0x0");
  EXPECT_EQ(WithFlagNames("no answer (status 1)"), "no answer (status 1)");
}

class Figure {
 public:
  explicit Figure(const char* text) {
    std::ostringstream out;
    WriteRangeFigure(out, ParseRangeMaps(text).states);
    EXPECT_TRUE(document_.load_string(out.str().c_str())) << out.str();
  }

  /// "12.5%+25%": where each rectangle of that kind begins, and its width.
  std::vector<std::string> Rects(unsigned strip, const char* kind) const {
    std::vector<std::string> found;
    for (const auto& rect : Svg(strip).children("rect")) {
      if (std::strcmp(rect.attribute("class").value(), kind) != 0) continue;
      found.push_back(std::string(rect.attribute("x").value()) + "+" +
                      rect.attribute("width").value());
    }
    return found;
  }
  pugi::xml_node Svg(unsigned strip) const {
    const auto all = document_.select_nodes("//svg[@class='ranges']");
    return strip < all.size() ? all[strip].node() : pugi::xml_node();
  }
  std::size_t Strips() const { return document_.select_nodes("//svg[@class='ranges']").size(); }
  std::string Text(const char* path) const {
    std::string text;
    for (const auto& node : document_.select_nodes(path)) text += node.node().text().get();
    return text;
  }

 private:
  pugi::xml_document document_;
};

TEST(RangeFigure, EachStateHasItsRangesAndPages) {
  const Figure figure(kText);
  ASSERT_EQ(figure.Strips(), 2U);
  EXPECT_THAT(figure.Rects(0, "range"), ElementsAre("0%+100%"));
  EXPECT_THAT(figure.Rects(0, "none"), ElementsAre("0%+50%"));
  EXPECT_THAT(figure.Rects(0, "gpu"), ElementsAre("50%+25%"));
  EXPECT_THAT(figure.Rects(0, "sys"), ElementsAre("75%+25%"));
  EXPECT_THAT(figure.Rects(1, "range"), ElementsAre("0%+50%", "50%+50%"));
  EXPECT_THAT(figure.Rects(1, "gpu"), ElementsAre());
  EXPECT_THAT(figure.Rects(1, "sys"), ElementsAre("50%+50%"));
  EXPECT_EQ(figure.Text("//dl[@class='sets']//strong"), "preferred node 1");
  EXPECT_EQ(figure.Text("//p[@class='ends']/code"), "0x100000x20000");
}

TEST(RangeFigure, SaysInWordsWhatItDraws) {
  const Figure figure(kText);
  EXPECT_STREQ(figure.Svg(0).attribute("role").value(), "img");
  EXPECT_STREQ(figure.Svg(0).attribute("aria-label").value(),
               "SVM after Set of 1 attributes: 0x10000, 64 KiB, attributes A, 8 pages nowhere yet, "
               "4 pages on a GPU, 4 pages in system memory");
  EXPECT_THAT(figure.Svg(1).attribute("aria-label").value(),
              HasSubstr("; 0x18000, 32 KiB, attributes B, 8 pages in system memory"));
}

TEST(RangeFigure, WhatDidNotChangeIsDrawnOnce) {
  const Figure figure(
      "Before:\n  0x1000 4 KiB  same  [m]\n"
      "After:\n  0x1000 4 KiB  same  [m]\n");
  EXPECT_EQ(figure.Strips(), 1U);
  EXPECT_EQ(figure.Text("//p[@class='state']"), "Before; the same: After");
}

}  // namespace
}  // namespace kfdcts::report::html
