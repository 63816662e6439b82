#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/director/line_channel.h"
#include "harness/test_support/gpu_node.h"

namespace kfdcts::harness {

/// A queue that the device has loaded now.
struct DirectorQueue {
  std::string name;                       ///< The hardware's: "me1.pipe0.queue2", "sdma0.rlc1".
  std::string kind;                       ///< gfx, pm4, aql or sdma.
  std::string state;                      ///< idle, runnable, waiting, stalled or halted.
  std::uint8_t vmid = 0;                  ///< 0 is the driver's own.
  std::uint16_t pasid = 0;                ///< 0 where the VMID has none.
  std::uint64_t base = 0;                 ///< The ring's address in the queue's address space.
  std::optional<std::uint32_t> doorbell;  ///< Byte offset in the doorbell BAR.
  std::uint64_t rptr = 0, wptr = 0;       ///< In dwords, never wrapping.
};

/// What the device did since power-on: the names and meanings of harness/vgpu/engines/counters.h.
struct DirectorCounters {
  std::map<std::string, std::uint64_t> packets;  ///< By name: "SDMA COPY", "PM4 WRITE_DATA".
  std::uint64_t copies = 0, bytes_copied = 0;
  std::uint64_t fences = 0;
  std::uint64_t interrupts = 0, interrupts_dropped = 0;
  std::uint64_t faults = 0, retry_faults = 0;  ///< Each attempt is one.
  std::uint64_t exceptions = 0;
  std::uint64_t doorbells = 0, register_reads = 0, register_writes = 0;
  std::uint64_t run_lists = 0, unmaps = 0, preemptions = 0;
  std::uint64_t mapped_processes = 0, mapped_queues = 0, running_queues = 0;
};

/// Something that the device's sanitizer holds against driver or programs: the kinds and meanings
/// of harness/vgpu/core/findings.h.
struct DirectorFinding {
  std::string kind;  ///< "stale-translation", "cleared-translation", "read-only-write", …
  std::uint64_t count = 1;
  std::uint8_t vmid = 0;
  std::uint16_t pasid = 0;
  std::uint64_t address = 0;  ///< What follows is of the first time.
  std::string engine;         ///< The queue: "sdma0.rlc1"; empty where it was none.
  std::string detail;

  /// "cleared-translation x3 at 0x7f… of pasid 32769 by sdma0.rlc0: …"
  std::string Text() const;
};

/// An interrupt that is kept back.
struct DirectorInterrupt {
  std::uint32_t client = 0, source = 0, ring = 0, vmid = 0, pasid = 0;
  std::array<std::uint32_t, 4> data{};
  std::optional<std::uint64_t> address;  ///< Of a fault: its page.
};

struct DirectorHeld {
  std::vector<DirectorInterrupt> interrupts;  ///< In the order of their coming.
  std::vector<DirectorInterrupt> faults;      ///< By HoldFaults.
};

/// Something that the device does not do until this object goes. Refers to the Director that gave
/// it, which must live longer.
class [[nodiscard]] DirectorHold {
 public:
  DirectorHold(DirectorHold&& other) noexcept : undo_(std::exchange(other.undo_, nullptr)) {}
  DirectorHold& operator=(DirectorHold&&) = delete;
  /// Releases where that was not done; a failure goes to stderr, since a destructor cannot throw.
  ~DirectorHold();

  /// Throws DirectorError. The second call does nothing.
  void Release();

 private:
  friend class Director;
  explicit DirectorHold(std::function<void()> undo) : undo_(std::move(undo)) {}

  std::function<void()> undo_;
};

/// Makes a virtual GPU do what no program can ask of one. A test that uses it lists
/// Capability::kDirector in its `needs`.
///
/// The channel has one opener in the whole guest. Each function is one question and its answer,
/// waits for no longer than kTimeout, and throws DirectorError where the channel fails or, with the
/// device's own text, where the device refuses. Thread-safe.
class Director {
 public:
  static constexpr std::chrono::milliseconds kTimeout{10'000};

  explicit Director(const GpuNode& gpu);
  /// On an open channel, with another way to tell which queues are this process's: for this class's
  /// own tests.
  using PasidSource = std::function<std::set<std::uint16_t>()>;
  explicit Director(LineChannel channel, PasidSource own_pasids = {});
  Director(const Director&) = delete;
  Director& operator=(const Director&) = delete;

  void Ping();

  /// No queue of `engine` ("cp", "sdma0", "sdma1"…) executes anything, the driver's own neither.
  DirectorHold HoldEngine(const std::string& engine);

  /// Interrupts, those of faults among them, are kept back, and at the end delivered in order.
  DirectorHold HoldInterrupts();
  /// Delivers one held interrupt, in the order of Held() from 0 on, before the others. Throws where
  /// there is none of this number.
  void DeliverInterrupt(std::uint32_t index = 0);
  /// The next `count` interrupts are lost. 0 ends it.
  void DropInterrupts(std::uint32_t count = 1);

  /// Retry faults at `first`…`last` (addresses, both included) are not told to the driver until the
  /// end; then the first of each page and process is, whether somebody still waits for it or not.
  /// The queue that met one goes on as soon as its page is mapped. PASID 0 stands for any.
  DirectorHold HoldFaults(std::uint64_t first = 0, std::uint64_t last = UINT64_MAX,
                          std::uint16_t pasid = 0);
  /// What is kept back now.
  DirectorHeld Held();

  /// The driver's SDMA rings stop at their next copy. Those of programs run on. What the driver
  /// writes into page tables by copies waits too.
  DirectorHold HoldCopies();
  /// The next `count` SDMA copies transfer nothing, yet end as if they had. 0 ends it.
  void FailCopies(std::uint32_t count = 1);
  /// The next `count` SDMA copies change the first byte that they write. 0 ends it.
  void CorruptCopies(std::uint32_t count = 1);

  /// The hardware scheduler finishes none of its packets; a reset of the GPU ends this too.
  DirectorHold HangScheduler();
  /// A queue executes nothing and cannot be preempted.
  DirectorHold HangQueue(const DirectorQueue& queue);

  /// Ends every order of this class, those of other openers too.
  void ReleaseAll();

  /// What the sanitizer found since it was cleared last. With `release` every order ends first, as
  /// by ReleaseAll.
  std::vector<DirectorFinding> Complaints(bool clear, bool release = false);

  DirectorCounters Counters();
  std::vector<DirectorQueue> Queues();
  /// Counters and all that the device did not understand or saw done wrongly, for a reader.
  std::string Report();

  // Queues of this process: those whose PASID belongs to a render node that it has open. The last
  // three throw DirectorError with the list of its queues where not exactly one is meant.

  std::vector<DirectorQueue> OwnQueues();
  DirectorQueue OnlyOwnQueue();
  /// By the address of its ring, as given to hsaKmtCreateQueue.
  DirectorQueue QueueOfRing(const void* ring);
  /// By HsaQueueResource::Queue_DoorBell. Two SDMA queues of one engine may differ in the page of
  /// the doorbell only, which is not known here: then it throws.
  DirectorQueue QueueOfDoorbell(const volatile void* doorbell);

 private:
  nlohmann::json Ask(nlohmann::json request);
  DirectorHold Hold(const nlohmann::json& hold, const nlohmann::json& release);
  DirectorQueue OneOwnQueue(const std::function<bool(const DirectorQueue&)>& is_meant,
                            const std::string& what);

  std::mutex mutex_;
  LineChannel channel_;
  PasidSource own_pasids_;
  std::uint64_t next_id_;
  std::string before_first_ = "\n";
};

}  // namespace kfdcts::harness
