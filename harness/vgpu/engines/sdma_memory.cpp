#include <algorithm>
#include <array>

#include "harness/vgpu/engines/atomic_ops.h"
#include "harness/vgpu/engines/bits.h"
#include "harness/vgpu/engines/sdma_handlers.h"
#include "harness/vgpu/engines/sdma_packets.h"

namespace kfdcts::vgpu::sdma {

namespace {

/// Changes the byte at `address`, as a test asked for. What cannot be reached stays as it is.
void Corrupt(Context& c, std::uint64_t address) {
  std::array<std::byte, 1> byte;
  if (c.memory().Read(c.space, address, byte)) return;
  byte[0] = ~byte[0];
  (void)c.memory().Write(c.space, address, byte);
}

Outcome CopyBytes(Context& c, std::uint64_t source, std::uint64_t destination,
                  std::uint64_t bytes) {
  Controls& controls = c.services.controls;
  if (controls.copies_held && c.queue.kernel) return Outcome::Wait();
  if (controls.copies_to_fail) {
    --controls.copies_to_fail;
    return Outcome::Done();
  }
  if (auto fault = c.memory().Copy(c.space, source, destination, bytes))
    return Outcome::Faulted(*fault);
  if (controls.copies_to_corrupt) {
    --controls.copies_to_corrupt;
    Corrupt(c, destination);
  }
  ++c.services.counters.copies;
  c.services.counters.bytes_copied += bytes;
  return Outcome::Done();
}

}  // namespace

Outcome Copy(Context& c, Packet packet) {
  return CopyBytes(c, Join(packet[3], packet[4]), Join(packet[5], packet[6]),
                   std::uint64_t{packet[1] & kCountMask} + 1);
}

Outcome CopyBroadcast(Context& c, Packet packet) {
  const std::uint64_t source = Join(packet[3], packet[4]);
  const std::uint64_t bytes = std::uint64_t{packet[1] & kCountMask} + 1;
  if (c.queue.progress == 0) {
    const Outcome first = CopyBytes(c, source, Join(packet[5], packet[6]), bytes);
    if (first.kind != Outcome::Kind::kDone) return first;
    c.queue.progress = 1;
  }
  return CopyBytes(c, source, Join(packet[7], packet[8]), bytes);
}

Outcome Write(Context& c, Packet packet) {
  std::array<std::uint32_t, 4096> data;
  const std::uint64_t total = std::uint64_t{packet[3] & kWriteCountMask} + 1;
  const std::uint64_t address = Join(packet[1] & ~3u, packet[2]);
  while (c.queue.progress < total) {
    const std::uint64_t done = c.queue.progress;
    const auto chunk = std::span(data).first(std::min<std::uint64_t>(data.size(), total - done));
    if (auto fault = c.queue.Fetch(c.memory(), packet.size() + done, chunk))
      return Outcome::Faulted(*fault);
    const auto fault = chunk.size() == 1
                           ? c.memory().Write32(c.space, address + done * 4, chunk[0])
                           : c.memory().Write(c.space, address + done * 4, std::as_bytes(chunk));
    if (fault) return Outcome::Faulted(*fault);
    c.queue.progress += chunk.size();
  }
  return Outcome::Done();
}

Outcome ConstFill(Context& c, Packet packet) {
  const std::uint32_t size = Bits(packet[0], 31, 30), count = packet[4] & kCountMask;
  std::uint64_t address = Join(packet[1], packet[2]), bytes = std::uint64_t{count} + 1;
  std::uint32_t pattern = packet[3];
  switch (size) {
    case kFillByte:
      pattern = (pattern & 0xff) * 0x0101'0101u;
      break;
    case kFillWord:
      pattern = (pattern & 0xffff) * 0x0001'0001u;
      address &= ~1ULL;
      bytes = std::uint64_t{count & ~1u} + 2;
      break;
    case kFillDword:
      address &= ~3ULL;
      bytes = std::uint64_t{count & ~3u} + 4;
      break;
    default:
      c.services.diagnostics.Count(Diagnostics::Kind::kUnknownPacket, "SDMA CONST_FILL fillsize");
      return Outcome::Exception(QueueException::kPacketUnsupported);
  }
  return Outcome::From(c.memory().Fill(c.space, address, pattern, bytes));
}

Outcome GenPtepde(Context& c, Packet packet) {
  std::array<std::uint64_t, 512> entries;
  const std::uint64_t address = Join(packet[1] & ~7u, packet[2]), mask = Join(packet[3], packet[4]);
  const std::uint64_t value = Join(packet[5], packet[6]), increment = Join(packet[7], packet[8]);
  const std::uint64_t total = std::uint64_t{packet[9] & kPteCountMask} + 1;
  while (c.queue.progress < total) {
    const std::uint64_t done = c.queue.progress;
    const auto chunk =
        std::span(entries).first(std::min<std::uint64_t>(entries.size(), total - done));
    for (std::size_t i = 0; i < chunk.size(); ++i)
      chunk[i] = (value + (done + i) * increment) | mask;
    const auto fault = chunk.size() == 1
                           ? c.memory().Write64(c.space, address + done * 8, chunk[0])
                           : c.memory().Write(c.space, address + done * 8, std::as_bytes(chunk));
    if (fault) return Outcome::Faulted(*fault);
    c.queue.progress += chunk.size();
  }
  return Outcome::Done();
}

Outcome CopyPtepde(Context& c, Packet packet) {
  std::array<std::uint64_t, 512> entries;
  const std::uint64_t source = Join(packet[1] & ~7u, packet[2]);
  const std::uint64_t destination = Join(packet[3] & ~7u, packet[4]);
  const std::uint64_t mask = Join(packet[5], packet[6]);
  const std::uint64_t total = std::uint64_t{packet[7] & kPteCountMask} + 1;
  while (c.queue.progress < total) {
    const std::uint64_t done = c.queue.progress;
    const auto chunk =
        std::span(entries).first(std::min<std::uint64_t>(entries.size(), total - done));
    if (auto fault = c.memory().Read(c.space, source + done * 8, std::as_writable_bytes(chunk))) {
      return Outcome::Faulted(*fault);
    }
    for (std::uint64_t& entry : chunk) entry |= mask;
    if (auto fault = c.memory().Write(c.space, destination + done * 8, std::as_bytes(chunk))) {
      return Outcome::Faulted(*fault);
    }
    c.queue.progress += chunk.size();
  }
  return Outcome::Done();
}

Outcome Atomic(Context& c, Packet packet) {
  const AtomicOp op{Bits(packet[0], 31, 25), Join(packet[3], packet[4]),
                    Join(packet[5], packet[6])};
  const Outcome outcome =
      ExecuteAtomic(c.memory(), c.space, Join(packet[1], packet[2]), op, c.queue.pre_op);
  if (outcome.kind == Outcome::Kind::kException) {
    c.services.diagnostics.Count(Diagnostics::Kind::kUnknownPacket, "SDMA ATOMIC operation");
  }
  if (outcome.kind != Outcome::Kind::kDone) return outcome;
  const std::uint64_t mask = op.is_64bit() ? ~0ULL : 0xffff'ffffULL;
  const bool loop = (packet[0] & kAtomicLoop) && op.is_compare_swap();
  return loop && (c.queue.pre_op & mask) != (op.compare & mask) ? Outcome::Wait() : Outcome::Done();
}

}  // namespace kfdcts::vgpu::sdma
