#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "harness/gpu/unique_fd.h"
#include "harness/scenario/scenario.h"
#include "suites/scenarios/contents.h"

namespace kfdcts::suites {

/// A child of fork(2) that holds copies of all memory and does steps when told to.
class ForkedChild {
 public:
  using Do = std::function<Complaint(const harness::scenario::Step&)>;

  /// `run` does a step in the child. Throws std::system_error.
  explicit ForkedChild(const Do& run);
  /// Lets it exit and waits for that.
  ~ForkedChild();
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;

  /// `steps` must be older than this object: the child reads them in its own copy of the memory.
  Complaint Run(const std::vector<harness::scenario::Step>& steps);

 private:
  gpu::UniqueFd channel_;
  pid_t pid_ = -1;
};

}  // namespace kfdcts::suites
