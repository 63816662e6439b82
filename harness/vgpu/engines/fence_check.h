#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/vgpu/engines/queue.h"
#include "harness/vgpu/engines/services.h"

namespace kfdcts::vgpu {

/// Before a fence packet of the driver writes `value` (of 4 or 8 bytes): a finding where that is
/// there already, since then the fence was signalled before. A program's own fences are its matter.
/// 0 is the upper half of a short one.
void CheckFence(Services& services, const Queue& queue, AddressSpace space, std::uint64_t address,
                std::uint64_t value, std::size_t bytes);

/// Before a trap of the driver's ring: a finding where no fence was written since the last one.
void CheckTrap(Services& services, Queue& queue);

/// `before` is what the fence held.
void AddFenceTwice(Services& services, AddressSpace space, std::uint64_t address,
                   std::uint64_t before);

}  // namespace kfdcts::vgpu
