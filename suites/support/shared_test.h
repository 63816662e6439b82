#pragma once

#include <functional>

#include "harness/test_support/child.h"
#include "suites/support/memory_test.h"
#include "suites/support/shared_memory.h"

namespace kfdcts::suites {

/// Memory of this process and a child that imports it.
class SharedTest : public MemoryTest {
 protected:
  /// Runs `body` in a child that has opened KFD.
  void InPeer(const std::function<void()>& body) {
    const harness::ChildResult child = harness::RunInChild([&] {
      OpenKfd();
      body();
      CloseKfd();
    });
    EXPECT_TRUE(child.Passed()) << child.Describe();
  }

  SharedHandle Share(const Allocation& memory) const {
    return suites::Share(thunk(), memory.address(), memory.size());
  }
};

}  // namespace kfdcts::suites
