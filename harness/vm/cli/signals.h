#pragma once

#include <initializer_list>

#include "harness/vm/base/unique_fd.h"

namespace kfdcts::vm {

/// Takes SIGINT, SIGTERM and SIGHUP as something to read instead of a death, so that all is cleaned
/// up first. Blocks them in the calling thread (and those it starts later) for good.
class StopSignals {
 public:
  StopSignals();

  /// Readable once one has come.
  int fd() const { return fd_.get(); }

  /// The number of the one that came, or 0.
  int Caught();

 private:
  UniqueFd fd_;
};

}  // namespace kfdcts::vm
