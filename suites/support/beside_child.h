#pragma once

#include <gtest/gtest.h>

#include <thread>

#include "harness/test_support/child.h"
#include "suites/support/gate.h"

namespace kfdcts::suites {

/// Runs `parent` while a child that was forked before waits; then the child runs `child`. Both may
/// fail the test.
template <typename Child, typename Parent>
void BesideChild(const Child& child, const Parent& parent) {
  struct Opener {
    const Gate& gate;
    ~Opener() { gate.Open(); }
  };
  const Gate forked, done;
  harness::ChildResult result;
  {
    const std::jthread other([&] {
      result = harness::RunInChild([&] {
        forked.Open();
        ASSERT_TRUE(done.Wait());
        child();
      });
    });
    const Opener opener{done};  // however the parent ends
    ASSERT_TRUE(forked.Wait());
    parent();
  }
  EXPECT_TRUE(result.Passed()) << result.Describe();
}

}  // namespace kfdcts::suites
