#include "harness/vgpu/engines/sdma.h"

#include <algorithm>
#include <cstdio>

#include "harness/vgpu/engines/bits.h"
#include "harness/vgpu/engines/mqd.h"
#include "harness/vgpu/engines/sdma_handlers.h"

namespace kfdcts::vgpu {

namespace {

constexpr AddressSpace kMqdSpace = {Hub::kMm, 0};

// SDMA0_GFX_RB_CNTL
constexpr std::uint32_t kRbEnable = 1, kRptrWritebackEnable = 1u << 12;
constexpr std::uint32_t kRbVmidMask = 0xfu << 24;
constexpr unsigned kRbVmidShift = 24;
// SDMA0_GFX_DOORBELL, SDMA0_GFX_DOORBELL_OFFSET
constexpr std::uint32_t kDoorbellEnable = 1u << 28, kDoorbellOffsetMask = 0x0fff'fffc;
// SDMA0_GFX_CONTEXT_STATUS
constexpr std::uint32_t kSelected = 1, kIdle = 1u << 2, kExceptionMask = 7u << 4,
                        kException = 1u << 4;
// SDMA0_F32_CNTL, SDMA0_STATUS_REG
constexpr std::uint32_t kHalt = 1, kStatusIdle = 1;
// SDMA0_GFX_RB_WPTR_POLL_CNTL
constexpr std::uint32_t kPollEnable = 1, kF32PollEnable = 1u << 2;

/// No ring is larger: 1 GiB.
constexpr std::uint32_t kMaxRbSize = 28;

}  // namespace

Sdma::Sdma(Services& services) : PacketEngine(services) {
  const Chip& chip = services.chip;
  for (unsigned engine = 0; engine < chip.sdma_engines; ++engine) {
    for (unsigned i = 0; i <= chip.sdma_user_queues; ++i) {
      auto slot = std::make_unique<SdmaSlot>();
      slot->registers = chip.sdma_gfx_rb_cntl[engine];
      if (i) slot->registers += chip.sdma_rlc0_offset + (i - 1) * chip.sdma_rlc_stride;
      slot->queue.engine = static_cast<std::uint8_t>(engine);
      slot->queue.slot = static_cast<std::uint8_t>(i);
      InstallHooks(*slot);
      slots_.push_back(std::move(slot));
    }
    InstallEngineHooks(engine);
  }
  Reset();
}

void Sdma::Reset() {
  for (const auto& slot : slots_) {
    const Queue old = slot->queue;
    slot->queue = Queue{};
    slot->queue.kind = QueueKind::kSdma;
    slot->queue.engine = old.engine;
    slot->queue.slot = old.slot;
    slot->owner = 0;
  }
  timestamp_base_.fill(0);
}

std::uint32_t Sdma::Get(const SdmaSlot& slot, std::uint32_t reg) const {
  return services_.registers.Get(slot.registers + reg);
}

std::uint64_t Sdma::Get64(const SdmaSlot& slot, std::uint32_t low, std::uint32_t high) const {
  return Join(Get(slot, low), Get(slot, high));
}

void Sdma::Set(const SdmaSlot& slot, std::uint32_t reg, std::uint32_t value) {
  services_.registers.Set(slot.registers + reg, value);
}

void Sdma::InstallHooks(SdmaSlot& slot) {
  RegisterFile& registers = services_.registers;
  const SdmaQueueRegisters& r = services_.chip.sdma_queue;
  registers.OnWrite(slot.registers, 1,
                    [this, &slot](std::uint32_t, std::uint32_t value) { OnRbCntl(slot, value); });
  for (const std::uint32_t reg : {r.rb_wptr, r.rb_wptr_hi}) {
    registers.OnWrite(slot.registers + reg, 1,
                      [this, &slot](std::uint32_t offset, std::uint32_t value) {
                        services_.registers.Set(offset, value);
                        const SdmaQueueRegisters& q = services_.chip.sdma_queue;
                        if (slot.queue.on())
                          slot.queue.SetWptr(Get64(slot, q.rb_wptr, q.rb_wptr_hi) / 4);
                      });
  }
  for (const std::uint32_t reg : {r.doorbell, r.doorbell_offset}) {
    registers.OnWrite(slot.registers + reg, 1,
                      [this, &slot](std::uint32_t offset, std::uint32_t value) {
                        services_.registers.Set(offset, value);
                        UpdateDoorbell(slot);
                      });
  }
  registers.OnRead(slot.registers + r.rb_rptr, 4, [this, &slot](std::uint32_t offset) {
    Sync(slot);
    return services_.registers.Get(offset);
  });
  registers.OnRead(slot.registers + r.context_status, 1,
                   [this, &slot](std::uint32_t) { return ContextStatus(slot); });
}

void Sdma::InstallEngineHooks(unsigned engine) {
  const Chip& chip = services_.chip;
  services_.registers.OnRead(
      chip.sdma_base[engine] + chip.sdma_engine.status_reg, 1,
      [this, engine](std::uint32_t) { return EngineIdle(engine) ? kStatusIdle : 0; });
}

void Sdma::OnRbCntl(SdmaSlot& slot, std::uint32_t value) {
  Sync(slot);
  const bool enabled = slot.queue.on();
  Set(slot, 0, value);
  if (value & kRbEnable) {
    slot.queue.draining = false;
    if (enabled) return;
    Set(slot, services_.chip.sdma_queue.context_status, 0);
    Enable(slot);
  } else if (enabled && !services_.controls.QueueHung(slot.queue.doorbell)) {
    // The driver keeps no state of an indirect buffer, so that it is finished first.
    if (slot.queue.depth && slot.queue.state != QueueState::kHalted) {
      slot.queue.draining = true;
    } else {
      Disable(slot);
    }
  }
}

bool Sdma::Enable(SdmaSlot& slot) {
  const SdmaQueueRegisters& r = services_.chip.sdma_queue;
  const std::uint32_t control = Get(slot, 0), size = Bits(control, 6, 1);
  Queue fresh;
  fresh.kind = QueueKind::kSdma;
  fresh.engine = slot.queue.engine;
  fresh.slot = slot.queue.slot;
  if (size > kMaxRbSize) {
    services_.diagnostics.Count(Diagnostics::Kind::kMalformedRing, fresh.Name() + " ring size");
    Disable(slot);
    return false;
  }
  const std::uint32_t vmid = slot.queue.slot ? Bits(control, 27, 24) : 0;
  fresh.space = {Hub::kMm, static_cast<std::uint8_t>(vmid)};
  fresh.kernel = vmid == 0;
  fresh.dwords = std::uint64_t{1} << size;
  fresh.base = Get64(slot, r.rb_base, r.rb_base_hi) << 8;
  fresh.rptr = Get64(slot, r.rb_rptr, r.rb_rptr_hi) / 4;
  fresh.wptr = Get64(slot, r.rb_wptr, r.rb_wptr_hi) / 4;
  if (control & kRptrWritebackEnable) {
    fresh.rptr_report = Get64(slot, r.rb_rptr_addr_lo, r.rb_rptr_addr_hi) & ~3ULL;
  }
  if (Get(slot, r.rb_wptr_poll_cntl) & (kPollEnable | kF32PollEnable)) {
    fresh.wptr_poll = Get64(slot, r.rb_wptr_poll_addr_lo, r.rb_wptr_poll_addr_hi) & ~7ULL;
    fresh.polling = fresh.poll_due = fresh.wptr_poll != 0;
  }
  fresh.resume.position = (Get(slot, r.ib_rptr) & 0x3f'fffc) / 4;
  fresh.state = fresh.empty() ? QueueState::kIdle : QueueState::kRunnable;
  if (Get(slot, r.context_status) & kExceptionMask) fresh.state = QueueState::kHalted;
  slot.queue = fresh;
  UpdateDoorbell(slot);
  return true;
}

void Sdma::Disable(SdmaSlot& slot) {
  Sync(slot);
  Set(slot, 0, Get(slot, 0) & ~kRbEnable);
  Set(slot, services_.chip.sdma_queue.ib_rptr, 0);
  if (slot.owner) Set(slot, services_.chip.sdma_queue.doorbell, 0);
  UpdateDoorbell(slot);
  slot.queue.state = QueueState::kOff;
  slot.queue.depth = 0;
  slot.queue.draining = false;
  slot.owner = 0;
}

void Sdma::UpdateDoorbell(SdmaSlot& slot) {
  const SdmaQueueRegisters& r = services_.chip.sdma_queue;
  const bool enabled = Get(slot, r.doorbell) & kDoorbellEnable;
  slot.queue.doorbell =
      enabled ? Get(slot, r.doorbell_offset) & kDoorbellOffsetMask : Queue::kNoDoorbell;
}

/// Brings the registers up to what the queue has done since it was enabled.
void Sdma::Sync(SdmaSlot& slot) {
  const Queue& queue = slot.queue;
  if (!queue.on()) return;
  const SdmaQueueRegisters& r = services_.chip.sdma_queue;
  Set(slot, r.rb_rptr, static_cast<std::uint32_t>(queue.rptr * 4));
  Set(slot, r.rb_rptr_hi, static_cast<std::uint32_t>(queue.rptr * 4 >> 32));
  Set(slot, r.rb_wptr, static_cast<std::uint32_t>(queue.wptr * 4));
  Set(slot, r.rb_wptr_hi, static_cast<std::uint32_t>(queue.wptr * 4 >> 32));
  const IndirectBuffer inside = queue.depth ? queue.indirect[0] : queue.resume;
  Set(slot, r.ib_base_lo, static_cast<std::uint32_t>(inside.base));
  Set(slot, r.ib_base_hi, static_cast<std::uint32_t>(inside.base >> 32));
  Set(slot, r.ib_size, inside.dwords);
  Set(slot, r.ib_rptr, inside.position * 4);
  const bool halted = queue.state == QueueState::kHalted;
  Set(slot, r.context_status, halted ? kException : 0);
}

std::uint32_t Sdma::ContextStatus(const SdmaSlot& slot) const {
  const Queue& queue = slot.queue;
  std::uint32_t status = 0;
  if (queue.state == QueueState::kHalted) status |= kException;
  if (!queue.busy()) return status | kSelected | kIdle;
  // A queue that is switched on but has no doorbell yet does nothing.
  return Enabled(queue) ? status | kSelected : status | kIdle;
}

bool Sdma::EngineIdle(unsigned engine) const {
  return std::none_of(slots_.begin(), slots_.end(), [this, engine](const auto& slot) {
    return slot->queue.engine == engine && slot->queue.busy() && Enabled(slot->queue);
  });
}

bool Sdma::Enabled(const Queue& queue) const {
  const Chip& chip = services_.chip;
  if (services_.controls.sdma_held >> queue.engine & 1) return false;
  if (queue.slot && queue.doorbell == Queue::kNoDoorbell) return false;
  return !(services_.registers.Get(chip.sdma_base[queue.engine] + chip.sdma_engine.f32_cntl) &
           kHalt);
}

SdmaSlot& Sdma::SlotOf(const Queue& queue) {
  return **std::find_if(slots_.begin(), slots_.end(),
                        [&queue](const auto& slot) { return &slot->queue == &queue; });
}

SdmaSlot* Sdma::FindFree(unsigned engine) const {
  const auto free = std::find_if(slots_.begin(), slots_.end(), [engine](const auto& slot) {
    return slot->queue.engine == engine && slot->queue.slot && !slot->queue.on();
  });
  return free == slots_.end() ? nullptr : free->get();
}

SdmaSlot* Sdma::Load(unsigned engine, std::uint64_t mqd, std::uint8_t vmid,
                     std::uint64_t wptr_address) {
  SdmaSlot* free = FindFree(engine);
  if (!free) return nullptr;
  SdmaSlot& slot = *free;
  std::array<std::uint32_t, sdma_mqd::kDwords> image;
  if (auto fault =
          services_.memory.Read(kMqdSpace, mqd, std::as_writable_bytes(std::span(image)))) {
    services_.interrupts.PushFault(*fault);
    return nullptr;
  }
  const SdmaQueueRegisters& r = services_.chip.sdma_queue;
  // RB_CNTL … IB_SIZE stand in the MQD in the order of the registers.
  for (std::uint32_t i = 0; i <= sdma_mqd::kIbSize; ++i) Set(slot, i * 4, image[i]);
  Set(slot, r.context_status, image[sdma_mqd::kContextStatus]);
  Set(slot, r.doorbell, kDoorbellEnable);
  Set(slot, r.doorbell_offset, image[sdma_mqd::kDoorbellOffset]);
  Set(slot, 0,
      (image[sdma_mqd::kRbCntl] & ~kRbVmidMask) | std::uint32_t{vmid} << kRbVmidShift | kRbEnable);
  if (!Enable(slot)) return nullptr;
  slot.queue.wptr_poll = wptr_address & ~7ULL;
  slot.queue.poll_due = slot.queue.wptr_poll != 0;
  slot.queue.polling = false;
  if (slot.queue.poll_due) slot.queue.Wake();
  return &slot;
}

void Sdma::Save(SdmaSlot& slot, std::uint64_t mqd) {
  Sync(slot);
  std::array<std::uint32_t, sdma_mqd::kIbSize + 1> image;
  for (std::uint32_t i = 0; i < image.size(); ++i) image[i] = Get(slot, i * 4);
  const std::uint32_t status = Get(slot, services_.chip.sdma_queue.context_status) & kExceptionMask;
  // RB_CNTL is the driver's alone: it may have changed it meanwhile.
  const auto ring = std::span(image).subspan(sdma_mqd::kRbRptr, 4);
  const auto indirect = std::span(image).subspan(sdma_mqd::kIbRptr, 5);
  GpuMemory& memory = services_.memory;
  auto fault = memory.Write(kMqdSpace, mqd + sdma_mqd::kRbRptr * 4, std::as_bytes(ring));
  if (!fault) fault = memory.Write(kMqdSpace, mqd + sdma_mqd::kIbRptr * 4, std::as_bytes(indirect));
  if (!fault) fault = memory.Write32(kMqdSpace, mqd + sdma_mqd::kContextStatus * 4, status);
  if (fault) services_.interrupts.PushFault(*fault);
}

bool Sdma::Doorbell(std::uint32_t offset, std::uint64_t value, bool wide) {
  for (const auto& slot : slots_) {
    Queue& queue = slot->queue;
    if (queue.doorbell != offset) continue;
    const std::uint64_t bytes =
        wide ? value
             : ExtendPointer(static_cast<std::uint32_t>(value), queue.on() ? queue.rptr * 4 : 0);
    const SdmaQueueRegisters& r = services_.chip.sdma_queue;
    Set(*slot, r.rb_wptr, static_cast<std::uint32_t>(bytes));
    Set(*slot, r.rb_wptr_hi, static_cast<std::uint32_t>(bytes >> 32));
    if (queue.on()) queue.SetWptr(bytes / 4);
    return true;
  }
  return false;
}

}  // namespace kfdcts::vgpu
