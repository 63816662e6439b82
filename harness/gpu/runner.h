#pragma once

#include <cstdint>

#include "harness/gpu/pm4_packets.h"
#include "harness/gpu/queue.h"
#include "harness/gpu/sdma_packets.h"
#include "harness/gpu/session.h"

namespace kfdcts::gpu {

/// A queue with a fence: packets go in, and one can wait for the GPU to be through with them.
/// Refers to session and GPU.
template <class Packets>
class Runner {
 public:
  Runner(Session& session, Gpu& gpu) : Runner(session, gpu, Queue::Options{}) {}
  /// Throws GpuError.
  Runner(Session& session, Gpu& gpu, const Queue::Options& options);

  Queue& queue() { return queue_; }

  /// Submits the packets and, behind them, the fence. Returns what Finish wants; throws
  /// GpuError(ETIMEDOUT) where the ring stays full.
  std::uint32_t Start(Packets packets);

  /// Waits until all packets up to this Start are done.
  WorkResult Finish(std::uint32_t ticket, const Deadline& deadline = Deadline(kGpuTimeout));
  bool Done(std::uint32_t ticket) const;

  WorkResult Run(Packets packets, const Deadline& deadline = Deadline(kGpuTimeout)) {
    return Finish(Start(std::move(packets)), deadline);
  }

 private:
  Session& session_;
  Buffer fence_;
  Queue queue_;
  std::uint32_t started_ = 0;
};

using SdmaRunner = Runner<SdmaPackets>;
using Pm4Runner = Runner<Pm4Packets>;

}  // namespace kfdcts::gpu
