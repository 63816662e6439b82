#pragma once

#include <cstdint>
#include <span>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/kernel/kfd.h"
#include "thunk/src/topology/topology.h"

namespace kfdcts::thunk {

/// hsaKmtSVMSetAttr by AMDKFD_IOC_SVM. `start` and `size` are bytes, aligned to pages and not 0.
/// INVALID_PARAMETER: they are not, an unknown type, or more attributes than the ioctl's size field
/// can tell (SVM-1, SVM-22). INVALID_NODE_UNIT: a node that does not exist, or the CPU's as an
/// access (SVM-13). ERROR: the kernel refused.
HSAKMT_STATUS SetSvmAttributes(const Kfd& kfd, const Topology& topology, void* start,
                               std::uint64_t size, std::span<const HSA_SVM_ATTRIBUTE> attributes);

/// hsaKmtSVMGetAttr, with the same errors. Answers are written on success only: locations as node
/// ids or INVALID_NODEID, an access as the attribute's type (SVM-8).
HSAKMT_STATUS GetSvmAttributes(const Kfd& kfd, const Topology& topology, void* start,
                               std::uint64_t size, std::span<HSA_SVM_ATTRIBUTE> attributes);

}  // namespace kfdcts::thunk
