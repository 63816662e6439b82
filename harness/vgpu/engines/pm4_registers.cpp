#include <string>

#include "harness/vgpu/engines/pm4_handlers.h"
#include "harness/vgpu/engines/pm4_packets.h"

namespace kfdcts::vgpu::pm4 {

namespace {

/// Registers of a queue's own state, which every process may set.
bool Unprivileged(std::uint32_t index) {
  return (index >= kShRegStart && index < kShRegEnd) ||
         (index >= kContextRegStart && index < kContextRegEnd) ||
         (index >= kUconfigRegStart && index < kUconfigRegEnd);
}

bool Allowed(Pm4Context& c, std::uint32_t index) {
  if (index * 4 >= RegisterFile::kMmioBytes) {
    c.services.diagnostics.Count(Diagnostics::Kind::kOutOfRange, "register in a PM4 packet");
    return false;
  }
  return c.privileged || Unprivileged(index);
}

Outcome SetRegisters(Pm4Context& c, Pm4Body body, std::uint32_t start, std::uint32_t end) {
  const std::uint32_t first = start + Bits(body[0], 15, 0);
  const auto values = body.subspan(1);
  if (first + values.size() > end) {
    c.services.diagnostics.Count(Diagnostics::Kind::kMalformedPacket, "PM4 SET_REG range");
    return Outcome::Exception(QueueException::kPacketReserved);
  }
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (!WriteRegister(c, first + i, values[i])) {
      return Outcome::Exception(QueueException::kPrivilegedRegister);
    }
  }
  return Outcome::Done();
}

}  // namespace

bool ReadRegister(Pm4Context& c, std::uint32_t index, std::uint32_t& value) {
  if (!Allowed(c, index)) return false;
  value = c.services.registers.Read(index * 4);
  return true;
}

bool WriteRegister(Pm4Context& c, std::uint32_t index, std::uint32_t value) {
  if (!Allowed(c, index)) return false;
  c.services.registers.Write(index * 4, value);
  return true;
}

Outcome SetConfigReg(Pm4Context& c, Pm4Body body) {
  return SetRegisters(c, body, kConfigRegStart, kConfigRegEnd);
}

Outcome SetContextReg(Pm4Context& c, Pm4Body body) {
  return SetRegisters(c, body, kContextRegStart, kContextRegEnd);
}

Outcome SetShReg(Pm4Context& c, Pm4Body body) {
  return SetRegisters(c, body, kShRegStart, kShRegEnd);
}

Outcome SetUconfigReg(Pm4Context& c, Pm4Body body) {
  return SetRegisters(c, body, kUconfigRegStart, kUconfigRegEnd);
}

}  // namespace kfdcts::vgpu::pm4
