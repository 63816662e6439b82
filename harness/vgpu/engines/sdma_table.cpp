#include "harness/vgpu/engines/sdma_handlers.h"
#include "harness/vgpu/engines/sdma_packets.h"

namespace kfdcts::vgpu::sdma {

namespace {

struct Row {
  Opcode op;
  std::uint8_t sub_op;
  Entry entry;
};

constexpr Row kPackets[] = {
    {kNop, 0, {"SDMA NOP", 1, Nop}},
    {kCopy, kCopyLinear, {"SDMA COPY", 7, Copy}},
    {kWrite, kWriteLinear, {"SDMA WRITE", 4, Write}},
    {kIndirect, 0, {"SDMA INDIRECT", 6, Indirect}},
    {kFence, 0, {"SDMA FENCE", 4, Fence}},
    {kTrap, 0, {"SDMA TRAP", 2, Trap}},
    {kSem, 0, {"SDMA SEM", 3, Sem}},
    {kPollRegmem, kPollReg, {"SDMA POLL_REGMEM", 6, PollRegmem}},
    {kPollRegmem, kPollRegWriteMem, {"SDMA POLL_REG_WRITE_MEM", 4, PollRegWriteMem}},
    {kCondExe, 0, {"SDMA COND_EXE", 5, CondExe}},
    {kAtomic, 0, {"SDMA ATOMIC", 8, Atomic}},
    {kConstFill, 0, {"SDMA CONST_FILL", 5, ConstFill}},
    {kPtepde, kPtepdeGen, {"SDMA PTEPDE", 10, GenPtepde}},
    {kPtepde, kPtepdeCopy, {"SDMA PTEPDE_COPY", 8, CopyPtepde}},
    {kTimestamp, kTimestampSet, {"SDMA TIMESTAMP_SET", 3, TimestampSet}},
    {kTimestamp, kTimestampGet, {"SDMA TIMESTAMP_GET", 3, TimestampGet}},
    {kTimestamp, kTimestampGetGlobal, {"SDMA TIMESTAMP_GET_GLOBAL", 3, TimestampGetGlobal}},
    {kSrbmWrite, 0, {"SDMA SRBM_WRITE", 3, SrbmWrite}},
    {kPreExe, 0, {"SDMA PRE_EXE", 2, PreExe}},
    {kDummyTrap, 0, {"SDMA DUMMY_TRAP", 2, Nop}},
};

}  // namespace

Entry Find(std::uint32_t header) {
  const std::uint32_t op = header & 0xff, sub_op = (header >> 8) & 0xff;
  if (op == kCopy && sub_op == kCopyLinear && (header & kBroadcast)) {
    return {"SDMA COPY_BROADCAST", 9, CopyBroadcast};
  }
  for (const Row& row : kPackets) {
    if (row.op == op && row.sub_op == sub_op) return row.entry;
  }
  return {nullptr, 1, nullptr};
}

std::uint64_t Length(const Entry& entry, Packet packet) {
  if (entry.handler == Nop && entry.dwords == 1) return 1 + ((packet[0] >> 16) & 0x3fff);
  if (entry.handler == Write) return entry.dwords + (packet[3] & kWriteCountMask) + 1;
  return entry.dwords;
}

}  // namespace kfdcts::vgpu::sdma
