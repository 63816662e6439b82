#pragma once

#include "harness/gpu/topology.h"
#include "hsakmt/hsakmttypes.h"

namespace kfdcts::harness {

/// A GPU of the system. Its facts are the kernel's: HsaNodeProperties has another layout in every
/// few releases of libhsakmt under the same soname, so a harness for any thunk cannot read it.
struct GpuNode {
  int ordinal = 0;        ///< Position among the system's GPUs.
  HSAuint32 node_id = 0;  ///< KFD's node number, which is the thunk's.
  HSAuint32 gpu_id = 0;   ///< KFD's id.
  gpu::GpuNode facts;     ///< As in sysfs.
};

}  // namespace kfdcts::harness
