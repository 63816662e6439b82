#include "harness/vgpu/engines/pm4_handlers.h"
#include "harness/vgpu/engines/pm4_packets.h"

namespace kfdcts::vgpu::pm4 {

Outcome Unknown(Pm4Context& c, const char* subject) {
  c.services.diagnostics.Count(Diagnostics::Kind::kUnknownPacket, subject);
  return Outcome::Exception(QueueException::kPacketUnsupported);
}

/// Also every packet that arranges caches, contexts or pipelines which this device does not have.
Outcome Nop(Pm4Context&, Pm4Body) { return Outcome::Done(); }

Outcome CondExec(Pm4Context& c, Pm4Body body) {
  std::uint32_t condition = 0;
  if (auto fault = c.memory().Read32(c.space, Join(body[0] & ~3u, body[1]), condition)) {
    return Outcome::Faulted(*fault);
  }
  if (condition == 0) c.skip = Bits(body[3], 13, 0);
  return Outcome::Done();
}

Outcome IndirectBufferPacket(Pm4Context& c, Pm4Body body) {
  const bool chain = Bits(body[2], 20, 20) != 0;
  IndirectBuffer target{c.space, Join(body[0] & ~3u, body[1]), Bits(body[2], 19, 0), 0,
                        c.packet_dwords};
  // A ring of the driver names the VMID; everybody else stays in his own.
  if (c.space.vmid == 0) target.space.vmid = static_cast<std::uint8_t>(Bits(body[2], 27, 24));
  if (target.dwords == 0) return Outcome::Done();
  if (chain && c.queue.depth) {
    IndirectBuffer& current = c.queue.indirect[c.queue.depth - 1];
    target.packet_dwords = current.packet_dwords;
    current = target;
    c.queue.progress = 0;
  } else if (!c.queue.Enter(target)) {
    c.services.diagnostics.Count(Diagnostics::Kind::kMalformedPacket,
                                 "PM4 INDIRECT_BUFFER nesting");
    return Outcome::Exception(QueueException::kPacketReserved);
  }
  c.jumped = true;
  return Outcome::Done();
}

namespace {

/// Writes one register, then waits for another to have the same bits under the mask: HDP and TLB
/// flushes.
Outcome WriteWaitWriteReg(Pm4Context& c, Pm4Body body) {
  if (c.queue.progress == 0) {
    if (!WriteRegister(c, Bits(body[1], 17, 0), body[3])) {
      return Outcome::Exception(QueueException::kPrivilegedRegister);
    }
    c.queue.progress = 1;
  }
  std::uint32_t value = 0;
  if (!ReadRegister(c, Bits(body[2], 17, 0), value)) {
    return Outcome::Exception(QueueException::kPrivilegedRegister);
  }
  return CompareFunction(Bits(body[0], 2, 0), value & body[4], body[3] & body[4]) ? Outcome::Done()
                                                                                  : Outcome::Wait();
}

}  // namespace

Outcome WaitRegMem(Pm4Context& c, Pm4Body body) {
  const std::uint32_t function = Bits(body[0], 2, 0), operation = Bits(body[0], 7, 6);
  if (operation == kWriteWaitWriteReg) return WriteWaitWriteReg(c, body);
  if (operation == 2 || function == 7) return Unknown(c, "PM4 WAIT_REG_MEM operation");
  std::uint32_t value = 0;
  if (Bits(body[0], 5, 4) == 1) {
    if (auto fault = c.memory().Read32(c.space, Join(body[1] & ~3u, body[2]), value)) {
      return Outcome::Faulted(*fault);
    }
  } else if (!ReadRegister(c, Bits(body[1], 17, 0), value)) {
    return Outcome::Exception(QueueException::kPrivilegedRegister);
  }
  return CompareFunction(function, value & body[4], body[3]) ? Outcome::Done() : Outcome::Wait();
}

/// Flushes of pipelines, which are always empty here. An event that would write a counter writes
/// none.
Outcome EventWrite(Pm4Context&, Pm4Body) { return Outcome::Done(); }

Outcome InvalidateTlbs(Pm4Context& c, Pm4Body body) {
  const std::uint32_t pasid = Bits(body[0], 20, 5);
  const bool all_hubs = Bits(body[0], 4, 4) != 0;
  for (std::uint8_t vmid = 1; vmid < kVmids; ++vmid) {
    if (c.memory().PasidOf(vmid) != pasid) continue;
    c.memory().InvalidateTlb(Hub::kGfx, vmid);
    if (all_hubs) c.memory().InvalidateTlb(Hub::kMm, vmid);
  }
  return Outcome::Done();
}

/// There are no shader cores: a dispatch must never look as if it had run.
Outcome Dispatch(Pm4Context& c, Pm4Body) {
  c.services.diagnostics.Count(Diagnostics::Kind::kUnsupportedDispatch, "PM4 DISPATCH");
  return Outcome::Exception(QueueException::kPacketUnsupported);
}

}  // namespace kfdcts::vgpu::pm4
