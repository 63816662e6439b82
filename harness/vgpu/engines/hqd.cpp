#include "harness/vgpu/engines/hqd.h"

#include <algorithm>

namespace kfdcts::vgpu {

namespace {

constexpr AddressSpace kMqdSpace = {Hub::kGfx, 0};

// CP_MEC_CNTL
constexpr std::uint32_t kMe1Halt = 1u << 30, kMe2Halt = 1u << 28;
constexpr unsigned kMe1Pipe0ResetShift = 16;

// CP_HQD_IB_CONTROL
constexpr std::uint32_t kProcessingIb = 1u << 31;

/// No ring is larger: 1 GiB.
constexpr std::uint32_t kMaxQueueSize = 27;

}  // namespace

HqdBank::HqdBank(Services& services) : services_(services) {
  for (unsigned i = 0; i < kRealSlots; ++i) slots_.push_back(std::make_unique<HqdSlot>());
  Reset();
  const Chip& chip = services.chip;
  RegisterFile& registers = services.registers;
  const std::uint32_t first = chip.cp_mqd_base_addr;
  registers.OnRead(first, kHqdRegisters,
                   [this, first](std::uint32_t offset) { return OnRead((offset - first) / 4); });
  registers.OnWrite(first, kHqdRegisters, [this, first](std::uint32_t offset, std::uint32_t value) {
    OnWrite((offset - first) / 4, value);
  });
  registers.OnWrite(chip.cp_pq_wptr_poll_cntl1, 1,
                    [this](std::uint32_t, std::uint32_t) { Selected().poll_requested = true; });
  registers.OnWrite(chip.spi_compute_queue_reset, 1, [this](std::uint32_t, std::uint32_t value) {
    if (value & 1) OnQueueReset();
  });
  registers.OnWrite(chip.cp_mec_cntl, 1,
                    [this, &registers](std::uint32_t offset, std::uint32_t value) {
                      registers.Set(offset, value);
                      OnMecControl(value);
                    });
}

void HqdBank::Reset() {
  slots_.resize(kRealSlots);
  for (unsigned i = 0; i < kRealSlots; ++i) {
    HqdSlot& slot = *slots_[i];
    slot = HqdSlot{};
    slot.queue.kind = QueueKind::kCompute;
    slot.queue.me = static_cast<std::uint8_t>(i / (kPipes * kQueues));
    slot.queue.pipe = static_cast<std::uint8_t>(i / kQueues % kPipes);
    slot.queue.slot = static_cast<std::uint8_t>(i % kQueues);
  }
}

HqdSlot& HqdBank::At(unsigned me, unsigned pipe, unsigned queue) {
  return *slots_[((me % kMes) * kPipes + pipe % kPipes) * kQueues + queue % kQueues];
}

HqdSlot& HqdBank::Selected() {
  const std::uint32_t select = services_.registers.Get(services_.chip.grbm_gfx_cntl);
  return At((select >> 2) & 3, select & 3, (select >> 8) & 7);
}

HqdSlot& HqdBank::Acquire(std::uint64_t queue_mask) {
  for (unsigned i = 0; i < kPipes * kQueues; ++i) {
    HqdSlot& slot = At(1, i / kQueues, i % kQueues);
    if ((queue_mask >> i & 1) && !slot.queue.on()) return slot;
  }
  for (std::size_t i = kRealSlots; i < slots_.size(); ++i) {
    if (!slots_[i]->queue.on()) return *slots_[i];
  }
  slots_.push_back(std::make_unique<HqdSlot>());
  HqdSlot& slot = *slots_.back();
  slot.queue.kind = QueueKind::kCompute;
  // Interrupts name a ring; MEC 2 has none that the driver knows.
  slot.queue.me = 2;
  slot.queue.pipe = static_cast<std::uint8_t>(slots_.size() / kQueues % kPipes);
  slot.queue.slot = static_cast<std::uint8_t>(slots_.size() % kQueues);
  return slot;
}

HqdSlot* HqdBank::FindDoorbell(std::uint32_t offset) {
  for (const auto& slot : slots_) {
    if (slot->queue.on() && slot->queue.doorbell == offset) return slot.get();
  }
  return nullptr;
}

HqdSlot& HqdBank::SlotOf(const Queue& queue) {
  return **std::find_if(slots_.begin(), slots_.end(),
                        [&queue](const auto& slot) { return &slot->queue == &queue; });
}

bool HqdBank::Halted(const Queue& queue) const {
  const std::uint32_t control = services_.registers.Get(services_.chip.cp_mec_cntl);
  return control & (queue.me == 2 ? kMe2Halt : kMe1Halt);
}

bool HqdBank::Load(HqdSlot& slot, std::uint64_t mqd, std::uint8_t vmid,
                   std::uint64_t wptr_address) {
  std::array<std::uint32_t, mqd::kHqdRegisterCount> image;
  if (auto fault = services_.memory.Read(kMqdSpace, mqd + mqd::kCpMqdBaseAddrLo * 4,
                                         std::as_writable_bytes(std::span(image)))) {
    services_.interrupts.PushFault(*fault);
    return false;
  }
  std::copy(image.begin(), image.end(), slot.registers.begin());
  slot.registers[hqd::kMqdBaseAddr] = static_cast<std::uint32_t>(mqd);
  slot.registers[hqd::kMqdBaseAddrHi] = static_cast<std::uint32_t>(mqd >> 32);
  slot.registers[hqd::kVmid] = vmid;
  slot.registers[hqd::kDequeueRequest] = 0;
  slot.registers[hqd::kPqDoorbellControl] |= hqd::kDoorbellEnable;
  if (wptr_address) {
    slot.registers[hqd::kPqWptrPollAddr] = static_cast<std::uint32_t>(wptr_address);
    slot.registers[hqd::kPqWptrPollAddrHi] = static_cast<std::uint32_t>(wptr_address >> 32);
    slot.poll_requested = true;
  }
  return Activate(slot);
}

bool HqdBank::Activate(HqdSlot& slot) {
  Queue& queue = slot.queue;
  const auto& registers = slot.registers;
  Queue fresh;
  fresh.me = queue.me;
  fresh.pipe = queue.pipe;
  fresh.slot = queue.slot;
  const std::uint32_t size = registers[hqd::kPqControl] & hqd::kQueueSizeMask;
  if (size > kMaxQueueSize) {
    services_.diagnostics.Count(Diagnostics::Kind::kMalformedRing, queue.Name() + " queue size");
    Deactivate(slot);
    return false;
  }
  fresh.kind = registers[hqd::kAqlControl] ? QueueKind::kAql : QueueKind::kCompute;
  fresh.space = {Hub::kGfx, static_cast<std::uint8_t>(registers[hqd::kVmid] & 0xf)};
  fresh.kernel = fresh.space.vmid == 0;
  fresh.dwords = std::uint64_t{2} << size;
  fresh.base = slot.Get64(hqd::kPqBase) << 8;
  fresh.wptr = slot.Get64(hqd::kPqWptrLo);
  fresh.rptr = RecoverRptr(registers[hqd::kPqRptr], fresh.wptr, fresh.dwords);
  fresh.rptr_report = slot.Get64(hqd::kPqRptrReportAddr) & ~3ULL;
  fresh.wptr_poll = slot.Get64(hqd::kPqWptrPollAddr) & ~7ULL;
  fresh.poll_due = slot.poll_requested && fresh.wptr_poll;
  fresh.state = fresh.empty() ? QueueState::kIdle : QueueState::kRunnable;
  if (registers[hqd::kError]) fresh.state = QueueState::kHalted;
  queue = fresh;
  slot.poll_requested = false;
  RestoreIndirect(slot);
  UpdateDoorbell(slot);
  slot.registers[hqd::kActive] |= 1;
  return true;
}

/// Where the queue was inside an indirect buffer, and an AQL queue's read index, which is not in
/// the HQD.
void HqdBank::RestoreIndirect(HqdSlot& slot) {
  Queue& queue = slot.queue;
  queue.resume.position = slot.registers[hqd::kIbRptr] & hqd::kIbSizeMask;
  if (slot.registers[hqd::kIbControl] & kProcessingIb) {
    queue.resume.base = slot.Get64(hqd::kIbBaseAddr) & ~3ULL;
    queue.resume.dwords = slot.registers[hqd::kIbControl] & hqd::kIbSizeMask;
  }
  if (queue.kind != QueueKind::kAql) return;
  std::uint64_t index = 0;
  if (slot.mqd_address()) {
    (void)services_.memory.Read64(kMqdSpace, slot.mqd_address() + mqd::kReadIndexLo * 4, index);
  }
  queue.rptr = queue.wptr = index * 16;
}

void HqdBank::Sync(HqdSlot& slot) {
  Queue& queue = slot.queue;
  if (!queue.on()) return;
  auto& registers = slot.registers;
  registers[hqd::kPqRptr] = static_cast<std::uint32_t>(queue.rptr & (queue.dwords - 1));
  registers[hqd::kPqWptrLo] = static_cast<std::uint32_t>(queue.wptr);
  registers[hqd::kPqWptrHi] = static_cast<std::uint32_t>(queue.wptr >> 32);
  const IndirectBuffer inside = queue.depth ? queue.indirect[0] : queue.resume;
  registers[hqd::kIbBaseAddr] = static_cast<std::uint32_t>(inside.base);
  registers[hqd::kIbBaseAddrHi] = static_cast<std::uint32_t>(inside.base >> 32);
  registers[hqd::kIbRptr] = inside.position;
  registers[hqd::kIbControl] &= ~(kProcessingIb | hqd::kIbSizeMask);
  if (inside.dwords)
    registers[hqd::kIbControl] |= kProcessingIb | (inside.dwords & hqd::kIbSizeMask);
  if (queue.state == QueueState::kHalted && !registers[hqd::kError]) {
    registers[hqd::kError] = queue.kind == QueueKind::kAql ? hqd::kErrorAql : hqd::kErrorPqUtcl1;
  }
}

void HqdBank::Save(HqdSlot& slot) {
  Sync(slot);
  const std::uint64_t mqd = slot.mqd_address();
  if (!mqd) return;
  std::array<std::uint32_t, mqd::kHqdRegisterCount> image;
  std::copy_n(slot.registers.begin(), image.size(), image.begin());
  image[hqd::kActive] &= ~1u;
  image[hqd::kDequeueRequest] = 0;
  auto fault = services_.memory.Write(kMqdSpace, mqd + mqd::kCpMqdBaseAddrLo * 4,
                                      std::as_bytes(std::span(image)));
  if (!fault && slot.queue.kind == QueueKind::kAql) {
    fault = services_.memory.Write64(kMqdSpace, mqd + mqd::kReadIndexLo * 4, slot.queue.rptr / 16);
  }
  if (fault) services_.interrupts.PushFault(*fault);
}

void HqdBank::Deactivate(HqdSlot& slot) {
  Sync(slot);
  slot.registers[hqd::kActive] &= ~1u;
  slot.queue.state = QueueState::kOff;
  slot.queue.depth = 0;
  slot.queue.doorbell = Queue::kNoDoorbell;
  slot.owner = 0;
  slot.poll_requested = false;
}

void HqdBank::Dequeue(HqdSlot& slot) {
  if (!slot.queue.on()) return;
  Save(slot);
  Deactivate(slot);
}

void HqdBank::UpdateDoorbell(HqdSlot& slot) {
  const std::uint32_t control = slot.registers[hqd::kPqDoorbellControl];
  slot.queue.doorbell =
      control & hqd::kDoorbellEnable ? control & hqd::kDoorbellOffsetMask : Queue::kNoDoorbell;
}

std::uint32_t HqdBank::OnRead(std::uint32_t index) {
  HqdSlot& slot = Selected();
  Sync(slot);
  return slot.registers[index];
}

void HqdBank::OnWrite(std::uint32_t index, std::uint32_t value) {
  HqdSlot& slot = Selected();
  Sync(slot);
  slot.registers[index] = value;
  // The driver also writes with no MEC selected; there is no queue behind those banks.
  if (slot.queue.me == 0 || slot.queue.me == 3) return;
  switch (index) {
    case hqd::kActive:
      if (value & 1) {
        Activate(slot);
      } else {
        Deactivate(slot);
      }
      break;
    case hqd::kDequeueRequest:
      if (value) OnDequeueRequest(slot, value);
      break;
    case hqd::kPqWptrLo:
    case hqd::kPqWptrHi:
      if (slot.queue.on()) slot.queue.SetWptr(slot.Get64(hqd::kPqWptrLo));
      break;
    case hqd::kPqDoorbellControl:
      if (slot.queue.on()) UpdateDoorbell(slot);
      break;
    default:
      break;
  }
}

void HqdBank::OnDequeueRequest(HqdSlot& slot, std::uint32_t) {
  if (!services_.controls.QueueHung(slot.queue.doorbell)) Dequeue(slot);
}

void HqdBank::OnQueueReset() {
  HqdSlot& slot = Selected();
  services_.controls.hung_doorbells.erase(slot.queue.doorbell);
  if (slot.queue.on()) Deactivate(slot);
}

void HqdBank::OnMecControl(std::uint32_t value) {
  for (const auto& slot : slots_) {
    Queue& queue = slot->queue;
    if (!queue.on()) continue;
    const bool halted = value & (queue.me == 2 ? kMe2Halt : kMe1Halt);
    const bool pipe_reset = queue.me == 1 && (value >> (kMe1Pipe0ResetShift + queue.pipe) & 1);
    // A pipe's reset frees what is stuck in it. The queues of the driver itself in the same pipe
    // survive it.
    if (halted || (pipe_reset && services_.controls.QueueHung(queue.doorbell))) {
      services_.controls.hung_doorbells.erase(queue.doorbell);
      Deactivate(*slot);
      // After a reset the driver starts the KIQ at zero without writing its read pointer.
      slot->registers[hqd::kPqRptr] = 0;
    }
  }
  if ((value & kMe1Halt) && on_reset_) on_reset_();
}

}  // namespace kfdcts::vgpu
