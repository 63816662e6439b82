#include <cstdio>
#include <string>

#include "harness/vgpu/engines/sdma.h"
#include "harness/vgpu/engines/sdma_handlers.h"

namespace kfdcts::vgpu {

namespace {

std::string Unknown(std::uint32_t header) {
  char text[32];
  std::snprintf(text, sizeof text, "SDMA op %u sub-op %u", header & 0xff, header >> 8 & 0xff);
  return text;
}

}  // namespace

Outcome Sdma::RunPacket(Queue& queue) {
  std::uint32_t header = 0;
  if (auto fault = queue.Fetch(services_.memory, 0, std::span(&header, 1)))
    return Outcome::Faulted(*fault);
  const sdma::Entry entry = sdma::Find(header);
  if (!entry.name) {
    services_.diagnostics.Count(Diagnostics::Kind::kUnknownPacket, Unknown(header));
    return Outcome::Exception(QueueException::kPacketUnsupported);
  }
  packet_.resize(entry.dwords);
  if (queue.available() >= entry.dwords) {
    if (auto fault = queue.Fetch(services_.memory, 0, packet_)) return Outcome::Faulted(*fault);
    packet_dwords_ = sdma::Length(entry, packet_);
  }
  // The end of a run of NOPs may lie behind the write pointer, as the driver fills up that way.
  const bool padding = entry.handler == sdma::Nop && entry.dwords == 1;
  if (packet_dwords_ == 0 || (packet_dwords_ > queue.available() && !padding)) {
    packet_dwords_ = 0;
    services_.diagnostics.Count(Diagnostics::Kind::kMalformedPacket,
                                std::string(entry.name) + " truncated");
    return Outcome::Exception(QueueException::kPacketReserved);
  }
  sdma::Context context{services_, queue, queue.current_space(), timestamp_base_[queue.engine]};
  const Outcome outcome = entry.handler(context, packet_);
  if (outcome.kind == Outcome::Kind::kDone) {
    CountPacket(entry.name);
    if (!context.jumped) queue.Advance(packet_dwords_ + context.skip);
  }
  return outcome;
}

std::optional<Fault> Sdma::PollWptr(Queue& queue) {
  std::uint64_t bytes = 0;
  if (auto fault = services_.memory.Read64(queue.space, queue.wptr_poll, bytes)) return fault;
  if (bytes / 4 > queue.wptr) queue.wptr = bytes / 4;
  return std::nullopt;
}

std::optional<Fault> Sdma::ReportRptr(Queue& queue) {
  if (!queue.rptr_report) return std::nullopt;
  return services_.memory.Write64(queue.space, queue.rptr_report, queue.rptr * 4);
}

void Sdma::Drained(Queue& queue) { Disable(SlotOf(queue)); }

/// The driver listens to no exception of an SDMA queue; it stays halted.
void Sdma::Raise(Queue&, QueueException) {}

}  // namespace kfdcts::vgpu
