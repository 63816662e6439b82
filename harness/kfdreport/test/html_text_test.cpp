#include "harness/kfdreport/html_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "harness/kfdreport/html_element.h"

namespace kfdcts::report::html {
namespace {

TEST(HtmlEscape, MarkupIsText) {
  EXPECT_EQ(Escape("<script>alert('x' & \"y\")</script>"),
            "&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;");
  EXPECT_EQ(Escape("a\tb\nc ×"), "a\tb\nc ×");
  EXPECT_EQ(Escape(""), "");
}

TEST(HtmlEscape, WhatDoesNotShowIsACode) {
  EXPECT_EQ(Escape(std::string_view("\0\x1b[31m\x7f", 7)), "\\u{0}\\u{1b}[31m\\u{7f}");
  EXPECT_EQ(Escape("gpu\u202E0\u2066x\u200B\uFEFF"), "gpu\\u{202e}0\\u{2066}x\\u{200b}\\u{feff}");
  EXPECT_EQ(Escape("one\r\ntwo\rthree"), "one\ntwo\\u{d}three");
  EXPECT_EQ(Escape("\uFFFE\U0001FFFF\U000E0041"), "\\u{fffe}\\u{1ffff}\\u{e0041}");
}

TEST(HtmlEscape, BytesThatAreNoUtf8) {
  EXPECT_EQ(Escape("\xff"), "\\x{ff}");
  EXPECT_EQ(Escape("\xc3"), "\\x{c3}");
  EXPECT_EQ(Escape("\xc0\xaf"), "\\x{c0}\\x{af}");             // overlong '/'
  EXPECT_EQ(Escape("\xed\xa0\x80"), "\\x{ed}\\x{a0}\\x{80}");  // a surrogate
  EXPECT_EQ(Escape("\xf4\x90\x80\x80<"), "\\x{f4}\\x{90}\\x{80}\\x{80}&lt;");
}

TEST(HtmlElement, AttributesAreEscapedAndEmptyNamesLeftOut) {
  std::ostringstream out;
  Leaf(out, "a", {{"href", "#\"onclick=\"x"}, {"", "open"}}, "<b>");
  EXPECT_EQ(out.str(), "<a href=\"#&quot;onclick=&quot;x\">&lt;b&gt;</a>");
}

TEST(HtmlShorten, KeepsBothEndsAndWholeCharacters) {
  EXPECT_EQ(Shorten("12345678", 8), "12345678");
  EXPECT_EQ(Shorten("abcdefghijkl", 8), "ab\n[… 4 bytes left out …]\nghijkl");
  // Its second byte, and the third from the end, are within a character.
  EXPECT_EQ(Shorten("a××××b", 8), "a\n[… 2 bytes left out …]\n×××b");
  EXPECT_EQ(Cut("ab×c", 3), "ab…");
  EXPECT_EQ(Cut("ab×", 4), "ab×");
}

TEST(HtmlNumbers, DurationsAndParts) {
  EXPECT_EQ(DurationText(0.046), "46 ms");
  EXPECT_EQ(DurationText(1.34), "1.3 s");
  EXPECT_EQ(DurationText(799), "13 min 19 s");
  EXPECT_EQ(DurationText(7260), "2 h 1 min");
  EXPECT_EQ(DurationText(-1), "0 ms");
  EXPECT_EQ(DurationText(std::numeric_limits<double>::quiet_NaN()), "0 ms");
  EXPECT_EQ(Percent(1, 8), "12.5%");
  EXPECT_EQ(Percent(1, 3), "33.333%");
  EXPECT_EQ(Percent(2, 0), "0%");
  EXPECT_EQ(Percent(9, 3), "100%");
}

}  // namespace
}  // namespace kfdcts::report::html
