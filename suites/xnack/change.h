#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "harness/gpu/unique_fd.h"

namespace kfdcts::suites {

/// A child process that shares all private pages with this one until it is let go.
class ForkedHolder {
 public:
  ForkedHolder();
  /// Lets it go and waits for its end.
  ~ForkedHolder();
  ForkedHolder(const ForkedHolder&) = delete;
  ForkedHolder& operator=(const ForkedHolder&) = delete;

 private:
  gpu::UniqueFd line_;  ///< Closed: it goes.
  int pid_;
};

/// A change of the CPU's page tables under memory that a GPU has mapped.
struct Change {
  std::string_view name;
  /// Makes the change. The result lives as long as the test.
  std::shared_ptr<void> (*make)(std::span<std::byte> pages);
  bool keeps_data;  ///< Else all is zero.
};

extern const Change kChanges[4];

}  // namespace kfdcts::suites
