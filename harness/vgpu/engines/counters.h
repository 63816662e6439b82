#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <string_view>

namespace kfdcts::vgpu {

/// What the device did since power-on (a reset does not clear it). Device::Snapshot gives a copy.
struct Counters {
  /// By name, as "PM4 WRITE_DATA", "SDMA COPY", "AQL BARRIER_AND".
  std::map<std::string, std::uint64_t, std::less<>> packets;
  void CountPacket(std::string_view name);

  std::uint64_t copies = 0, bytes_copied = 0;  ///< SDMA copies and PM4 DMA_DATA.
  std::uint64_t fences = 0;                    ///< Fence packets that wrote.
  std::uint64_t interrupts = 0,
                interrupts_dropped = 0;  ///< Pushed; lost by command or by a full ring.
  std::uint64_t faults = 0,
                retry_faults = 0;  ///< VM faults without and with retry, each attempt one.
  std::uint64_t exceptions = 0;    ///< User queues stopped by a bad packet.
  std::uint64_t doorbells = 0, register_reads = 0, register_writes = 0;
  std::uint64_t run_lists = 0, unmaps = 0;  ///< Packets of the hardware scheduler.
  std::uint64_t preemptions = 0;            ///< Processes that gave up their VMID to another.
  unsigned mapped_processes = 0;            ///< Now in the run list.
  unsigned mapped_queues = 0;               ///< Now in the run list.
  unsigned running_queues = 0;              ///< Of those, the ones with a VMID now.
};

std::ostream& operator<<(std::ostream& out, const Counters& counters);

}  // namespace kfdcts::vgpu
