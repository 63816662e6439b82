#include "harness/probes/kernel_taint.h"

#include <gtest/gtest.h>

#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing_support::TemporaryFolder;

std::string Difference(const char* before, const char* after) {
  const TemporaryFolder folder;
  KernelTaint taint(folder.Write("tainted", before));
  taint.Start();
  folder.Write("tainted", after);
  return taint.Difference();
}

TEST(KernelTaint, ANewWarningIsSeen) {
  EXPECT_EQ("warning (see the kernel's log)", Difference("0\n", "512\n"));
}

TEST(KernelTaint, SeveralAreNamed) {
  EXPECT_EQ("oops, soft lockup", Difference("512\n", "17024\n"));
}

TEST(KernelTaint, AnOldOneIsNot) { EXPECT_EQ("", Difference("512\n", "512\n")); }

TEST(KernelTaint, AModuleFromElsewhereIsNoTrouble) { EXPECT_EQ("", Difference("0\n", "12288\n")); }

}  // namespace
}  // namespace kfdcts::harness
