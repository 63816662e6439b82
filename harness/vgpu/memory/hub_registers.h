#pragma once

#include <cstdint>
#include <functional>

#include "harness/vgpu/asic/chip.h"
#include "harness/vgpu/core/register_file.h"
#include "harness/vgpu/memory/fault.h"

namespace kfdcts::vgpu {

/// What a VM_INVALIDATE_ENGn_REQ or VM_L2_CNTL2 write asks for: bit n of `vmids` is VMID n.
using InvalidateHook = std::function<void(Hub hub, std::uint16_t vmids)>;

const HubRegisters& RegistersOf(const Chip& chip, Hub hub);

/// Installs the registers of both hubs that act when written: invalidation requests, acknowledged
/// at once, their semaphores, and the bits that clear the protection fault.
void InstallHubRegisters(const Chip& chip, RegisterFile& registers, const InvalidateHook& hook);

/// Keeps the fault in VM_L2_PROTECTION_FAULT_STATUS and _ADDR until the driver clears them; another
/// one meanwhile only sets MORE_FAULTS.
void LatchFault(const Chip& chip, RegisterFile& registers, const Fault& fault);

/// PERMISSION_FAULTS of the status register: bit 0 entry not valid, 1 read, 2 write.
std::uint32_t PermissionFaults(const Fault& fault);

}  // namespace kfdcts::vgpu
