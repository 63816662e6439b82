#include "harness/vgpu/engines/engine_set.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace kfdcts::vgpu {

EngineSet::EngineSet(Services& services)
    : services_(services),
      hqds_(services),
      sdma_(services),
      gfx_(services),
      scheduler_(services, hqds_, sdma_),
      command_processor_(services, scheduler_, hqds_),
      aql_(services) {
  hqds_.SetResetHook([this] {
    services_.controls.scheduler_hung = false;
    scheduler_.Reset();
  });
}

std::size_t EngineSet::QueueCount() const {
  return 1 + sdma_.slots().size() + hqds_.slots().size();
}

Queue& EngineSet::QueueAt(std::size_t index) {
  if (index == 0) return gfx_.queue();
  if (--index < sdma_.slots().size()) return sdma_.slots()[index]->queue;
  return hqds_.slots()[index - sdma_.slots().size()]->queue;
}

PacketEngine& EngineSet::EngineOf(const Queue& queue) {
  switch (queue.kind) {
    case QueueKind::kSdma:
      return sdma_;
    case QueueKind::kAql:
      return aql_;
    case QueueKind::kGfx:
    case QueueKind::kCompute:
      break;
  }
  return command_processor_;
}

bool EngineSet::Enabled(const Queue& queue) const {
  const Controls& controls = services_.controls;
  if (controls.QueueHung(queue.doorbell)) return false;
  switch (queue.kind) {
    case QueueKind::kSdma:
      return sdma_.Enabled(queue);
    case QueueKind::kGfx:
      return !controls.cp_held && gfx_.Enabled();
    case QueueKind::kCompute:
    case QueueKind::kAql:
      break;
  }
  return !controls.cp_held && !hqds_.Halted(queue);
}

bool EngineSet::Step() {
  scheduler_.Tick();
  Findings& findings = services_.diagnostics.findings;
  findings.Attribute({});  // of the scheduler and of what was written since the last step
  const std::uint64_t now = services_.host.NowNs();
  const std::size_t count = QueueCount();
  for (std::size_t i = 0; i < count; ++i) {
    turn_ = (turn_ + 1) % count;
    Queue& queue = QueueAt(turn_);
    if (!queue.Ready(now, services_.memory.InvalidationCount()) || !Enabled(queue)) continue;
    const bool progress = EngineOf(queue).Step(queue);
    if (findings.unattributed()) findings.Attribute(queue.Name());
    if (progress) return true;
  }
  return false;
}

template <typename Visit>
void EngineSet::ForEachQueue(Visit visit) const {
  auto* self = const_cast<EngineSet*>(this);
  for (std::size_t i = 0; i < QueueCount(); ++i) visit(std::as_const(self->QueueAt(i)));
}

std::uint64_t EngineSet::NextWake() const {
  std::uint64_t wake = scheduler_.NextWake();
  const std::uint64_t invalidations = services_.memory.InvalidationCount();
  ForEachQueue([&](const Queue& queue) {
    if (!queue.busy() || !Enabled(queue)) return;
    const bool now = queue.Ready(0, invalidations);
    wake = std::min(wake, now ? 0 : queue.wake_ns);
  });
  return wake;
}

void EngineSet::Doorbell(std::uint32_t offset, std::uint64_t value, bool wide) {
  if (HqdDoorbell(offset, value, wide) || sdma_.Doorbell(offset, value, wide) ||
      gfx_.Doorbell(offset, value, wide) || scheduler_.Doorbell(offset)) {
    return;
  }
  char subject[32];
  std::snprintf(subject, sizeof subject, "doorbell 0x%05x", offset);
  services_.diagnostics.Count(Diagnostics::Kind::kUnclaimedDoorbell, subject);
  scheduler_.Unclaimed(offset);
}

bool EngineSet::HqdDoorbell(std::uint32_t offset, std::uint64_t value, bool wide) {
  HqdSlot* slot = hqds_.FindDoorbell(offset);
  if (!slot) return false;
  Queue& queue = slot->queue;
  if (queue.kind == QueueKind::kAql) {
    // The value is the index of the last packet with some runtimes, of the next with others; the
    // write index in memory is never before the former.
    queue.wptr = std::max(queue.wptr, value * AqlProcessor::kPacketDwords);
    queue.poll_due = queue.wptr_poll != 0;
    queue.Wake();
  } else {
    queue.SetWptr(wide ? value : ExtendPointer(static_cast<std::uint32_t>(value), queue.rptr));
  }
  return true;
}

void EngineSet::Reset() {
  hqds_.Reset();
  sdma_.Reset();
  gfx_.Reset();
  scheduler_.Reset();
}

std::string EngineSet::HoldEngine(const std::string& engine, bool hold) {
  Controls& controls = services_.controls;
  if (engine == "cp") {
    controls.cp_held = hold;
    return {};
  }
  for (unsigned i = 0; i < services_.chip.sdma_engines; ++i) {
    if (engine != "sdma" + std::to_string(i)) continue;
    if (hold) {
      controls.sdma_held |= 1u << i;
    } else {
      controls.sdma_held &= ~(1u << i);
    }
    return {};
  }
  return "no engine \"" + engine + "\"";
}

std::string EngineSet::Control(const ControlCommand& command) {
  using Verb = ControlCommand::Verb;
  Controls& controls = services_.controls;
  switch (command.verb) {
    case Verb::kHangScheduler:
    case Verb::kUnhangScheduler:
      controls.scheduler_hung = command.verb == Verb::kHangScheduler;
      break;
    case Verb::kHangQueue:
      controls.hung_doorbells.insert(command.doorbell);
      break;
    case Verb::kUnhangQueue:
      controls.hung_doorbells.erase(command.doorbell);
      break;
    case Verb::kHoldEngine:
    case Verb::kReleaseEngine:
      return HoldEngine(command.engine, command.verb == Verb::kHoldEngine);
    case Verb::kFailCopies:
      controls.copies_to_fail = command.count;
      break;
    case Verb::kCorruptCopies:
      controls.copies_to_corrupt = command.count;
      break;
    case Verb::kDropInterrupts:
      controls.interrupts_to_drop = command.count;
      break;
    case Verb::kHoldInterrupts:
      controls.interrupts_held = true;
      break;
    case Verb::kReleaseInterrupts:
      controls.interrupts_held = false;
      services_.interrupts.Flush();
      break;
    case Verb::kDeliverInterrupt:
      if (services_.interrupts.Deliver(std::size_t{command.count})) break;
      return std::to_string(services_.interrupts.held().size()) + " interrupts are held";
    case Verb::kHoldFaults:
      controls.faults_held = true;
      controls.faults_pasid = command.pasid;
      controls.faults_first = command.first;
      controls.faults_last = command.last;
      break;
    case Verb::kReleaseFaults:
      controls.faults_held = false;
      services_.interrupts.FlushFaults();
      break;
    case Verb::kHoldCopies:
    case Verb::kReleaseCopies:
      controls.copies_held = command.verb == Verb::kHoldCopies;
      break;
    case Verb::kReleaseAll:
      controls = Controls{};
      services_.interrupts.FlushFaults();
      services_.interrupts.Flush();
      break;
  }
  return {};
}

void EngineSet::Describe(Counters& counters) const {
  counters.mapped_processes = scheduler_.process_count();
  counters.mapped_queues = scheduler_.queue_count();
  counters.running_queues = scheduler_.running_queue_count();
}

namespace {

const char* KindName(QueueKind kind) {
  switch (kind) {
    case QueueKind::kGfx:
      return "gfx";
    case QueueKind::kCompute:
      return "pm4";
    case QueueKind::kAql:
      return "aql";
    case QueueKind::kSdma:
      break;
  }
  return "sdma";
}

const char* StateName(QueueState state) {
  switch (state) {
    case QueueState::kOff:
      return "off";
    case QueueState::kIdle:
      return "idle";
    case QueueState::kRunnable:
      return "runnable";
    case QueueState::kWaiting:
      return "waiting";
    case QueueState::kStalled:
      return "stalled";
    case QueueState::kHalted:
      break;
  }
  return "halted";
}

}  // namespace

std::vector<QueueInfo> EngineSet::Queues() const {
  std::vector<QueueInfo> all;
  ForEachQueue([&](const Queue& queue) {
    if (!queue.on()) return;
    const std::uint8_t vmid = queue.space.vmid;
    const auto pasid = vmid ? services_.memory.PasidOf(vmid) : std::uint16_t{0};
    all.push_back({queue.Name(), KindName(queue.kind), StateName(queue.state), vmid, pasid,
                   queue.base, queue.doorbell, queue.rptr, queue.wptr});
  });
  return all;
}

}  // namespace kfdcts::vgpu
