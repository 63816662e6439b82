#include "harness/vgpu/engines/packet_engine.h"

#include <algorithm>
#include <string>

namespace kfdcts::vgpu {

namespace {

constexpr std::uint64_t kFirstPollNs = 20'000, kLastPollNs = 1'000'000;
constexpr std::uint64_t kFirstRetryNs = 2'000'000, kLastRetryNs = 64'000'000;

}  // namespace

void PacketEngine::CountPacket(std::string_view name) { services_.counters.CountPacket(name); }

bool PacketEngine::Step(Queue& queue) {
  queue.state = QueueState::kRunnable;
  if (queue.poll_due) {
    if (auto fault = PollWptr(queue)) return OnFault(queue, *fault, false);
    queue.poll_due = false;
  }
  if (queue.report_due) {
    if (auto fault = ReportRptr(queue)) return OnFault(queue, *fault, false);
    queue.report_due = false;
  }
  if (queue.depth == 0 && (queue.rptr == queue.wptr || !RingValid(queue))) {
    if (queue.state == QueueState::kRunnable) Finish(queue);
    return false;
  }
  packet_dwords_ = 0;
  const Outcome outcome = RunPacket(queue);
  // A packet may have switched its own queue off.
  if (!queue.on()) return true;
  switch (outcome.kind) {
    case Outcome::Kind::kDone:
    case Outcome::Kind::kAgain:
      Finish(queue);
      return true;
    case Outcome::Kind::kWait:
      Wait(queue);
      return false;
    case Outcome::Kind::kFault:
      return OnFault(queue, outcome.fault, true);
    case Outcome::Kind::kException:
      OnException(queue, outcome.exception);
      return true;
  }
  return true;
}

bool PacketEngine::RingValid(Queue& queue) {
  if (queue.wptr - queue.rptr <= queue.dwords) return true;
  services_.diagnostics.Count(Diagnostics::Kind::kMalformedRing, queue.Name() + " write pointer");
  if (queue.kernel) {
    queue.rptr = queue.wptr;
    queue.report_due = true;
  } else {
    OnException(queue, QueueException::kPacketReserved);
  }
  return false;
}

void PacketEngine::Finish(Queue& queue) {
  queue.interval_ns = 0;
  // The last report is written at once, so that an idle queue's read pointer is true.
  if (queue.report_due && !ReportRptr(queue)) queue.report_due = false;
  queue.state = queue.empty() ? QueueState::kIdle : QueueState::kRunnable;
  if (queue.draining && queue.depth == 0) {
    Drained(queue);
    return;
  }
  if (queue.polling && queue.state == QueueState::kIdle) {
    queue.poll_due = true;
    queue.wake_ns = services_.host.NowNs() + kLastPollNs;
    queue.state = QueueState::kWaiting;
  }
}

void PacketEngine::Wait(Queue& queue) {
  queue.interval_ns = std::clamp(queue.interval_ns * 2, kFirstPollNs, kLastPollNs);
  queue.wake_ns = services_.host.NowNs() + queue.interval_ns;
  queue.state = QueueState::kWaiting;
}

bool PacketEngine::OnFault(Queue& queue, const Fault& fault, bool in_packet) {
  if (fault.cause == FaultCause::kFlushPending) {
    queue.wake_ns = fault.wake_ns;
    queue.stalled_at = services_.memory.InvalidationCount();
    queue.state = QueueState::kStalled;
    return false;
  }
  services_.interrupts.PushFault(fault);
  if (fault.retry) {
    ++services_.counters.retry_faults;
    queue.interval_ns = std::clamp(queue.interval_ns * 2, kFirstRetryNs, kLastRetryNs);
    queue.wake_ns = services_.host.NowNs() + queue.interval_ns;
    queue.stalled_at = services_.memory.InvalidationCount();
    queue.state = QueueState::kStalled;
    return false;
  }
  ++services_.counters.faults;
  if (!queue.kernel) {
    queue.state = QueueState::kHalted;
    return false;
  }
  // As on hardware, the driver's own rings go on: the faulting write is dropped.
  queue.poll_due = queue.report_due = false;
  if (in_packet) queue.Advance(packet_dwords_ ? packet_dwords_ : queue.available());
  Finish(queue);
  return true;
}

void PacketEngine::OnException(Queue& queue, QueueException exception) {
  if (queue.kernel) {
    queue.Advance(packet_dwords_ ? packet_dwords_ : queue.available());
    Finish(queue);
    return;
  }
  ++services_.counters.exceptions;
  queue.state = QueueState::kHalted;
  Raise(queue, exception);
}

}  // namespace kfdcts::vgpu
