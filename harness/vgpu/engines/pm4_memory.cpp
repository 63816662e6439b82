#include <algorithm>

#include "harness/vgpu/engines/atomic_ops.h"
#include "harness/vgpu/engines/fence_check.h"
#include "harness/vgpu/engines/pm4_handlers.h"
#include "harness/vgpu/engines/pm4_packets.h"

namespace kfdcts::vgpu::pm4 {

namespace {

/// One step moves no more than this, so that other queues get their turn.
constexpr std::uint64_t kBytesPerStep = 4 << 20;

Outcome WriteDataRegisters(Pm4Context& c, Pm4Body body) {
  const bool one_address = Bits(body[0], 16, 16) != 0;
  std::uint32_t index = Bits(body[1], 17, 0);
  for (const std::uint32_t value : body.subspan(3)) {
    if (!WriteRegister(c, index, value)) {
      return Outcome::Exception(QueueException::kPrivilegedRegister);
    }
    if (!one_address) ++index;
  }
  return Outcome::Done();
}

}  // namespace

Outcome WriteData(Pm4Context& c, Pm4Body body) {
  const std::uint64_t address = Join(body[1] & ~3u, body[2]);
  const auto data = body.subspan(3);
  switch (Bits(body[0], 11, 8)) {
    case kDstRegister:
      return WriteDataRegisters(c, body);
    case kDstMemorySync:
    case kDstTcL2:
    case kDstMemory:
    case kDstPreemptionState:
      if (Bits(body[0], 16, 16))
        return Outcome::From(c.memory().Write32(c.space, address, data.back()));
      if (data.size() == 1) return Outcome::From(c.memory().Write32(c.space, address, data[0]));
      return Outcome::From(c.memory().Write(c.space, address, std::as_bytes(data)));
    default:
      return Unknown(c, "PM4 WRITE_DATA dst_sel");
  }
}

namespace {

/// COPY_DATA's source; false where `outcome` says why not.
bool CopyDataLoad(Pm4Context& c, Pm4Body body, bool wide, std::uint64_t& value, Outcome& outcome) {
  const std::uint64_t address = Join(body[1], body[2]);
  std::uint32_t low = 0, high = 0;
  switch (Bits(body[0], 3, 0)) {
    case kSrcRegister:
      if (!ReadRegister(c, Bits(body[1], 17, 0), low) ||
          (wide && !ReadRegister(c, Bits(body[1], 17, 0) + 1, high))) {
        outcome = Outcome::Exception(QueueException::kPrivilegedRegister);
        return false;
      }
      value = Join(low, high);
      return true;
    case kSrcMemory:
    case kSrcTcL2: {
      const auto fault = wide ? c.memory().Read64(c.space, address & ~7ULL, value)
                              : c.memory().Read32(c.space, address & ~3ULL, low);
      if (!wide) value = low;
      if (fault) outcome = Outcome::Faulted(*fault);
      return !fault;
    }
    case kSrcImmediate:
      value = address;
      return true;
    case kSrcAtomicReturn:
      value = c.queue.pre_op;
      return true;
    case kSrcGpuClock:
      value = c.services.ClockCount();
      return true;
    default:
      outcome = Unknown(c, "PM4 COPY_DATA src_sel");
      return false;
  }
}

}  // namespace

Outcome CopyData(Pm4Context& c, Pm4Body body) {
  const bool wide = Bits(body[0], 16, 16) != 0;
  std::uint64_t value = 0;
  Outcome outcome = Outcome::Done();
  if (!CopyDataLoad(c, body, wide, value, outcome)) return outcome;
  const auto low = static_cast<std::uint32_t>(value);
  const std::uint64_t address = Join(body[3], body[4]);
  switch (Bits(body[0], 11, 8)) {
    case kDstRegister:
      if (!WriteRegister(c, Bits(body[3], 17, 0), low) ||
          (wide &&
           !WriteRegister(c, Bits(body[3], 17, 0) + 1, static_cast<std::uint32_t>(value >> 32)))) {
        return Outcome::Exception(QueueException::kPrivilegedRegister);
      }
      return Outcome::Done();
    case kDstMemorySync:
    case kDstTcL2:
    case kDstMemory:
      return Outcome::From(wide ? c.memory().Write64(c.space, address & ~7ULL, value)
                                : c.memory().Write32(c.space, address & ~3ULL, low));
    default:
      return Unknown(c, "PM4 COPY_DATA dst_sel");
  }
}

Outcome DmaData(Pm4Context& c, Pm4Body body) {
  constexpr std::uint32_t kSourceData = 2, kGds = 1;
  constexpr std::uint32_t kAddressSpaceRegister = 3u << 26;  // SAS, DAS
  const std::uint32_t source_select = Bits(body[0], 30, 29),
                      destination_select = Bits(body[0], 21, 20);
  if (source_select == kGds || (body[5] & kAddressSpaceRegister))
    return Unknown(c, "PM4 DMA_DATA select");
  // The driver clears GDS with it. There is no GDS, so there is nothing to clear.
  if (destination_select == kGds) return Outcome::Done();
  const std::uint64_t bytes = Bits(body[5], 25, 0), done = c.queue.progress;
  const std::uint64_t step = std::min(bytes - std::min(done, bytes), kBytesPerStep);
  const std::uint64_t destination = Join(body[3], body[4]) + done;
  const auto fault =
      source_select == kSourceData
          ? c.memory().Fill(c.space, destination, body[1], step)
          : c.memory().Copy(c.space, Join(body[1], body[2]) + done, destination, step);
  if (fault) return Outcome::Faulted(*fault);
  c.services.counters.bytes_copied += step;
  c.queue.progress += step;
  if (c.queue.progress < bytes) return Outcome::Again();
  ++c.services.counters.copies;
  return Outcome::Done();
}

Outcome AtomicMem(Pm4Context& c, Pm4Body body) {
  constexpr std::uint32_t kLoopUntilCompareSatisfied = 1;
  const AtomicOp op{Bits(body[0], 6, 0), Join(body[3], body[4]), Join(body[5], body[6])};
  const Outcome outcome =
      ExecuteAtomic(c.memory(), c.space, Join(body[1], body[2]), op, c.queue.pre_op);
  if (outcome.kind == Outcome::Kind::kException) return Unknown(c, "PM4 ATOMIC_MEM operation");
  if (outcome.kind != Outcome::Kind::kDone) return outcome;
  const std::uint64_t mask = op.is_64bit() ? ~0ULL : 0xffff'ffffULL;
  const bool loop = Bits(body[0], 11, 8) == kLoopUntilCompareSatisfied && op.is_compare_swap();
  return loop && (c.queue.pre_op & mask) != (op.compare & mask) ? Outcome::Wait() : Outcome::Done();
}

Outcome ReleaseMem(Pm4Context& c, Pm4Body body) {
  const std::uint32_t interrupt = Bits(body[1], 26, 24), data = Bits(body[1], 31, 29);
  const std::uint32_t destination = Bits(body[1], 17, 16);
  if (interrupt > kIntContextId || data > kDataClock || destination > 1) {
    return Unknown(c, "PM4 RELEASE_MEM select");
  }
  const std::uint64_t address = Join(body[2], body[3]), value = Join(body[4], body[5]);
  std::optional<Fault> fault;
  if (data == kData32 || data == kData64) {
    CheckFence(c.services, c.queue, c.space, address, data == kData32 ? body[4] : value,
               data == kData32 ? 4 : 8);
  }
  if (data == kData32) {
    fault = c.memory().Write32(c.space, address & ~3ULL, body[4]);
  } else if (data != kDataNone) {
    fault = c.memory().Write64(c.space, address & ~7ULL,
                               data == kDataClock ? c.services.ClockCount() : value);
  }
  if (fault) return Outcome::Faulted(*fault);
  if (data != kDataNone) ++c.services.counters.fences;
  if (interrupt != kIntNone && interrupt != kIntDataAfterWrite) {
    PushCpInterrupt(c.services, c.queue, kSourceEndOfPipe, body.size() > 6 ? body[6] : 0);
  }
  return Outcome::Done();
}

}  // namespace kfdcts::vgpu::pm4
