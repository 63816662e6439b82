#pragma once

#include <optional>
#include <span>

#include "harness/test_support/gpu_node.h"
#include "harness/test_support/test_spec.h"

namespace kfdcts::harness {

/// Keeps this process in the XNACK mode that a test is about, and puts the former one back.
///
/// A mode counts only where the GPUs' hardware follows it: those of gfx90a and gfx9.4 on retry by
/// process; the others' retry is amdgpu's at its loading (amdgpu.noretry, GC ID), and on those KFD
/// takes mode 0 from a process whose faults are retried all the same.
class XnackMode {
 public:
  /// `wanted`: kOn or kOff; `gpus`: the system's. Asks the kernel by ioctls of its own, not by the
  /// thunk. Throws CapabilityMissing "xnack-on" or "xnack-off" where the mode cannot be had, and
  /// GpuError where the process has queues.
  XnackMode(Xnack wanted, std::span<const GpuNode> gpus);

  /// Restores where Restore() was not called; what that meets is lost.
  ~XnackMode();
  XnackMode(const XnackMode&) = delete;
  XnackMode& operator=(const XnackMode&) = delete;

  /// The mode that the process had comes back. 0 or the errno: EBUSY where queues are left.
  int Restore();

 private:
  std::optional<int> before_;
};

/// Whether each process has its own retry mode on GPUs of this gfx_target_version
/// (kfd_priv.h: KFD_SUPPORT_XNACK_PER_PROCESS: GC 9.4.2, 9.4.3, 9.4.4, 9.5.0).
bool HasXnackPerProcess(std::uint64_t gfx_target_version);

}  // namespace kfdcts::harness
