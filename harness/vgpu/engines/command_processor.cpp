#include "harness/vgpu/engines/command_processor.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "harness/vgpu/engines/pm4_handlers.h"
#include "harness/vgpu/engines/pm4_packets.h"

namespace kfdcts::vgpu {

namespace {

struct Entry {
  pm4::Opcode opcode;
  const char* name;
  std::uint32_t min_body;  ///< In dwords.
  Pm4Handler handler;
};

constexpr Entry kPackets[] = {
    {pm4::kNop, "PM4 NOP", 1, pm4::Nop},
    {pm4::kSetBase, "PM4 SET_BASE", 1, pm4::Nop},
    {pm4::kClearState, "PM4 CLEAR_STATE", 1, pm4::Nop},
    {pm4::kDispatchDirect, "PM4 DISPATCH_DIRECT", 1, pm4::Dispatch},
    {pm4::kDispatchIndirect, "PM4 DISPATCH_INDIRECT", 1, pm4::Dispatch},
    {pm4::kAtomicMem, "PM4 ATOMIC_MEM", 8, pm4::AtomicMem},
    {pm4::kCondExec, "PM4 COND_EXEC", 4, pm4::CondExec},
    {pm4::kContextControl, "PM4 CONTEXT_CONTROL", 1, pm4::Nop},
    {pm4::kIndirectBufferConst, "PM4 INDIRECT_BUFFER_CONST", 3, pm4::IndirectBufferPacket},
    {pm4::kWriteData, "PM4 WRITE_DATA", 4, pm4::WriteData},
    {pm4::kWaitRegMem, "PM4 WAIT_REG_MEM", 6, pm4::WaitRegMem},
    {pm4::kIndirectBuffer, "PM4 INDIRECT_BUFFER", 3, pm4::IndirectBufferPacket},
    {pm4::kCopyData, "PM4 COPY_DATA", 5, pm4::CopyData},
    {pm4::kPfpSyncMe, "PM4 PFP_SYNC_ME", 1, pm4::Nop},
    {pm4::kEventWrite, "PM4 EVENT_WRITE", 1, pm4::EventWrite},
    {pm4::kReleaseMem, "PM4 RELEASE_MEM", 6, pm4::ReleaseMem},
    {pm4::kPreambleCntl, "PM4 PREAMBLE_CNTL", 1, pm4::Nop},
    {pm4::kDmaData, "PM4 DMA_DATA", 6, pm4::DmaData},
    {pm4::kAcquireMem, "PM4 ACQUIRE_MEM", 6, pm4::Nop},
    {pm4::kRewind, "PM4 REWIND", 1, pm4::Nop},
    {pm4::kSetConfigReg, "PM4 SET_CONFIG_REG", 2, pm4::SetConfigReg},
    {pm4::kSetContextReg, "PM4 SET_CONTEXT_REG", 2, pm4::SetContextReg},
    {pm4::kSetShReg, "PM4 SET_SH_REG", 2, pm4::SetShReg},
    {pm4::kSetUconfigReg, "PM4 SET_UCONFIG_REG", 2, pm4::SetUconfigReg},
    {pm4::kWaitOnCeCounter, "PM4 WAIT_ON_CE_COUNTER", 1, pm4::Nop},
    {pm4::kSwitchBuffer, "PM4 SWITCH_BUFFER", 1, pm4::Nop},
    {pm4::kFrameControl, "PM4 FRAME_CONTROL", 1, pm4::Nop},
    {pm4::kInvalidateTlbs, "PM4 INVALIDATE_TLBS", 1, pm4::InvalidateTlbs},
    {pm4::kSetResources, "PM4 SET_RESOURCES", 7, pm4::SetResources},
    {pm4::kMapProcess, "PM4 MAP_PROCESS", 13, pm4::MapProcess},
    {pm4::kMapQueues, "PM4 MAP_QUEUES", 6, pm4::MapQueues},
    {pm4::kUnmapQueues, "PM4 UNMAP_QUEUES", 2, pm4::UnmapQueues},
    {pm4::kQueryStatus, "PM4 QUERY_STATUS", 6, pm4::QueryStatus},
    {pm4::kRunList, "PM4 RUN_LIST", 3, pm4::RunList},
    {pm4::kRunCleanerShader90, "PM4 RUN_CLEANER_SHADER", 1, pm4::Nop},
};

const Entry* Find(std::uint8_t opcode) {
  static const auto table = [] {
    std::array<const Entry*, 256> by_opcode{};
    for (const Entry& entry : kPackets) by_opcode[entry.opcode] = &entry;
    return by_opcode;
  }();
  return table[opcode];
}

}  // namespace

CommandProcessor::CommandProcessor(Services& services, Scheduler& scheduler, HqdBank& hqds)
    : PacketEngine(services), scheduler_(scheduler), hqds_(hqds) {
  body_.reserve(pm4::kMaxBody);
}

Outcome CommandProcessor::RunPacket(Queue& queue) {
  std::uint32_t header = 0;
  if (auto fault = queue.Fetch(services_.memory, 0, std::span(&header, 1)))
    return Outcome::Faulted(*fault);
  if (pm4::Type(header) == 2 || header == pm4::kNopDword) {
    queue.Advance(packet_dwords_ = 1);
    return Outcome::Done();
  }
  if (pm4::Type(header) == 1) {
    packet_dwords_ = 1;
    return Malformed(queue, "PM4 type 1 header");
  }
  const std::uint32_t count = pm4::BodyDwords(header);
  if (count + 1 > queue.available()) return Malformed(queue, "PM4 packet longer than its buffer");
  body_.resize(count);
  if (auto fault = queue.Fetch(services_.memory, 1, body_)) return Outcome::Faulted(*fault);
  packet_dwords_ = count + 1;
  return pm4::Type(header) == 0 ? RunType0(queue, header) : RunType3(queue, header);
}

Outcome CommandProcessor::Malformed(Queue& queue, const char* what) {
  services_.diagnostics.Count(Diagnostics::Kind::kMalformedPacket, queue.Name() + ": " + what);
  return Outcome::Exception(QueueException::kPacketReserved);
}

/// Type 0: consecutive registers from the header's on.
Outcome CommandProcessor::RunType0(Queue& queue, std::uint32_t header) {
  Pm4Context context{services_,
                     scheduler_,
                     hqds_,
                     queue,
                     queue.current_space(),
                     queue.kernel && queue.current_space().vmid == 0};
  for (std::uint32_t i = 0; i < body_.size(); ++i) {
    if (!pm4::WriteRegister(context, (header & 0xffff) + i, body_[i])) {
      return Outcome::Exception(QueueException::kPrivilegedRegister);
    }
  }
  CountPacket("PM4 type 0");
  queue.Advance(packet_dwords_);
  return Outcome::Done();
}

Outcome CommandProcessor::RunType3(Queue& queue, std::uint32_t header) {
  const Entry* entry = Find(pm4::OpcodeOf(header));
  if (!entry) {
    char subject[16];
    std::snprintf(subject, sizeof subject, "PM4 0x%02x", pm4::OpcodeOf(header));
    services_.diagnostics.Count(Diagnostics::Kind::kUnknownPacket, subject);
    return Outcome::Exception(QueueException::kPacketUnsupported);
  }
  if (body_.size() < entry->min_body) return Malformed(queue, entry->name);
  Pm4Context context{services_,
                     scheduler_,
                     hqds_,
                     queue,
                     queue.current_space(),
                     queue.kernel && queue.current_space().vmid == 0,
                     static_cast<std::uint32_t>(packet_dwords_)};
  const Outcome outcome = entry->handler(context, body_);
  if (outcome.kind != Outcome::Kind::kDone) return outcome;
  CountPacket(entry->name);
  if (queue.on() && !context.jumped) queue.Advance(packet_dwords_ + context.skip);
  return outcome;
}

std::optional<Fault> CommandProcessor::PollWptr(Queue& queue) {
  std::uint64_t value = 0;
  if (auto fault = services_.memory.Read64(queue.space, queue.wptr_poll, value)) return fault;
  queue.wptr = std::max(queue.wptr, value);
  return std::nullopt;
}

std::optional<Fault> CommandProcessor::ReportRptr(Queue& queue) {
  if (!queue.rptr_report) return std::nullopt;
  const auto offset = static_cast<std::uint32_t>(queue.rptr & (queue.dwords - 1));
  return services_.memory.Write32(queue.space, queue.rptr_report, offset);
}

void CommandProcessor::Raise(Queue& queue, QueueException exception) {
  RaiseQueueException(services_, queue, exception);
}

void PushCpInterrupt(Services& services, const Queue& queue, std::uint8_t source,
                     std::uint32_t data) {
  const std::uint8_t vmid = queue.space.vmid;
  services.interrupts.Push(
      {.client = pm4::kClientGrbmCp,
       .source = source,
       .ring_id = static_cast<std::uint8_t>(queue.pipe | queue.me << 2 | queue.slot << 4),
       .vmid = vmid,
       .pasid = vmid ? services.memory.PasidOf(vmid) : std::uint16_t{0},
       .data = {data}});
}

void RaiseQueueException(Services& services, const Queue& queue, QueueException exception) {
  if (exception == QueueException::kPrivilegedRegister) {
    PushCpInterrupt(services, queue, pm4::kSourcePrivilegedRegister, 0);
    return;
  }
  // Bits 9:0 are the queue's doorbell among its process's (64 bits each), 25:10 the code.
  const std::uint32_t doorbell = queue.doorbell / 8 & 0x3ff;
  PushCpInterrupt(services, queue, pm4::kSourceBadOpcode,
                  doorbell | static_cast<std::uint32_t>(exception) << 10);
}

}  // namespace kfdcts::vgpu
