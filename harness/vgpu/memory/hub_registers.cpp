#include "harness/vgpu/memory/hub_registers.h"

namespace kfdcts::vgpu {
namespace {

// VM_INVALIDATE_ENGn_REQ
constexpr std::uint32_t kPerVmidInvalidateReq = 0xffff;
constexpr std::uint32_t kClearFaultInRequest = 1U << 23;
// VM_L2_CNTL2
constexpr std::uint32_t kInvalidateAll = 0x3;
// VM_L2_PROTECTION_FAULT_CNTL
constexpr std::uint32_t kClearFault = 1U << 0;
// VM_L2_PROTECTION_FAULT_STATUS
constexpr std::uint32_t kMoreFaults = 1U << 0;
constexpr unsigned kWalkerErrorShift = 1;
constexpr unsigned kPermissionFaultsShift = 4;
constexpr std::uint32_t kMappingError = 1U << 8;
constexpr unsigned kCidShift = 9;
constexpr std::uint32_t kWrite = 1U << 18;
constexpr unsigned kVmidShift = 20;
// Client ids as the driver prints them: the compute processor, and the first SDMA engine's two.
constexpr std::uint32_t kCidCpc = 5, kCidSdma0Read = 46, kCidSdma0Write = 15;

void ClearFault(const HubRegisters& hub, RegisterFile& registers) {
  registers.Set(hub.protection_fault_status, 0);
  registers.Set(hub.protection_fault_addr_lo, 0);
  registers.Set(hub.protection_fault_addr_lo + 4, 0);
}

void InstallInvalidation(Hub which, const HubRegisters& hub, RegisterFile& registers,
                         const InvalidateHook& hook) {
  registers.OnWrite(hub.invalidate_eng0_req, kInvalidateEngines,
                    [=, &hub, &registers](std::uint32_t offset, std::uint32_t value) {
                      registers.Set(offset, value);
                      const auto vmids = value & kPerVmidInvalidateReq;
                      hook(which, static_cast<std::uint16_t>(vmids));
                      const auto engine = offset - hub.invalidate_eng0_req;
                      registers.Set(hub.invalidate_eng0_ack + engine, vmids);
                      if ((value & kClearFaultInRequest) != 0) ClearFault(hub, registers);
                    });
  registers.OnWrite(hub.l2_cntl2, 1, [=, &registers](std::uint32_t offset, std::uint32_t value) {
    if ((value & kInvalidateAll) != 0) hook(which, 0xffff);
    registers.Set(offset, value & ~kInvalidateAll);
  });
  // Nobody competes for a semaphore: a read always acquires it.
  registers.OnRead(hub.invalidate_eng0_sem, kInvalidateEngines, [](std::uint32_t) { return 1U; });
}

}  // namespace

const HubRegisters& RegistersOf(const Chip& chip, Hub hub) {
  return hub == Hub::kGfx ? chip.gfx_hub : chip.mm_hub;
}

void InstallHubRegisters(const Chip& chip, RegisterFile& registers, const InvalidateHook& hook) {
  for (const auto which : {Hub::kGfx, Hub::kMm}) {
    const auto& hub = RegistersOf(chip, which);
    InstallInvalidation(which, hub, registers, hook);
    registers.OnWrite(hub.protection_fault_cntl, 1,
                      [&hub, &registers](std::uint32_t offset, std::uint32_t value) {
                        registers.Set(offset, value & ~kClearFault);
                        if ((value & kClearFault) != 0) ClearFault(hub, registers);
                      });
  }
}

std::uint32_t PermissionFaults(const Fault& fault) {
  const auto access = fault.access == Access::kWrite ? 4U : 2U;
  switch (fault.cause) {
    case FaultCause::kNotPresent:
      return 1U | access;
    case FaultCause::kPermission:
      return access;
    case FaultCause::kWalker:
    case FaultCause::kOutOfRange:
    case FaultCause::kFlushPending:
      return 0;
  }
  return 0;
}

void LatchFault(const Chip& chip, RegisterFile& registers, const Fault& fault) {
  const auto& hub = RegistersOf(chip, fault.space.hub);
  const auto latched = registers.Get(hub.protection_fault_status);
  if (latched != 0) {
    registers.Set(hub.protection_fault_status, latched | kMoreFaults);
    return;
  }
  const bool write = fault.access == Access::kWrite;
  const auto mm_cid = write ? kCidSdma0Write : kCidSdma0Read;
  auto status = PermissionFaults(fault) << kPermissionFaultsShift;
  status |= (fault.space.hub == Hub::kGfx ? kCidCpc : mm_cid) << kCidShift;
  status |= std::uint32_t{fault.space.vmid} << kVmidShift;
  if (write) status |= kWrite;
  if (fault.cause == FaultCause::kWalker) status |= 1U << kWalkerErrorShift;
  if (fault.cause == FaultCause::kOutOfRange) status |= kMappingError;
  const auto page = fault.address >> 12;
  registers.Set(hub.protection_fault_status, status);
  registers.Set(hub.protection_fault_addr_lo, static_cast<std::uint32_t>(page));
  registers.Set(hub.protection_fault_addr_lo + 4, static_cast<std::uint32_t>(page >> 32));
}

}  // namespace kfdcts::vgpu
