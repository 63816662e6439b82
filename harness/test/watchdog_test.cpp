#include "harness/run/watchdog.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <system_error>

#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing_support::TemporaryFolder;

TEST(Watchdog, IsFedAndAtTheEndDisarmed) {
  const TemporaryFolder folder;
  const auto device = folder.Write("watchdog", "");
  {
    const Watchdog watchdog(device);
    watchdog.Ping();
  }
  std::ifstream in(device);
  EXPECT_EQ("\n\nV", (std::string{std::istreambuf_iterator<char>(in), {}}));
}

TEST(Watchdog, OneThatIsNotThereIsToldAtOnce) {
  EXPECT_THROW(Watchdog("/nowhere/watchdog"), std::system_error);
}

}  // namespace
}  // namespace kfdcts::harness
