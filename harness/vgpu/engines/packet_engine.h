#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/vgpu/engines/outcome.h"
#include "harness/vgpu/engines/queue.h"
#include "harness/vgpu/engines/services.h"

namespace kfdcts::vgpu {

/// Executes the packets of one kind of queue. Step does what is common to all kinds: write pointer
/// polling, read pointer reports, waits, faults, exceptions.
class PacketEngine {
 public:
  explicit PacketEngine(Services& services) : services_(services) {}
  virtual ~PacketEngine() = default;

  /// Runs at most one packet of a queue that is Ready. True where the queue got ahead.
  bool Step(Queue& queue);

 protected:
  /// Executes the next packet (there is at least one dword) and advances behind it where that is
  /// done.
  virtual Outcome RunPacket(Queue& queue) = 0;
  /// Reads the write pointer from memory into queue.wptr.
  virtual std::optional<Fault> PollWptr(Queue& queue) = 0;
  virtual std::optional<Fault> ReportRptr(Queue& queue) = 0;
  /// Tells the driver why the queue has stopped.
  virtual void Raise(Queue& queue, QueueException exception) = 0;

  /// The queue has left the indirect buffer that it was to finish before it is switched off.
  virtual void Drained(Queue&) {}

  void CountPacket(std::string_view name);

  Services& services_;
  /// Length of the packet at hand, set by RunPacket as soon as it is known.
  std::uint64_t packet_dwords_ = 0;

 private:
  bool RingValid(Queue& queue);
  void Finish(Queue& queue);
  void Wait(Queue& queue);
  bool OnFault(Queue& queue, const Fault& fault, bool in_packet);
  void OnException(Queue& queue, QueueException exception);
};

}  // namespace kfdcts::vgpu
