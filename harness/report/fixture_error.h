#pragma once

#include <stdexcept>

namespace kfdcts::harness {

/// A data file that cannot be read or holds what its reader does not know.
/// what() is "file:line: key: reason", or "file: reason" where there is no position.
class FixtureError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace kfdcts::harness
