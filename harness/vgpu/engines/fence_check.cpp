#include "harness/vgpu/engines/fence_check.h"

#include <string>

namespace kfdcts::vgpu {

void AddFenceTwice(Services& services, AddressSpace space, std::uint64_t address,
                   std::uint64_t before) {
  services.diagnostics.findings.Add(
      {.kind = FindingKind::kFenceTwice,
       .vmid = space.vmid,
       .pasid = services.memory.PasidOf(space.vmid),
       .address = address,
       .detail = "held " + std::to_string(static_cast<std::int64_t>(before))});
}

void CheckFence(Services& services, const Queue& queue, AddressSpace space, std::uint64_t address,
                std::uint64_t value, std::size_t bytes) {
  if (!queue.kernel || space.vmid != 0 || value == 0) return;
  std::uint64_t wide = 0;
  std::uint32_t narrow = 0;
  const auto fault = bytes == 8 ? services.memory.Read64(space, address & ~7ULL, wide)
                                : services.memory.Read32(space, address & ~3ULL, narrow);
  if (fault) return;  // which the write will meet
  const std::uint64_t before = bytes == 8 ? wide : narrow;
  if (before == value) AddFenceTwice(services, space, address, before);
}

void CheckTrap(Services& services, Queue& queue) {
  if (queue.kernel && !queue.fenced) {
    services.diagnostics.findings.Add({.kind = FindingKind::kInterruptTwice,
                                       .vmid = queue.space.vmid,
                                       .address = queue.base,
                                       .detail = "no fence since the last trap"});
  }
  queue.fenced = false;
}

}  // namespace kfdcts::vgpu
