#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "harness/vgpu/engines/hqd.h"
#include "harness/vgpu/engines/sdma.h"

namespace kfdcts::vgpu {

/// MAP_PROCESS, decoded.
struct ProcessDescription {
  std::uint16_t pasid;
  std::uint64_t page_table_base;
  std::uint64_t quantum_ns;
};

/// MAP_QUEUES for a slot of the scheduler's choice, decoded.
struct QueueDescription {
  std::uint64_t mqd;
  std::uint64_t wptr_address;
  std::uint32_t doorbell;  ///< Byte offset.
  int sdma_engine;         ///< −1 for compute.
  bool is_static;
};

/// Which queues an UNMAP_QUEUES packet means.
struct UnmapFilter {
  enum class By : std::uint8_t { kPasid, kAll, kAllNonStatic, kDoorbell };
  By by;
  std::uint16_t pasid = 0;
  std::uint32_t doorbell = 0;  ///< Byte offset.
};

/// The hardware scheduler (the MEC firmware's part): keeps the run list, gives VMIDs and queue
/// slots to its processes, and takes them away again. Where there are more processes than VMIDs,
/// those with work share them by time slices.
class Scheduler {
 public:
  Scheduler(Services& services, HqdBank& hqds, Sdma& sdma);

  /// SET_RESOURCES of the HIQ. Bits of `queue_mask`: pipe * 8 + queue.
  void SetResources(std::uint16_t vmid_mask, std::uint64_t queue_mask,
                    std::uint64_t unmap_latency_ns);

  /// RUN_LIST: what was mapped is unmapped, static queues apart, and the list is filled anew by the
  /// next two.
  void BeginRunList();
  void AddProcess(const ProcessDescription& process);
  /// Of the process added last. False where there is none, or too many queues are in the list.
  bool AddQueue(const QueueDescription& queue);

  /// UNMAP_QUEUES: saves and removes queues. False while a queue does not let itself be preempted;
  /// past the unmap latency the scheduler gives it up, tells its doorbell in `unresponsive` (else
  /// 0) and returns true.
  bool Unmap(const UnmapFilter& filter, bool reset, std::uint32_t& unresponsive);

  /// A doorbell of a queue in the run list that has no slot now: its process wants a VMID. False
  /// where it is of no such queue.
  bool Doorbell(std::uint32_t offset);

  /// A doorbell that nobody claimed: suspect where its queue was in a run list and is in the
  /// present one no more, while others of its process are. One that comes back was only evicted.
  void Unclaimed(std::uint32_t offset);
  /// Suspects that have not come back become findings.
  void ReportDeadDoorbells();

  /// Gives out VMIDs and ends time slices.
  void Tick();
  /// When Tick must run again although nothing happened; UINT64_MAX for never.
  std::uint64_t NextWake() const;

  /// Forgets everything: the MEC was reset. Nothing is saved.
  void Reset();

  unsigned process_count() const { return static_cast<unsigned>(processes_.size()); }
  unsigned queue_count() const;
  unsigned running_queue_count() const;

 private:
  struct ScheduledQueue {
    QueueDescription description;
    std::uint64_t id;
    HqdSlot* hqd = nullptr;  // where it runs, both null while it does not
    SdmaSlot* sdma = nullptr;
    bool broken = false;  // its MQD describes no queue

    Queue* queue() const { return hqd ? &hqd->queue : sdma ? &sdma->queue : nullptr; }
  };
  struct Process {
    ProcessDescription description;
    std::vector<ScheduledQueue> queues;
    std::uint8_t vmid = 0;       // 0 while it has none
    std::uint64_t since_ns = 0;  // when it got the VMID
    bool wants = true;           // may have work
  };

  static bool Waits(const Process& process);
  static bool Selects(const UnmapFilter& filter, const Process& process,
                      const ScheduledQueue& queue);
  bool Busy(const Process& process) const;
  bool Preemptible(const Process& process) const;
  bool FreeVmid(std::uint8_t& vmid) const;
  bool TakeVmid(std::uint8_t& vmid);
  void Map(Process& process, std::uint8_t vmid);
  void MapQueue(Process& process, ScheduledQueue& queue);
  void MapLeftOver();
  void Preempt(Process& process);
  void SaveAndRelease(ScheduledQueue& queue, bool save);
  void ForgetLostSlots();
  void AssignVmid(const Process& process, std::uint8_t vmid);

  Services& services_;
  HqdBank& hqds_;
  Sdma& sdma_;
  std::deque<Process> processes_;  // those that wait longest for a VMID come first
  std::uint16_t vmid_mask_ = 0;
  std::uint64_t queue_mask_ = 0;
  std::uint64_t unmap_latency_ns_ = 0;
  std::uint64_t unmap_deadline_ns_ =
      0;  // of the packet at hand, 0 where it has not met a hung queue
  std::uint64_t next_id_ = 1;
  std::map<std::uint32_t, std::uint16_t> owners_;    // PASIDs by doorbell, those of gone queues too
  std::map<std::uint32_t, std::uint64_t> suspects_;  // how often a doorbell was rung in vain
};

}  // namespace kfdcts::vgpu
