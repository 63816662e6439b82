#pragma once

#include <functional>
#include <vector>

#include "harness/cli/kfd_users.h"
#include "harness/gpu/topology.h"

namespace kfdcts::harness {

/// What differs between kfdcts and a program of other tests on the same harness.
struct Program {
  /// Of the running kernel.
  std::function<gpu::Topology()> host_topology = [] { return gpu::ReadTopology(); };
  /// Of the running kernel, beside this process.
  std::function<std::vector<KfdUser>()> kfd_users = [] { return OtherKfdUsers(); };
  /// Whether the tests want /dev/kfd and a thunk.
  bool needs_kfd = true;
};

/// main() of kfdcts, with the tests of TestRegistry::Global(). The process's exit code.
int Main(int argc, char** argv, const Program& program);

}  // namespace kfdcts::harness
