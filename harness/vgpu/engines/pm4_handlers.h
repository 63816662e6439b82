#pragma once

#include "harness/vgpu/engines/command_processor.h"

/// One function a PM4 packet. The body has at least the length that the table in
/// command_processor.cpp asks for.
namespace kfdcts::vgpu::pm4 {

// pm4_control.cpp
Outcome Nop(Pm4Context& c, Pm4Body body);
Outcome CondExec(Pm4Context& c, Pm4Body body);
Outcome IndirectBufferPacket(Pm4Context& c, Pm4Body body);
Outcome WaitRegMem(Pm4Context& c, Pm4Body body);
Outcome EventWrite(Pm4Context& c, Pm4Body body);
Outcome InvalidateTlbs(Pm4Context& c, Pm4Body body);
Outcome Dispatch(Pm4Context& c, Pm4Body body);

// pm4_memory.cpp
Outcome WriteData(Pm4Context& c, Pm4Body body);
Outcome CopyData(Pm4Context& c, Pm4Body body);
Outcome DmaData(Pm4Context& c, Pm4Body body);
Outcome AtomicMem(Pm4Context& c, Pm4Body body);
Outcome ReleaseMem(Pm4Context& c, Pm4Body body);

// pm4_registers.cpp
Outcome SetConfigReg(Pm4Context& c, Pm4Body body);
Outcome SetContextReg(Pm4Context& c, Pm4Body body);
Outcome SetShReg(Pm4Context& c, Pm4Body body);
Outcome SetUconfigReg(Pm4Context& c, Pm4Body body);

// pm4_scheduler.cpp
Outcome SetResources(Pm4Context& c, Pm4Body body);
Outcome RunList(Pm4Context& c, Pm4Body body);
Outcome MapProcess(Pm4Context& c, Pm4Body body);
Outcome MapQueues(Pm4Context& c, Pm4Body body);
Outcome UnmapQueues(Pm4Context& c, Pm4Body body);
Outcome QueryStatus(Pm4Context& c, Pm4Body body);

/// Register `index` (in dwords) as a packet sees it; false where the queue may not touch it, or
/// there is none.
bool ReadRegister(Pm4Context& c, std::uint32_t index, std::uint32_t& value);
bool WriteRegister(Pm4Context& c, std::uint32_t index, std::uint32_t value);

/// Counts an encoding that the device does not know and ends the packet with an exception.
Outcome Unknown(Pm4Context& c, const char* subject);

}  // namespace kfdcts::vgpu::pm4
