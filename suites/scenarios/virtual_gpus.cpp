#include "suites/scenarios/virtual_gpus.h"

namespace kfdcts::suites {

void VirtualGpus::Hold(const harness::GpuNode& gpu, const std::string& what) {
  auto& director = directors_[gpu.ordinal];
  if (!director) director = std::make_unique<harness::Director>(gpu);
  holds_.emplace(std::pair(gpu.ordinal, what),
                 what == "interrupts" ? director->HoldInterrupts() : director->HoldEngine(what));
}

void VirtualGpus::Release(const harness::GpuNode& gpu, const std::string& what) {
  const auto hold = holds_.find({gpu.ordinal, what});
  if (hold == holds_.end()) return;
  hold->second.Release();
  holds_.erase(hold);
}

}  // namespace kfdcts::suites
