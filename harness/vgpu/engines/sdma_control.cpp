#include "harness/vgpu/engines/atomic_ops.h"
#include "harness/vgpu/engines/bits.h"
#include "harness/vgpu/engines/fence_check.h"
#include "harness/vgpu/engines/sdma_handlers.h"
#include "harness/vgpu/engines/sdma_packets.h"

namespace kfdcts::vgpu::sdma {

namespace {

void PushInterrupt(Context& c, std::uint8_t source, std::uint32_t data) {
  const Queue& queue = c.queue;
  const std::uint8_t vmid = queue.space.vmid;
  // Ring 0 is GFX, 1 and 3 are the paging queue's, 2 is every RLC queue's.
  c.services.interrupts.Push({.client = c.services.chip.sdma_ih_client[queue.engine],
                              .source = source,
                              .ring_id = static_cast<std::uint8_t>(queue.slot ? 2 : 0),
                              .vmid = vmid,
                              .pasid = vmid ? c.services.memory.PasidOf(vmid) : std::uint16_t{0},
                              .data = {data}});
}

/// A register by its byte offset; false where there is none.
bool InRange(Context& c, std::uint32_t offset) {
  if (offset < RegisterFile::kMmioBytes) return true;
  c.services.diagnostics.Count(Diagnostics::Kind::kOutOfRange, "register in an SDMA packet");
  return false;
}

/// User queues may not touch registers: the access is dropped, and the driver hears of it.
bool Privileged(Context& c) {
  if (c.queue.kernel && c.space.vmid == 0) return true;
  PushInterrupt(c, kSourceSrbmWrite, 0);
  return false;
}

}  // namespace

Outcome Nop(Context&, Packet) { return Outcome::Done(); }

Outcome Indirect(Context& c, Packet packet) {
  IndirectBuffer target{c.space, Join(packet[1] & ~31u, packet[2]), packet[3] & kIbSizeMask, 0,
                        static_cast<std::uint32_t>(packet.size())};
  if (c.space.vmid == 0) target.space.vmid = static_cast<std::uint8_t>(Bits(packet[0], 19, 16));
  if (target.dwords == 0) return Outcome::Done();
  if (c.queue.depth || !c.queue.Enter(target)) {
    c.services.diagnostics.Count(Diagnostics::Kind::kMalformedPacket, "SDMA INDIRECT nesting");
    return Outcome::Exception(QueueException::kPacketReserved);
  }
  c.jumped = true;
  return Outcome::Done();
}

Outcome Fence(Context& c, Packet packet) {
  CheckFence(c.services, c.queue, c.space, Join(packet[1] & ~3u, packet[2]), packet[3], 4);
  if (auto fault = c.memory().Write32(c.space, Join(packet[1] & ~3u, packet[2]), packet[3])) {
    return Outcome::Faulted(*fault);
  }
  ++c.services.counters.fences;
  c.queue.fenced = true;
  return Outcome::Done();
}

Outcome Trap(Context& c, Packet packet) {
  CheckTrap(c.services, c.queue);
  PushInterrupt(c, kSourceTrap, packet[1] & kIntContextMask);
  return Outcome::Done();
}

Outcome Sem(Context& c, Packet packet) {
  constexpr std::uint32_t kSwap64 = 0x67, kAdd64 = 0x6f, kCompareSwap64 = 0x68;
  const std::uint64_t address = Join(packet[1] & ~7u, packet[2]);
  if (packet[0] & kSemSignal) {
    const AtomicOp op{(packet[0] & kSemWriteOne) ? kSwap64 : kAdd64, 1, 0};
    return ExecuteAtomic(c.memory(), c.space, address, op, c.queue.pre_op);
  }
  std::uint64_t value = 0;
  if (auto fault = c.memory().Read64(c.space, address, value)) return Outcome::Faulted(*fault);
  if (value == 0) return Outcome::Wait();
  const Outcome taken = ExecuteAtomic(c.memory(), c.space, address,
                                      {kCompareSwap64, value - 1, value}, c.queue.pre_op);
  return taken.kind == Outcome::Kind::kDone && c.queue.pre_op != value ? Outcome::Wait() : taken;
}

namespace {

/// With HDP_FLUSH the second address is a register to write first.
Outcome PollValue(Context& c, Packet packet, std::uint32_t& value) {
  RegisterFile& registers = c.services.registers;
  if (packet[0] & kPollMemory) {
    return Outcome::From(c.memory().Read32(c.space, Join(packet[1] & ~3u, packet[2]), value));
  }
  if (!Privileged(c)) return Outcome::Exception(QueueException::kPrivilegedRegister);
  if ((packet[0] & kPollHdpFlush) && c.queue.progress == 0 && InRange(c, packet[2])) {
    registers.Write(packet[2] & ~3u, packet[3]);
  }
  if (!InRange(c, packet[1])) return Outcome::Exception(QueueException::kPrivilegedRegister);
  value = registers.Read(packet[1] & ~3u);
  return Outcome::Done();
}

}  // namespace

Outcome PollRegmem(Context& c, Packet packet) {
  std::uint32_t value = 0;
  const Outcome outcome = PollValue(c, packet, value);
  if (outcome.kind != Outcome::Kind::kDone) return outcome;
  if (CompareFunction(Bits(packet[0], 30, 28), value & packet[4], packet[3]))
    return Outcome::Done();
  const std::uint32_t retries = Bits(packet[5], 27, 16);
  if (++c.queue.progress <= retries || retries == kPollForever) return Outcome::Wait();
  PushInterrupt(c, kSourcePollTimeout, 0);
  return Outcome::Done();
}

Outcome PollRegWriteMem(Context& c, Packet packet) {
  if (!Privileged(c) || !InRange(c, packet[1])) return Outcome::Done();
  return Outcome::From(c.memory().Write32(c.space, Join(packet[2] & ~3u, packet[3]),
                                          c.services.registers.Read(packet[1] & ~3u)));
}

Outcome CondExe(Context& c, Packet packet) {
  std::uint32_t value = 0;
  if (auto fault = c.memory().Read32(c.space, Join(packet[1] & ~3u, packet[2]), value)) {
    return Outcome::Faulted(*fault);
  }
  if (value != packet[3]) c.skip = packet[4] & kExecCountMask;
  return Outcome::Done();
}

/// Device 0 of its mask is every GPU that is alone.
Outcome PreExe(Context& c, Packet packet) {
  if (!Bits(packet[0], 16, 16)) c.skip = packet[1] & kExecCountMask;
  return Outcome::Done();
}

Outcome TimestampSet(Context& c, Packet packet) {
  c.timestamp_base = Join(packet[1], packet[2]) - c.services.ClockCount();
  return Outcome::Done();
}

Outcome TimestampGet(Context& c, Packet packet) {
  return Outcome::From(c.memory().Write64(c.space, Join(packet[1] & ~7u, packet[2]),
                                          c.timestamp_base + c.services.ClockCount()));
}

Outcome TimestampGetGlobal(Context& c, Packet packet) {
  return Outcome::From(
      c.memory().Write64(c.space, Join(packet[1] & ~7u, packet[2]), c.services.ClockCount()));
}

Outcome SrbmWrite(Context& c, Packet packet) {
  const std::uint32_t offset = (packet[1] & kSrbmAddressMask) * 4;
  if (!Privileged(c) || !InRange(c, offset)) return Outcome::Done();
  std::uint32_t mask = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    if (packet[0] >> (28 + byte) & 1) mask |= 0xffu << (byte * 8);
  }
  RegisterFile& registers = c.services.registers;
  const std::uint32_t kept = mask == ~0u ? 0 : registers.Read(offset) & ~mask;
  registers.Write(offset, kept | (packet[2] & mask));
  return Outcome::Done();
}

}  // namespace kfdcts::vgpu::sdma
