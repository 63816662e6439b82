#include "harness/vgpu/engines/queue.h"

#include <algorithm>

namespace kfdcts::vgpu {

bool Queue::Ready(std::uint64_t now_ns, std::uint64_t invalidations) const {
  switch (state) {
    case QueueState::kRunnable:
      return true;
    case QueueState::kWaiting:
      return now_ns >= wake_ns;
    case QueueState::kStalled:
      return now_ns >= wake_ns || invalidations != stalled_at;
    case QueueState::kOff:
    case QueueState::kIdle:
    case QueueState::kHalted:
      return false;
  }
  return false;
}

std::uint64_t Queue::available() const {
  if (depth == 0) return wptr - rptr;
  const IndirectBuffer& buffer = indirect[depth - 1];
  return buffer.dwords - buffer.position;
}

std::optional<Fault> Queue::Fetch(GpuMemory& memory, std::uint64_t offset,
                                  std::span<std::uint32_t> out) const {
  if (depth) {
    const IndirectBuffer& buffer = indirect[depth - 1];
    return memory.Read(buffer.space, buffer.base + (buffer.position + offset) * 4,
                       std::as_writable_bytes(out));
  }
  while (!out.empty()) {
    const std::uint64_t at = (rptr + offset) & (dwords - 1);
    const std::size_t count = std::min<std::uint64_t>(out.size(), dwords - at);
    if (auto fault = memory.Read(space, base + at * 4, std::as_writable_bytes(out.first(count)))) {
      return fault;
    }
    out = out.subspan(count);
    offset += count;
  }
  return std::nullopt;
}

void Queue::Advance(std::uint64_t count) {
  progress = 0;
  while (depth) {
    IndirectBuffer& buffer = indirect[depth - 1];
    buffer.position += static_cast<std::uint32_t>(std::min(count, available()));
    if (buffer.position < buffer.dwords) return;
    count = buffer.packet_dwords;
    --depth;
  }
  rptr += std::min(count, available());
  report_due = true;
}

bool Queue::Enter(const IndirectBuffer& buffer) {
  if (depth == indirect.size()) return false;
  IndirectBuffer& entered = indirect[depth];
  entered = buffer;
  if (depth == 0 && resume.position) {
    if (resume.dwords) {
      entered.base = resume.base;
      entered.dwords = resume.dwords;
    }
    if (resume.position < entered.dwords) entered.position = resume.position;
    resume = {};
  }
  ++depth;
  progress = 0;
  return true;
}

void Queue::SetWptr(std::uint64_t value) {
  wptr = value;
  Wake();
}

void Queue::Wake() {
  if (state == QueueState::kIdle) state = QueueState::kRunnable;
}

std::string Queue::Name() const {
  switch (kind) {
    case QueueKind::kGfx:
      return "gfx";
    case QueueKind::kSdma:
      return "sdma" + std::to_string(engine) +
             (slot ? ".rlc" + std::to_string(slot - 1) : std::string(".gfx"));
    case QueueKind::kCompute:
    case QueueKind::kAql:
      break;
  }
  return "me" + std::to_string(me) + ".pipe" + std::to_string(pipe) + ".queue" +
         std::to_string(slot);
}

std::uint64_t ExtendPointer(std::uint32_t value, std::uint64_t rptr) {
  std::uint64_t wptr = (rptr & ~0xffff'ffffULL) | value;
  if (wptr < rptr) wptr += 1ULL << 32;
  return wptr;
}

std::uint64_t RecoverRptr(std::uint64_t rptr, std::uint64_t wptr, std::uint64_t dwords) {
  const std::uint64_t offset = rptr & (dwords - 1);
  const std::uint64_t candidate = (wptr & ~(dwords - 1)) | offset;
  if (candidate <= wptr) return candidate;
  return candidate >= dwords ? candidate - dwords : offset;
}

}  // namespace kfdcts::vgpu
