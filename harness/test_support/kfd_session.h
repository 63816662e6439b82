#pragma once

#include <vector>

#include "harness/test_support/gpu_node.h"
#include "harness/thunk/thunk.h"

namespace kfdcts::harness {

/// KFD opened through the thunk, and the system's nodes.
class KfdSession {
 public:
  /// hsaKmtOpenKFD and hsaKmtAcquireSystemProperties. Throws std::runtime_error with the status
  /// where one fails or the thunk knows another number of nodes than the kernel; KFD is closed
  /// then.
  void Open(const ThunkApi& api);

  /// hsaKmtReleaseSystemProperties and hsaKmtCloseKFD. Throws std::runtime_error where one fails;
  /// both have been called then.
  void Close(const ThunkApi& api);

  /// From sysfs alone, without the thunk.
  void ReadTopology();

  /// In the order of their nodes; empty before Open() or ReadTopology().
  const std::vector<GpuNode>& gpus() const { return gpus_; }

  /// The first node that has CPU cores: the kernel lists CPUs before GPUs.
  HSAuint32 cpu_node() const { return 0; }

 private:
  std::vector<GpuNode> gpus_;
  unsigned nodes_ = 0;
};

}  // namespace kfdcts::harness
