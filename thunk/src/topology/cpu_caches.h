#pragma once

#include <cstdint>
#include <vector>

#include "thunk/src/kernel/system_calls.h"
#include "thunk/src/topology/cpu_info.h"
#include "thunk/src/topology/node.h"

namespace kfdcts::thunk {

/// The caches of a NUMA node's processors from /sys/devices/system/node, in order of processor and
/// index; of all processors (/sys/devices/system/cpu) where the kernel knows of no node 0. A cache
/// that several processors share is told of once, with the first of them. Files that are missing or
/// garbled leave their number 0. Processor ids and the sibling map are APIC ids; sizes are in
/// bytes; siblings with an APIC id from HSA_CPU_SIBLINGS on are left out.
std::vector<Cache> ReadCpuCaches(SystemCalls& calls, const CpuInfo& cpus, std::uint32_t numa_node);

}  // namespace kfdcts::thunk
