#include <algorithm>
#include <vector>

#include "harness/vgpu/engines/fence_check.h"
#include "harness/vgpu/engines/pm4_handlers.h"
#include "harness/vgpu/engines/pm4_packets.h"

namespace kfdcts::vgpu::pm4 {

namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;
/// SET_RESOURCES queue types.
constexpr std::uint32_t kQueueTypeHiq = 1;
/// MAP_QUEUES: queue_sel, queue types that are never unmapped with the others.
constexpr std::uint32_t kSpecifiedSlot = 0, kTypeStatic = 2, kTypeLowLatencyStatic = 3;
constexpr std::uint32_t kMapProcessBody = 13, kMapQueuesBody = 6;

Outcome Malformed(Pm4Context& c, const char* subject) {
  c.services.diagnostics.Count(Diagnostics::Kind::kMalformedPacket, subject);
  return Outcome::Exception(QueueException::kPacketReserved);
}

/// Only the driver's queues may schedule.
bool Refused(Pm4Context& c) { return !c.privileged || c.queue.kind != QueueKind::kCompute; }

Outcome Privileged(Pm4Context& c) {
  c.services.diagnostics.Count(Diagnostics::Kind::kMalformedPacket,
                               "PM4 scheduler packet of a user queue");
  return Outcome::Exception(QueueException::kPacketUnsupported);
}

/// The SDMA engine that MAP_QUEUES selects, −1 for compute, −2 where there is none.
int SdmaEngine(const Chip& chip, std::uint32_t control) {
  const std::uint32_t select = Bits(control, 28, 26), extended = Bits(control, 3, 2);
  if (extended == 0 && select <= kEngineHiq) return -1;
  if (extended > 1) return -2;
  const int engine = static_cast<int>(extended ? select : select - kEngineSdma0);
  return engine >= 0 && engine < static_cast<int>(chip.sdma_engines) ? engine : -2;
}

}  // namespace

Outcome SetResources(Pm4Context& c, Pm4Body body) {
  if (Refused(c)) return Privileged(c);
  // The KIQ's resources are those of the driver's own queues, which ask for a slot by name.
  if (Bits(body[0], 31, 29) == kQueueTypeHiq) {
    c.scheduler.SetResources(static_cast<std::uint16_t>(Bits(body[0], 15, 0)),
                             Join(body[1], body[2]), Bits(body[0], 23, 16) * 100 * kNsPerMs);
  }
  return Outcome::Done();
}

Outcome MapProcess(Pm4Context& c, Pm4Body body) {
  if (Refused(c)) return Privileged(c);
  c.scheduler.AddProcess({.pasid = static_cast<std::uint16_t>(Bits(body[0], 15, 0)),
                          .page_table_base = Join(body[1], body[2]),
                          .quantum_ns = Bits(body[0], 31, 25) * kNsPerMs});
  return Outcome::Done();
}

namespace {

/// The driver's own queues (kernel compute queues, HIQ) go to the slot that the packet names.
Outcome MapToSlot(Pm4Context& c, Pm4Body body, std::uint64_t mqd) {
  HqdSlot& slot =
      c.hqds.At(Bits(body[0], 19, 18) ? 2 : 1, Bits(body[0], 17, 16), Bits(body[0], 15, 13));
  if (&slot.queue == &c.queue) return Malformed(c, "PM4 MAP_QUEUES onto itself");
  c.hqds.Load(slot, mqd, static_cast<std::uint8_t>(Bits(body[0], 11, 8)), Join(body[4], body[5]));
  return Outcome::Done();
}

}  // namespace

Outcome MapQueues(Pm4Context& c, Pm4Body body) {
  if (Refused(c)) return Privileged(c);
  const int engine = SdmaEngine(c.services.chip, body[0]);
  if (engine < -1) return Unknown(c, "PM4 MAP_QUEUES engine_sel");
  const std::uint64_t mqd = Join(body[2], body[3]);
  if (Bits(body[0], 5, 4) == kSpecifiedSlot && engine < 0) return MapToSlot(c, body, mqd);
  const std::uint32_t type = Bits(body[0], 23, 21);
  const bool added =
      c.scheduler.AddQueue({.mqd = mqd,
                            .wptr_address = Join(body[4], body[5]),
                            .doorbell = body[1] & hqd::kDoorbellOffsetMask,
                            .sdma_engine = engine,
                            .is_static = type == kTypeStatic || type == kTypeLowLatencyStatic});
  return added ? Outcome::Done() : Malformed(c, "PM4 MAP_QUEUES without process");
}

namespace {

/// The packets of a run list: processes, each followed by its queues.
Outcome ReadRunList(Pm4Context& c, std::span<const std::uint32_t> list) {
  while (!list.empty()) {
    const std::uint32_t header = list[0];
    if (header == 0) return Outcome::Done();  // the driver's buffer is longer than its packets
    const std::uint32_t count = BodyDwords(header);
    if (Type(header) != 3 || count + 1 > list.size()) return Malformed(c, "PM4 RUN_LIST entry");
    const auto body = list.subspan(1, count);
    if (OpcodeOf(header) == kMapProcess && count >= kMapProcessBody) {
      MapProcess(c, body);
      c.services.counters.CountPacket("PM4 MAP_PROCESS");
    } else if (OpcodeOf(header) == kMapQueues && count >= kMapQueuesBody) {
      const Outcome outcome = MapQueues(c, body);
      if (outcome.kind != Outcome::Kind::kDone) return outcome;
      c.services.counters.CountPacket("PM4 MAP_QUEUES");
    } else if (OpcodeOf(header) != kRunList) {
      // A RUN_LIST inside leads back to the start: more processes than VMIDs, which the time slices
      // see to.
      return Malformed(c, "PM4 RUN_LIST entry");
    }
    list = list.subspan(count + 1);
  }
  return Outcome::Done();
}

}  // namespace

Outcome RunList(Pm4Context& c, Pm4Body body) {
  if (Refused(c)) return Privileged(c);
  if (c.services.controls.scheduler_hung) return Outcome::Wait();
  std::vector<std::uint32_t> list(Bits(body[2], 19, 0));
  if (auto fault = c.memory().Read(c.space, Join(body[0] & ~3u, body[1]),
                                   std::as_writable_bytes(std::span(list)))) {
    return Outcome::Faulted(*fault);
  }
  ++c.services.counters.run_lists;
  c.scheduler.BeginRunList();
  const Outcome outcome = ReadRunList(c, list);
  c.scheduler.Tick();
  return outcome;
}

namespace {

/// Tells the driver which queue did not let itself be preempted (kfd: check_preemption_failed).
Outcome ReportUnresponsive(Pm4Context& c, std::uint32_t doorbell) {
  const std::uint64_t mqd = c.hqds.SlotOf(c.queue).mqd_address();
  if (!mqd || !doorbell) return Outcome::Done();
  return Outcome::From(
      c.memory().Write32({Hub::kGfx, 0}, mqd + mqd::kQueueDoorbellId0 * 4, doorbell / 4));
}

Outcome UnmapSpecified(Pm4Context& c, Pm4Body body, bool reset) {
  const std::size_t queues =
      std::min<std::size_t>(std::max(Bits(body[0], 31, 29), 1u), body.size() - 1);
  for (std::size_t i = 0; i < queues; ++i) {
    const std::uint32_t doorbell = body[1 + i] & hqd::kDoorbellOffsetMask;
    HqdSlot* slot = c.hqds.FindDoorbell(doorbell);
    if (slot && !slot->owner) {
      if (c.services.controls.QueueHung(doorbell) && !reset) return Outcome::Wait();
      if (reset) c.services.controls.hung_doorbells.erase(doorbell);
      c.hqds.Dequeue(*slot);
      continue;
    }
    std::uint32_t unresponsive = 0;
    if (!c.scheduler.Unmap({.by = UnmapFilter::By::kDoorbell, .doorbell = doorbell}, reset,
                           unresponsive)) {
      return Outcome::Wait();
    }
    if (unresponsive) return ReportUnresponsive(c, unresponsive);
  }
  return Outcome::Done();
}

}  // namespace

Outcome UnmapQueues(Pm4Context& c, Pm4Body body) {
  if (Refused(c)) return Privileged(c);
  const std::uint32_t action = Bits(body[0], 1, 0), select = Bits(body[0], 5, 4);
  // The gfx ring goes on to its trailing fence by itself: its packets are never left half done.
  if (action == kPreemptQueuesNoUnmap) return Outcome::Done();
  const bool reset = action == kResetQueues;
  if (select == kUnmapSpecified) return UnmapSpecified(c, body, reset);
  if (c.services.controls.scheduler_hung) return Outcome::Wait();
  UnmapFilter filter{UnmapFilter::By::kAll};
  if (select == kUnmapPasid) {
    filter = {UnmapFilter::By::kPasid, static_cast<std::uint16_t>(Bits(body[1], 15, 0))};
  } else if (select == kUnmapAllNonStatic) {
    filter = {UnmapFilter::By::kAllNonStatic};
  }
  std::uint32_t unresponsive = 0;
  if (!c.scheduler.Unmap(filter, reset, unresponsive)) return Outcome::Wait();
  ++c.services.counters.unmaps;
  return ReportUnresponsive(c, unresponsive);
}

Outcome QueryStatus(Pm4Context& c, Pm4Body body) {
  constexpr std::uint32_t kInterruptOnly = 0, kFenceAndInterrupt = 3;
  if (Refused(c)) return Privileged(c);
  if (c.services.controls.scheduler_hung) return Outcome::Wait();
  const std::uint32_t command = Bits(body[0], 31, 30);
  if (command != kInterruptOnly) {
    CheckFence(c.services, c.queue, c.space, Join(body[2] & ~7u, body[3]), Join(body[4], body[5]),
               8);
    if (auto fault =
            c.memory().Write64(c.space, Join(body[2] & ~7u, body[3]), Join(body[4], body[5]))) {
      return Outcome::Faulted(*fault);
    }
    ++c.services.counters.fences;
  }
  if (command == kInterruptOnly || command == kFenceAndInterrupt) {
    PushCpInterrupt(c.services, c.queue, kSourceQueryStatus, Bits(body[0], 27, 0));
  }
  return Outcome::Done();
}

}  // namespace kfdcts::vgpu::pm4
