#include "harness/director/device_watch.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "harness/vm/guest_run.h"

namespace kfdcts::harness {
namespace {

bool HasDirector(const GpuNode& gpu) {
  const std::string path = vm::kGuestDirectorPrefix + std::to_string(gpu.ordinal);
  return access(path.c_str(), R_OK | W_OK) == 0;
}

void Take(const GpuNode& gpu, std::vector<DeviceWatch::Found>& found) {
  for (const DirectorFinding& finding : Director(gpu).Complaints(true, true)) {
    found.push_back({finding.kind, "gpu" + std::to_string(gpu.ordinal) + ": " + finding.Text()});
  }
}

}  // namespace

DeviceWatch::DeviceWatch(const std::vector<GpuNode>& gpus) {
  std::copy_if(gpus.begin(), gpus.end(), std::back_inserter(gpus_), HasDirector);
  for (const GpuNode& gpu : gpus_) Take(gpu, before_);
}

std::vector<DeviceWatch::Found> DeviceWatch::End() {
  std::vector<Found> found;
  for (const GpuNode& gpu : gpus_) Take(gpu, found);
  return found;
}

}  // namespace kfdcts::harness
