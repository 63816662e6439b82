// The virtual GPUs of the default machine, seen by a client that we did not write.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <regex>

#include "harness/vm/test/vm/launcher.h"

namespace kfdcts::vm {
namespace {

std::ptrdiff_t Count(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), expression),
                       std::sregex_iterator());
}

TEST(GuestGpus, RocminfoSeesTheCpuAndTwoGpus) {
  const test::Launcher launcher;
  const ToolResult result = launcher.Run({"--machine", "vega10x2"}, {"rocminfo"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(Count(result.output, "Device Type: +CPU"), 1);
  EXPECT_EQ(Count(result.output, "Device Type: +GPU"), 2);
  EXPECT_EQ(Count(result.output, "\n  Name: +gfx900 *\n"), 2);
}

TEST(GuestGpus, SmallBarShowsOnlyAPartOfTheVram) {
  const test::Launcher launcher;
  const ToolResult result =
      launcher.Run({"--machine", "small-bar"},
                   {"sh", "-c", "cat /sys/class/drm/card0/device/mem_info_vis_vram_total"});
  EXPECT_EQ(result.output, "67108864\n") << result.errors;
}

}  // namespace
}  // namespace kfdcts::vm
