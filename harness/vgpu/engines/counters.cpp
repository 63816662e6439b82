#include "harness/vgpu/engines/counters.h"

namespace kfdcts::vgpu {

void Counters::CountPacket(std::string_view name) {
  auto it = packets.find(name);
  if (it == packets.end()) it = packets.emplace(name, 0).first;
  ++it->second;
}

std::ostream& operator<<(std::ostream& out, const Counters& counters) {
  out << "registers: " << counters.register_reads << " reads, " << counters.register_writes
      << " writes; doorbells: " << counters.doorbells << '\n';
  out << "interrupts: " << counters.interrupts << ", dropped " << counters.interrupts_dropped
      << "; faults: " << counters.faults << ", with retry " << counters.retry_faults
      << "; queue exceptions: " << counters.exceptions << '\n';
  out << "fences: " << counters.fences << "; copies: " << counters.copies << " of "
      << counters.bytes_copied << " bytes\n";
  out << "scheduler: " << counters.run_lists << " run lists, " << counters.unmaps << " unmaps, "
      << counters.preemptions << " preemptions; mapped now: " << counters.mapped_processes
      << " processes, " << counters.mapped_queues << " queues, " << counters.running_queues
      << " running\n";
  for (const auto& [name, count] : counters.packets)
    out << "packet " << name << ": " << count << '\n';
  return out;
}

}  // namespace kfdcts::vgpu
