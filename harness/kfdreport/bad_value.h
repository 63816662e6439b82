#pragma once

#include <stdexcept>

namespace kfdcts::report {

/// What an input says and no JUnit file should; its place is added where it is known.
class BadValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace kfdcts::report
