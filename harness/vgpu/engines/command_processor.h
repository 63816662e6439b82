#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/vgpu/engines/packet_engine.h"
#include "harness/vgpu/engines/scheduler.h"

namespace kfdcts::vgpu {

/// What a PM4 packet's function works with.
struct Pm4Context {
  Services& services;
  Scheduler& scheduler;
  HqdBank& hqds;
  Queue& queue;
  AddressSpace space;               ///< Of the addresses in the packet.
  bool privileged;                  ///< May touch every register.
  std::uint32_t packet_dwords = 0;  ///< Header and body.
  std::uint32_t skip = 0;           ///< Set by the packet: dwords behind it that are passed over.
  bool jumped = false;              ///< Set by the packet: the queue reads elsewhere now.

  GpuMemory& memory() const { return services.memory; }
};

using Pm4Body = std::span<const std::uint32_t>;
using Pm4Handler = Outcome (*)(Pm4Context&, Pm4Body);

/// Executes PM4 packets: the gfx ring and compute queues, the KIQ and the HIQ among them.
class CommandProcessor : public PacketEngine {
 public:
  CommandProcessor(Services& services, Scheduler& scheduler, HqdBank& hqds);

 protected:
  Outcome RunPacket(Queue& queue) override;
  std::optional<Fault> PollWptr(Queue& queue) override;
  std::optional<Fault> ReportRptr(Queue& queue) override;
  void Raise(Queue& queue, QueueException exception) override;

 private:
  Outcome RunType0(Queue& queue, std::uint32_t header);
  Outcome RunType3(Queue& queue, std::uint32_t header);
  Outcome Malformed(Queue& queue, const char* what);

  Scheduler& scheduler_;
  HqdBank& hqds_;
  std::vector<std::uint32_t> body_;
};

/// Tells the driver that a user queue has stopped, by CP_BAD_OPCODE or CP_PRIV_REG_FAULT.
void RaiseQueueException(Services& services, const Queue& queue, QueueException exception);

/// Pushes the interrupt of a queue of the command processor.
void PushCpInterrupt(Services& services, const Queue& queue, std::uint8_t source,
                     std::uint32_t data);

}  // namespace kfdcts::vgpu
