#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/queues/doorbells.h"
#include "thunk/src/queues/queue.h"
#include "thunk/src/topology/topology.h"

namespace kfdcts::thunk {

/// The user queues of one context. Any thread may call any function but ReleaseAll() and
/// AbandonInChild().
class Queues {
 public:
  /// All arguments outlive this.
  Queues(const Kfd& kfd, Memory& memory, std::span<const Gpu> gpus, const Topology& topology)
      : kfd_(kfd),
        memory_(memory),
        gpus_(gpus),
        topology_(topology),
        doorbells_(kfd, memory, gpus) {}
  ~Queues() { ReleaseAll(); }
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;

  /// hsaKmtCreateQueueExt. `resource` goes in with an AQL queue's pointers (each in a page of
  /// memory mapped on the GPU) and the payload of its errors; all else is filled in, on success
  /// only. INVALID_NODE_UNIT: no GPU's node; else as Queue::Create says.
  HSAKMT_STATUS Create(const QueueRequest& request, HsaQueueResource& resource);
  /// INVALID_PARAMETER for 0, INVALID_HANDLE for what is no queue's id; else as Queue says. Where
  /// the kernel refuses the queue stays.
  HSAKMT_STATUS Destroy(HSA_QUEUEID id);

  /// Does `work` on a queue, which then lives as long as it takes; the same errors for the id.
  template <typename Work>
  HSAKMT_STATUS With(HSA_QUEUEID id, Work&& work) const {
    std::shared_ptr<Queue> queue;
    const HSAKMT_STATUS status = Find(id, queue);
    return status == HSAKMT_STATUS_SUCCESS ? work(*queue) : status;
  }

  std::size_t Count() const;

  /// Destroys all queues and unmaps the doorbells. What the kernel does not let go stays, to be
  /// tried again by the next release.
  void ReleaseAll();
  /// In a forked child: the queues are the parent's.
  void AbandonInChild();

 private:
  class Entry;

  HSAKMT_STATUS Find(HSA_QUEUEID id, std::shared_ptr<Queue>& queue) const;

  const Kfd& kfd_;
  Memory& memory_;
  std::span<const Gpu> gpus_;
  const Topology& topology_;
  Doorbells doorbells_;

  mutable std::mutex mutex_;
  std::map<HSA_QUEUEID, std::shared_ptr<Queue>> queues_;
};

}  // namespace kfdcts::thunk
