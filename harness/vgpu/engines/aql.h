#pragma once

#include <array>
#include <cstdint>

#include "harness/vgpu/engines/packet_engine.h"

namespace kfdcts::vgpu {

/// Executes the packets of AQL queues (HSA Platform System Architecture, 2.9): barriers. A kernel
/// dispatch, of which there can be none without shader cores, stops the queue; its completion
/// signal stays as it is.
class AqlProcessor : public PacketEngine {
 public:
  static constexpr std::uint32_t kPacketDwords = 16;

  using PacketEngine::PacketEngine;

 protected:
  Outcome RunPacket(Queue& queue) override;
  std::optional<Fault> PollWptr(Queue& queue) override;
  std::optional<Fault> ReportRptr(Queue& queue) override;
  void Raise(Queue& queue, QueueException exception) override;

 private:
  using Packet = std::array<std::uint32_t, kPacketDwords>;

  Outcome Barrier(Queue& queue, const Packet& packet, bool all);
  Outcome Complete(Queue& queue, const Packet& packet);
  Outcome Refuse(const char* name, QueueException exception);
  std::uint64_t PacketAddress(const Queue& queue) const;
};

}  // namespace kfdcts::vgpu
