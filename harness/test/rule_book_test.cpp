#include "harness/report/rule_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/temporary_folder.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing_support::MessageOf;
using testing_support::TemporaryFolder;

constexpr const char* kOneRule =
    "suites:\n"
    "  - family: PTR\n"
    "    suite: PointerInfo\n"
    "    title: look-up\n"
    "    rules:\n"
    "      - {id: PTR-1, text: one, sources: [D1]}\n";
constexpr const char* kOneBug =
    "areas:\n"
    "  - area: pointers\n"
    "    bugs:\n"
    "      - {id: BUG-1, what: a, cause: b, trigger: c, kfdtest: no}\n";

TEST(RuleBook, TheProjectsOwnAreWhole) {
  const RuleBook book = RuleBook::Load(vm::ShareFolder() / "fixtures" / "spec");
  EXPECT_EQ(95u, book.rules().size());
  EXPECT_EQ(49u, book.bugs().size());
  ASSERT_NE(nullptr, book.FindRule("PTR-9"));
  EXPECT_EQ("PointerInfo", book.FindRule("PTR-9")->suite);
  EXPECT_THAT(book.FindRule("PTR-9")->text, HasSubstr("first match wins"));
  ASSERT_NE(nullptr, book.FindBug("BUG-3"));
  EXPECT_THAT(book.FindBug("BUG-3")->what, HasSubstr("248c1c77"));
  EXPECT_EQ(nullptr, book.FindRule("PTR-99"));
}

TEST(RuleBook, AnIdMayNotStandTwice) {
  const TemporaryFolder folder;
  folder.Write("known-bugs.yaml", kOneBug);
  const auto file = folder.Write(
      "rules.yaml", std::string(kOneRule) + "      - {id: PTR-1, text: two, sources: [K]}\n");
  EXPECT_EQ(file.string() + ":7: id: stands twice",
            MessageOf<FixtureError>([&] { RuleBook::Load(folder.path()); }));
}

TEST(RuleBook, UnknownKeyIsRefused) {
  const TemporaryFolder folder;
  folder.Write("rules.yaml", kOneRule);
  const auto file = folder.Write("known-bugs.yaml", std::string(kOneBug) + "    more: x\n");
  EXPECT_EQ(file.string() + ":5: more: unknown key",
            MessageOf<FixtureError>([&] { RuleBook::Load(folder.path()); }));
}

TEST(RuleBook, ShortTextIsCutAtAWord) {
  EXPECT_EQ("any", Shorten("any", 10));
  EXPECT_EQ("any address…", Shorten("any address inside", 14));
  EXPECT_EQ("", Shorten("", 10));
}

TEST(RuleBook, ShortTextIsNotCutInsideACharacter) {
  EXPECT_EQ("…", Shorten("\xE2\x86\x92\xE2\x86\x92", 3));
}

}  // namespace
}  // namespace kfdcts::harness
