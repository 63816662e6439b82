#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "harness/vgpu/asic/chip.h"
#include "harness/vgpu/core/findings.h"
#include "harness/vgpu/core/host.h"
#include "harness/vgpu/engines/controls.h"
#include "harness/vgpu/engines/counters.h"
#include "harness/vgpu/engines/interrupt_gate.h"
#include "harness/vgpu/engines/queue_info.h"

namespace kfdcts::vgpu {

struct DeviceConfig {
  const Chip* chip = nullptr;  ///< Not owned; the chips are constants.
  std::uint64_t vram_bytes = 0;
  std::vector<std::byte>
      vbios;  ///< Read by the driver through ROM_INDEX/ROM_DATA and the option ROM.
};

/// The virtual GPU as an object: BARs and time go in, memory accesses and interrupts come out
/// through Host. It knows no emulator and starts no thread. All public functions are thread-safe
/// (one lock a device).
class Device {
 public:
  enum class Bar { kVram = 0, kDoorbell = 2, kRegisters = 5 };
  static constexpr std::uint64_t kDoorbellBytes = 2 * 1024 * 1024;

  /// What Step found: `progress` says call again at once; else nothing can happen before `wake_ns`
  /// (Host::NowNs time; UINT64_MAX: not before the next BAR write).
  struct StepResult {
    bool progress;
    std::uint64_t wake_ns;
  };

  Device(DeviceConfig config, Host& host);
  ~Device();

  /// Guest accesses of 1, 2, 4 or 8 bytes. Outside the BAR: reads give all ones, writes are
  /// dropped, both counted.
  void Read(Bar bar, std::uint64_t offset, std::span<std::byte> out);
  void Write(Bar bar, std::uint64_t offset, std::span<const std::byte> data);

  /// Runs at most one packet of one queue. The transport's engine thread calls it in a loop, a unit
  /// test by hand.
  StepResult Step();

  /// Called (with no lock held) when a BAR write may have made a queue runnable.
  void SetWakeup(std::function<void()> wakeup);

  /// Function-level or hot reset: registers, queues and TLBs as after power-on; VRAM is kept.
  void Reset();

  /// Runs `work` under the device's lock: for the transport while it changes DMA mappings.
  void Locked(const std::function<void()>& work);

  std::uint64_t vram_bytes() const;
  int vram_fd() const;
  std::span<const std::byte> vbios() const;

  /// Does what a test asks for. Returns an error (an engine that does not exist), empty where there
  /// is none.
  std::string Control(const ControlCommand& command);

  /// What the device did since it was made.
  Counters Snapshot() const;

  /// Every queue that is loaded now.
  std::vector<QueueInfo> Queues() const;

  /// What the sanitizer found since it was cleared last.
  struct Complaints {
    std::vector<Finding> findings;
    std::uint64_t beyond = 0;  ///< So many more of other processes and queues.
  };
  Complaints ListComplaints(bool clear);

  /// What commands keep back.
  struct HeldInterrupts {
    std::vector<InterruptGate::Held> interrupts, faults;
  };
  HeldInterrupts Held() const;

  /// Counters, orders in force and everything that Diagnostics saw, as text.
  void Report(std::ostream& out) const;

  /// Writes a line for each register access to `log` (see RegisterFile::Trace); null ends it.
  void TraceRegisters(std::ostream* log);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kfdcts::vgpu
