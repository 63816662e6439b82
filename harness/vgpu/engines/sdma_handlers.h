#pragma once

#include <span>

#include "harness/vgpu/engines/outcome.h"
#include "harness/vgpu/engines/queue.h"
#include "harness/vgpu/engines/services.h"

/// One function an SDMA packet. `packet` begins with the header and has the length that the table
/// in sdma_table.cpp asks for; what follows it in the ring (WRITE's data) is fetched by the
/// function.
namespace kfdcts::vgpu::sdma {

struct Context {
  Services& services;
  Queue& queue;
  AddressSpace space;
  std::uint64_t& timestamp_base;
  std::uint32_t skip = 0;  ///< Set by the packet: dwords behind it that are passed over.
  bool jumped = false;     ///< Set by the packet: the queue reads elsewhere now.

  GpuMemory& memory() const { return services.memory; }
};

using Packet = std::span<const std::uint32_t>;
using Handler = Outcome (*)(Context&, Packet);

struct Entry {
  const char* name;      ///< "SDMA COPY"; null where there is no such packet.
  std::uint32_t dwords;  ///< With the header, without data of variable length.
  Handler handler;
};

/// The packet that a header starts; an entry without name where the device does not know it.
Entry Find(std::uint32_t header);
/// Length of a packet with its data, from its fixed part. 64 bits: a WRITE may name a million
/// dwords.
std::uint64_t Length(const Entry& entry, Packet packet);

// sdma_memory.cpp
Outcome Copy(Context& c, Packet packet);
Outcome CopyBroadcast(Context& c, Packet packet);
Outcome Write(Context& c, Packet packet);
Outcome ConstFill(Context& c, Packet packet);
Outcome GenPtepde(Context& c, Packet packet);
Outcome CopyPtepde(Context& c, Packet packet);
Outcome Atomic(Context& c, Packet packet);

// sdma_control.cpp
Outcome Nop(Context& c, Packet packet);
Outcome Indirect(Context& c, Packet packet);
Outcome Fence(Context& c, Packet packet);
Outcome Trap(Context& c, Packet packet);
Outcome Sem(Context& c, Packet packet);
Outcome PollRegmem(Context& c, Packet packet);
Outcome PollRegWriteMem(Context& c, Packet packet);
Outcome CondExe(Context& c, Packet packet);
Outcome PreExe(Context& c, Packet packet);
Outcome TimestampSet(Context& c, Packet packet);
Outcome TimestampGet(Context& c, Packet packet);
Outcome TimestampGetGlobal(Context& c, Packet packet);
Outcome SrbmWrite(Context& c, Packet packet);

}  // namespace kfdcts::vgpu::sdma
