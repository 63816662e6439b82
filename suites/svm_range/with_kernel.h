#pragma once

#include <gtest/gtest.h>

#include "harness/gpu/session.h"
#include "harness/test_support/child.h"

namespace kfdcts::suites {

/// Runs `body` in a process with KFD opened anew by raw system calls.
template <typename Body>
void WithKernel(const Body& body) {
  const auto result = harness::RunInChild([&body] {
    gpu::Session session;
    body(session);
  });
  EXPECT_TRUE(result.Passed()) << result.Describe();
}

}  // namespace kfdcts::suites
