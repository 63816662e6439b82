#include "harness/vgpu/engines/aql.h"

#include <algorithm>
#include <atomic>
#include <span>

#include "harness/vgpu/engines/bits.h"
#include "harness/vgpu/engines/command_processor.h"
#include "harness/vgpu/engines/fence_check.h"
#include "harness/vgpu/engines/pm4_packets.h"

namespace kfdcts::vgpu {

namespace {

enum PacketType : std::uint32_t {
  kVendorSpecific = 0,
  kInvalid = 1,
  kKernelDispatch = 2,
  kBarrierAnd = 3,
  kAgentDispatch = 4,
  kBarrierOr = 5,
};

// amd_signal_t: value, event_mailbox_ptr, event_id.
constexpr std::uint64_t kSignalValue = 8, kSignalMailbox = 16, kSignalEventId = 24;
// Barrier packets, in dwords.
constexpr std::size_t kFirstDependency = 2, kDependencies = 5, kCompletionSignal = 14;

}  // namespace

std::uint64_t AqlProcessor::PacketAddress(const Queue& queue) const {
  return queue.base + (queue.rptr & (queue.dwords - 1)) * 4;
}

Outcome AqlProcessor::RunPacket(Queue& queue) {
  Packet packet = {};
  packet_dwords_ = kPacketDwords;
  // The header is published last, so it is read first and alone.
  if (auto fault = services_.memory.Read32(queue.space, PacketAddress(queue), packet[0])) {
    return Outcome::Faulted(*fault);
  }
  const std::uint32_t type = packet[0] & 0xff;
  if (type == kInvalid) return Outcome::Wait();
  if (queue.available() < kPacketDwords) {
    services_.diagnostics.Count(Diagnostics::Kind::kMalformedRing,
                                queue.Name() + " is smaller than a packet");
    return Outcome::Exception(QueueException::kPacketReserved);
  }
  if (auto fault = queue.Fetch(services_.memory, 1, std::span(packet).subspan(1))) {
    return Outcome::Faulted(*fault);
  }
  switch (type) {
    case kBarrierAnd:
    case kBarrierOr:
      return Barrier(queue, packet, type == kBarrierAnd);
    case kKernelDispatch:
      return Refuse("AQL KERNEL_DISPATCH", QueueException::kPacketUnsupported);
    case kAgentDispatch:
      return Refuse("AQL AGENT_DISPATCH", QueueException::kPacketUnsupported);
    case kVendorSpecific:
      return Refuse("AQL VENDOR_SPECIFIC", QueueException::kVendorPacketUnsupported);
    default:
      services_.diagnostics.Count(Diagnostics::Kind::kMalformedPacket, "AQL packet type");
      return Outcome::Exception(QueueException::kPacketReserved);
  }
}

Outcome AqlProcessor::Refuse(const char* name, QueueException exception) {
  services_.diagnostics.Count(Diagnostics::Kind::kUnsupportedDispatch, name);
  return Outcome::Exception(exception);
}

Outcome AqlProcessor::Barrier(Queue& queue, const Packet& packet, bool all) {
  unsigned dependencies = 0, satisfied = 0;
  for (std::size_t i = 0; i < kDependencies; ++i) {
    const std::uint64_t signal =
        Join(packet[kFirstDependency + i * 2], packet[kFirstDependency + i * 2 + 1]);
    if (!signal) continue;
    std::uint64_t value = 0;
    if (auto fault = services_.memory.Read64(queue.space, signal + kSignalValue, value)) {
      return Outcome::Faulted(*fault);
    }
    ++dependencies;
    if (value == 0) ++satisfied;
  }
  if (dependencies && (all ? satisfied < dependencies : satisfied == 0)) return Outcome::Wait();
  const Outcome outcome = Complete(queue, packet);
  if (outcome.kind == Outcome::Kind::kDone) CountPacket(all ? "AQL BARRIER_AND" : "AQL BARRIER_OR");
  return outcome;
}

/// Frees the packet's slot, decrements the completion signal and sends its event. Everything that
/// can fault comes first, so that a packet that starts anew has completed nothing yet.
Outcome AqlProcessor::Complete(Queue& queue, const Packet& packet) {
  GpuMemory& memory = services_.memory;
  const std::uint64_t signal = Join(packet[kCompletionSignal], packet[kCompletionSignal + 1]);
  Fault fault;
  std::byte* header = memory.Pointer(queue.space, PacketAddress(queue), 4, Access::kWrite, fault);
  if (!header) return Outcome::Faulted(fault);
  std::byte* value = nullptr;
  std::byte* mailbox = nullptr;
  std::uint64_t mailbox_address = 0, event_id = 0;
  if (signal) {
    value = memory.Pointer(queue.space, signal + kSignalValue, 8, Access::kWrite, fault);
    if (!value) return Outcome::Faulted(fault);
    if (auto read = memory.Read64(queue.space, signal + kSignalMailbox, mailbox_address))
      return Outcome::Faulted(*read);
    if (auto read = memory.Read64(queue.space, signal + kSignalEventId, event_id))
      return Outcome::Faulted(*read);
    event_id &= 0xffff'ffff;
    if (mailbox_address)
      mailbox = memory.Pointer(queue.space, mailbox_address, 8, Access::kWrite, fault);
    if (mailbox_address && !mailbox) return Outcome::Faulted(fault);
  }
  std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(header))
      .store((packet[0] & ~0xffu) | kInvalid, std::memory_order_release);
  if (value) {
    const auto before =
        std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(value)).fetch_sub(1);
    if (static_cast<std::int64_t>(before) <= 0) {
      AddFenceTwice(services_, queue.space, signal + kSignalValue, before);
    }
    ++services_.counters.fences;
  }
  if (mailbox) {
    std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(mailbox)).store(event_id);
    PushCpInterrupt(services_, queue, pm4::kSourceEndOfPipe, static_cast<std::uint32_t>(event_id));
  }
  queue.Advance(kPacketDwords);
  return Outcome::Done();
}

std::optional<Fault> AqlProcessor::PollWptr(Queue& queue) {
  std::uint64_t index = 0;
  if (auto fault = services_.memory.Read64(queue.space, queue.wptr_poll, index)) return fault;
  queue.wptr = std::max(queue.wptr, index * kPacketDwords);
  return std::nullopt;
}

std::optional<Fault> AqlProcessor::ReportRptr(Queue& queue) {
  if (!queue.rptr_report) return std::nullopt;
  return services_.memory.Write64(queue.space, queue.rptr_report, queue.rptr / kPacketDwords);
}

void AqlProcessor::Raise(Queue& queue, QueueException exception) {
  RaiseQueueException(services_, queue, exception);
}

}  // namespace kfdcts::vgpu
