#include "harness/vgpu/engines/controls.h"

namespace kfdcts::vgpu {

void Controls::Report(std::ostream& out) const {
  if (scheduler_hung) out << "hung: scheduler\n";
  for (const std::uint32_t doorbell : hung_doorbells) out << "hung: queue " << doorbell << '\n';
  if (cp_held) out << "held: cp\n";
  for (unsigned i = 0; i < 32; ++i) {
    if ((sdma_held >> i & 1) != 0) out << "held: sdma" << i << '\n';
  }
  if (interrupts_held) out << "held: interrupts\n";
  if (copies_held) out << "held: copies\n";
  if (faults_held) {
    out << "held: faults of pasid " << faults_pasid << " at 0x" << std::hex << faults_first
        << "...0x" << faults_last << std::dec << '\n';
  }
  if (interrupts_to_drop != 0) out << "to drop: " << interrupts_to_drop << " interrupts\n";
  if (copies_to_fail != 0) out << "to fail: " << copies_to_fail << " copies\n";
  if (copies_to_corrupt != 0) out << "to corrupt: " << copies_to_corrupt << " copies\n";
}

}  // namespace kfdcts::vgpu
