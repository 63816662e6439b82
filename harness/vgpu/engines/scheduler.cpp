#include "harness/vgpu/engines/scheduler.h"

#include <algorithm>
#include <bit>

namespace kfdcts::vgpu {

namespace {

/// The driver's own limit (max_num_of_queues_per_device).
constexpr unsigned kMaxQueues = 4096;
/// VMIDs before the driver has said which are the scheduler's: 8…15, as it always does.
constexpr std::uint16_t kDefaultVmidMask = 0xff00;
/// Doorbells that are remembered: all of eight processes' and more than ever are in use.
constexpr std::size_t kMaxOwners = 8192;
constexpr std::uint64_t kDefaultQuantumNs = 10'000'000;
constexpr std::uint64_t kNever = UINT64_MAX;
constexpr std::uint32_t kPasidValid = 1u << 31;

}  // namespace

Scheduler::Scheduler(Services& services, HqdBank& hqds, Sdma& sdma)
    : services_(services), hqds_(hqds), sdma_(sdma) {
  Reset();
}

void Scheduler::Reset() {
  for (const auto& slot : hqds_.slots()) {
    if (slot->owner) hqds_.Deactivate(*slot);
  }
  for (const auto& slot : sdma_.slots()) {
    if (slot->owner) sdma_.Disable(*slot);
  }
  processes_.clear();
  owners_.clear();
  suspects_.clear();
  vmid_mask_ = kDefaultVmidMask;
  queue_mask_ = 0;
  unmap_latency_ns_ = unmap_deadline_ns_ = 0;
}

void Scheduler::SetResources(std::uint16_t vmid_mask, std::uint64_t queue_mask,
                             std::uint64_t unmap_latency_ns) {
  if (vmid_mask & ~1u) vmid_mask_ = static_cast<std::uint16_t>(vmid_mask & ~1u);
  queue_mask_ = queue_mask;
  unmap_latency_ns_ = unmap_latency_ns;
}

void Scheduler::BeginRunList() {
  std::uint32_t unresponsive = 0;
  (void)Unmap({UnmapFilter::By::kAllNonStatic}, false, unresponsive);
  ForgetLostSlots();
  // Static queues stay where they are; their process entry is merged with the list's by AddQueue.
  std::erase_if(processes_, [](const Process& process) { return process.queues.empty(); });
}

void Scheduler::AddProcess(const ProcessDescription& process) {
  processes_.push_back({.description = process, .queues = {}});
  if (process.quantum_ns == 0) processes_.back().description.quantum_ns = kDefaultQuantumNs;
}

bool Scheduler::AddQueue(const QueueDescription& description) {
  if (processes_.empty() || queue_count() >= kMaxQueues) return false;
  Process& process = processes_.back();
  suspects_.erase(description.doorbell);
  if (owners_.size() < kMaxOwners) owners_[description.doorbell] = process.description.pasid;
  for (Process& other : processes_) {
    const auto kept =
        std::find_if(other.queues.begin(), other.queues.end(),
                     [&](const auto& queue) { return queue.description.mqd == description.mqd; });
    if (kept == other.queues.end()) continue;
    if (&other == &process) return true;
    // The process is in the list twice: with its static queues, which run on, and anew.
    process.vmid = other.vmid;
    process.since_ns = other.since_ns;
    std::move(other.queues.begin(), other.queues.end(), std::back_inserter(process.queues));
    other.queues.clear();
    std::erase_if(processes_,
                  [](const Process& entry) { return entry.vmid && entry.queues.empty(); });
    return true;
  }
  process.queues.push_back({.description = description, .id = next_id_++});
  if (process.vmid) MapQueue(process, process.queues.back());
  return true;
}

unsigned Scheduler::queue_count() const {
  unsigned count = 0;
  for (const Process& process : processes_) count += static_cast<unsigned>(process.queues.size());
  return count;
}

unsigned Scheduler::running_queue_count() const {
  unsigned count = 0;
  for (const Process& process : processes_) {
    for (const ScheduledQueue& queue : process.queues) count += queue.queue() != nullptr;
  }
  return count;
}

/// The driver can switch a slot off behind the scheduler's back (queue reset, MEC halt).
void Scheduler::ForgetLostSlots() {
  for (Process& process : processes_) {
    for (ScheduledQueue& queue : process.queues) {
      if (queue.hqd && queue.hqd->owner != queue.id) queue.hqd = nullptr;
      if (queue.sdma && queue.sdma->owner != queue.id) queue.sdma = nullptr;
    }
  }
}

bool Scheduler::Waits(const Process& process) {
  return !process.vmid && process.wants && !process.queues.empty();
}

bool Scheduler::Selects(const UnmapFilter& filter, const Process& process,
                        const ScheduledQueue& queue) {
  switch (filter.by) {
    case UnmapFilter::By::kPasid:
      return process.description.pasid == filter.pasid;
    case UnmapFilter::By::kAll:
      return true;
    case UnmapFilter::By::kAllNonStatic:
      return !queue.description.is_static;
    case UnmapFilter::By::kDoorbell:
      return queue.description.doorbell == filter.doorbell;
  }
  return false;
}

bool Scheduler::Busy(const Process& process) const {
  return std::any_of(process.queues.begin(), process.queues.end(), [](const ScheduledQueue& queue) {
    return queue.queue() && queue.queue()->busy();
  });
}

/// A queue that hangs holds its process on the machine.
bool Scheduler::Preemptible(const Process& process) const {
  return std::none_of(
      process.queues.begin(), process.queues.end(), [this](const ScheduledQueue& queue) {
        return queue.queue() && services_.controls.QueueHung(queue.description.doorbell);
      });
}

bool Scheduler::FreeVmid(std::uint8_t& vmid) const {
  std::uint32_t free = vmid_mask_;
  for (const Process& process : processes_) free &= ~(1u << process.vmid);
  free &= ~1u;
  if (!free) return false;
  vmid = static_cast<std::uint8_t>(std::countr_zero(free));
  return true;
}

/// Takes the VMID of a process that has nothing to do, else of the one longest past its quantum.
bool Scheduler::TakeVmid(std::uint8_t& vmid) {
  const std::uint64_t now = services_.host.NowNs();
  Process* victim = nullptr;
  bool victim_busy = true;
  for (Process& process : processes_) {
    if (!process.vmid || !Preemptible(process)) continue;
    const bool busy = Busy(process);
    if (busy && now - process.since_ns < process.description.quantum_ns) continue;
    const bool better = !victim || (victim_busy && !busy) ||
                        (victim_busy == busy && process.since_ns < victim->since_ns);
    if (!better) continue;
    victim = &process;
    victim_busy = busy;
  }
  if (!victim) return false;
  vmid = victim->vmid;
  victim->wants = victim_busy;
  Preempt(*victim);
  return true;
}

void Scheduler::Tick() {
  if (processes_.empty() || services_.controls.scheduler_hung) return;
  ForgetLostSlots();
  MapLeftOver();
  for (std::size_t left = processes_.size(); left; --left) {
    const auto waiting = std::find_if(processes_.begin(), processes_.end(), Waits);
    if (waiting == processes_.end()) return;
    std::uint8_t vmid = 0;
    if (!FreeVmid(vmid) && !TakeVmid(vmid)) return;
    Process process = std::move(*waiting);
    processes_.erase(waiting);
    processes_.push_back(std::move(process));
    Map(processes_.back(), vmid);
  }
}

std::uint64_t Scheduler::NextWake() const {
  if (services_.controls.scheduler_hung) return kNever;
  if (std::none_of(processes_.begin(), processes_.end(), Waits)) return kNever;
  std::uint8_t vmid = 0;
  if (FreeVmid(vmid)) return 0;
  std::uint64_t wake = kNever;
  for (const Process& process : processes_) {
    if (!process.vmid || !Preemptible(process)) continue;
    if (!Busy(process)) return 0;
    wake = std::min(wake, process.since_ns + process.description.quantum_ns);
  }
  return wake;
}

void Scheduler::AssignVmid(const Process& process, std::uint8_t vmid) {
  const Chip& chip = services_.chip;
  RegisterFile& registers = services_.registers;
  const std::uint32_t pasid = process.description.pasid;
  const std::uint64_t base = process.description.page_table_base;
  for (const auto* hub : {&chip.gfx_hub, &chip.mm_hub}) {
    registers.Set(hub->context0_page_table_base_lo + vmid * 8u, static_cast<std::uint32_t>(base));
    registers.Set(hub->context0_page_table_base_lo + vmid * 8u + 4,
                  static_cast<std::uint32_t>(base >> 32));
  }
  registers.Set(chip.atc_vmid0_pasid_mapping + vmid * 4u, pasid | kPasidValid);
  registers.Set(chip.atc_vmid16_pasid_mapping + vmid * 4u, pasid | kPasidValid);
  registers.Set(chip.ih_vmid0_lut + vmid * 4u, pasid);
  registers.Set(chip.ih_vmid0_lut_mm + vmid * 4u, pasid);
  services_.memory.InvalidateTlb(Hub::kGfx, vmid);
  services_.memory.InvalidateTlb(Hub::kMm, vmid);
}

void Scheduler::Map(Process& process, std::uint8_t vmid) {
  AssignVmid(process, vmid);
  process.vmid = vmid;
  process.since_ns = services_.host.NowNs();
  process.wants = false;
  for (ScheduledQueue& queue : process.queues) MapQueue(process, queue);
}

void Scheduler::MapQueue(Process& process, ScheduledQueue& queue) {
  if (queue.queue() || queue.broken) return;
  const QueueDescription& description = queue.description;
  if (description.sdma_engine >= 0) {
    const auto engine = static_cast<unsigned>(description.sdma_engine);
    if (!sdma_.HasFreeQueue(engine)) return;
    queue.sdma = sdma_.Load(engine, description.mqd, process.vmid, description.wptr_address);
    queue.broken = !queue.sdma;
    if (queue.sdma) queue.sdma->owner = queue.id;
    return;
  }
  HqdSlot& slot = hqds_.Acquire(queue_mask_);
  queue.broken = !hqds_.Load(slot, description.mqd, process.vmid, description.wptr_address);
  if (queue.broken) return;
  slot.owner = queue.id;
  queue.hqd = &slot;
}

/// Queues of running processes for which there was no SDMA queue left.
void Scheduler::MapLeftOver() {
  for (Process& process : processes_) {
    if (!process.vmid) continue;
    for (ScheduledQueue& queue : process.queues) MapQueue(process, queue);
  }
}

void Scheduler::SaveAndRelease(ScheduledQueue& queue, bool save) {
  if (queue.hqd) {
    if (save) hqds_.Save(*queue.hqd);
    hqds_.Deactivate(*queue.hqd);
  }
  if (queue.sdma) {
    if (save) sdma_.Save(*queue.sdma, queue.description.mqd);
    sdma_.Disable(*queue.sdma);
  }
  queue.hqd = nullptr;
  queue.sdma = nullptr;
}

void Scheduler::Preempt(Process& process) {
  for (ScheduledQueue& queue : process.queues) SaveAndRelease(queue, true);
  process.vmid = 0;
  ++services_.counters.preemptions;
}

bool Scheduler::Unmap(const UnmapFilter& filter, bool reset, std::uint32_t& unresponsive) {
  ForgetLostSlots();
  bool hung_compute = false, hung_sdma = false;
  std::uint32_t hung_doorbell = 0;
  for (Process& process : processes_) {
    std::erase_if(process.queues, [&](ScheduledQueue& queue) {
      if (!Selects(filter, process, queue)) return false;
      const std::uint32_t doorbell = queue.description.doorbell;
      if (queue.queue() && services_.controls.QueueHung(doorbell) && !reset) {
        (queue.sdma ? hung_sdma : hung_compute) = true;
        hung_doorbell = doorbell;
        return false;
      }
      if (reset) services_.controls.hung_doorbells.erase(doorbell);
      SaveAndRelease(queue, !reset);
      return true;
    });
  }
  std::erase_if(processes_, [](const Process& process) { return process.queues.empty(); });
  unresponsive = 0;
  if (!hung_compute && !hung_sdma) {
    unmap_deadline_ns_ = 0;
    return true;
  }
  const std::uint64_t now = services_.host.NowNs();
  if (!unmap_deadline_ns_) unmap_deadline_ns_ = now + unmap_latency_ns_;
  if (hung_sdma || now < unmap_deadline_ns_) return false;
  // The firmware gives the queue up; it stays in its slot until the driver resets it there.
  unresponsive = hung_doorbell;
  unmap_deadline_ns_ = 0;
  processes_.clear();
  return true;
}

bool Scheduler::Doorbell(std::uint32_t offset) {
  bool found = false;
  for (Process& process : processes_) {
    for (const ScheduledQueue& queue : process.queues) {
      if (queue.description.doorbell != offset || queue.queue()) continue;
      process.wants = found = true;
    }
  }
  return found;
}

void Scheduler::Unclaimed(std::uint32_t offset) {
  const auto owner = owners_.find(offset);
  if (owner == owners_.end()) return;
  const bool mapped =
      std::any_of(processes_.begin(), processes_.end(), [&](const Process& process) {
        return process.description.pasid == owner->second && !process.queues.empty();
      });
  if (mapped) ++suspects_[offset];
}

void Scheduler::ReportDeadDoorbells() {
  for (const auto& [doorbell, count] : suspects_) {
    services_.diagnostics.findings.Add({.kind = FindingKind::kDeadDoorbell,
                                        .pasid = owners_[doorbell],
                                        .address = doorbell,
                                        .detail = "its queue was destroyed",
                                        .count = count});
  }
  suspects_.clear();
}

}  // namespace kfdcts::vgpu
