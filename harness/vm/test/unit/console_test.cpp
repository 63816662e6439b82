#include "harness/vm/run/console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kfdcts::vm {
namespace {

using ::testing::ElementsAre;

class ConsoleTest : public ::testing::Test {
 protected:
  std::vector<std::string> stages_;
  Console console_{[this](const std::string& stage) { stages_.push_back(stage); }};
};

TEST_F(ConsoleTest, KeepsTheLastLinesInOrder) {
  for (int i = 0; i < 100; ++i) {
    console_.Feed(std::to_string(i) + "\r\n");
  }
  console_.Feed("unfini\x1b[0mshed");
  const auto tail = console_.Tail();
  ASSERT_EQ(tail.size(), Console::kTailLines + 1);
  EXPECT_EQ(tail.front(), "60");
  EXPECT_EQ(tail[Console::kTailLines - 1], "99");
  EXPECT_EQ(tail.back(), "unfini[0mshed");
}

TEST_F(ConsoleTest, PanicIsSeenAcrossChunks) {
  console_.Feed("[    1.0] Kernel pan");
  EXPECT_FALSE(console_.panicked());
  console_.Feed("ic - not syncing: VFS: no root\r\n");
  EXPECT_TRUE(console_.panicked());
  EXPECT_FALSE(console_.oopsed());
  EXPECT_EQ(console_.panic(), "[    1.0] Kernel panic - not syncing: VFS: no root");
}

TEST_F(ConsoleTest, OopsIsTheFirstLineThatTellsOne) {
  console_.Feed(
      "[   12.5] BUG: kernel NULL pointer dereference, address: 0000000000000000\r\n"
      "[   12.5] Oops: Oops: 0002 [#1] SMP\r\n"
      "[   12.6] Kernel panic - not syncing: Fatal exception\r\n");
  EXPECT_TRUE(console_.oopsed());
  EXPECT_TRUE(console_.panicked());
  EXPECT_EQ(console_.oops(),
            "[   12.5] BUG: kernel NULL pointer dereference, address: 0000000000000000");
}

TEST_F(ConsoleTest, EveryKindOfOopsIsKnown) {
  for (const char* line :
       {"BUG: unable to handle page fault for address: ffff", "kernel BUG at mm/slub.c:300!",
        "general protection fault, probably for non-canonical address 0xdead: 0000 [#1]",
        "Unable to handle kernel paging request", "Oops: general protection fault, 0000 [#1]"}) {
    Console console([](const std::string&) {});
    console.Feed(std::string("[  3.0] ") + line + "\r\n");
    EXPECT_TRUE(console.oopsed()) << line;
  }
}

TEST_F(ConsoleTest, FaultOfAProgramOrAReportIsNoOops) {
  console_.Feed(
      "[  3.0] traps: a.out[99] general protection fault ip:1 sp:2 error:0 in a.out\r\n"
      "[  3.0] a.out[99]: segfault at 0 ip 1 sp 2 error 4\r\n"
      "[  3.0] WARNING: CPU: 0 PID: 1 at x.c:3 f+0x1/0x2\r\n"
      "[  3.0] BUG: sleeping function called from invalid context at x.c:3\r\n");
  EXPECT_FALSE(console_.oopsed());
  EXPECT_FALSE(console_.panicked());
}

TEST_F(ConsoleTest, LinesOfTheGuestsInitAreTaken) {
  console_.Feed("kfdvm: stage files\r\nkfdvm: fail amdgpu took 1 of 2 GPUs\r\n");
  EXPECT_THAT(stages_, ElementsAre("files"));
  EXPECT_EQ(console_.failure(), "amdgpu took 1 of 2 GPUs");
}

}  // namespace
}  // namespace kfdcts::vm
