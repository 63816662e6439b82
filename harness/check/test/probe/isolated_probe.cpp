// Checks that fail and are skipped, for the ctests that look at what comes out.
#include <gtest/gtest.h>

#include "harness/check/isolated.h"

namespace kfdcts::check {
namespace {

TEST(Probe, Fails) {
  RunIsolated([] { EXPECT_EQ(1, 2) << "wrong number"; });
}

TEST(Probe, FailsAndGoesOn) {
  RunIsolated([] {
    EXPECT_EQ(1, 2) << "first";
    ASSERT_EQ(3, 4) << "second";
    ADD_FAILURE() << "third";
  });
}

TEST(Probe, Throws) {
  RunIsolated([] { throw std::runtime_error("thrown text"); });
}

TEST(Probe, IsSkipped) {
  RunIsolated([] { GTEST_SKIP() << "no such thing"; });
}

}  // namespace
}  // namespace kfdcts::check
