#pragma once

#include "harness/vgpu/asic/chip.h"
#include "harness/vgpu/core/diagnostics.h"
#include "harness/vgpu/core/host.h"
#include "harness/vgpu/core/register_file.h"
#include "harness/vgpu/engines/controls.h"
#include "harness/vgpu/engines/counters.h"
#include "harness/vgpu/engines/interrupt_gate.h"
#include "harness/vgpu/memory/gpu_memory.h"

namespace kfdcts::vgpu {

/// What every engine works with. All of it belongs to the device and lives as long as the engines.
struct Services {
  const Chip& chip;
  RegisterFile& registers;
  GpuMemory& memory;
  InterruptGate& interrupts;
  Host& host;
  Diagnostics& diagnostics;
  Controls& controls;
  Counters& counters;

  /// The GPU's clock of 100 MHz.
  std::uint64_t ClockCount() const { return host.NowNs() / 10; }
};

}  // namespace kfdcts::vgpu
