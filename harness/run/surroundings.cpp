#include "harness/run/surroundings.h"

#include <sys/utsname.h>

#include <exception>
#include <iomanip>
#include <sstream>

#include "harness/gpu/kfd.h"
#include "harness/gpu/topology.h"

namespace kfdcts::harness {
namespace {

/// "gfx900 1002:6863, node 1, gpu id 4660, 256 MiB of VRAM".
std::string Describe(const gpu::GpuNode& gpu) {
  const auto version = gpu.Property("gfx_target_version");  // major * 10000 + minor * 100 + step
  std::ostringstream text;
  text << "gfx" << version / 10000 << version / 100 % 100 << std::hex << version % 100 << ' '
       << std::setfill('0') << std::setw(4) << gpu.Property("vendor_id") << ':' << std::setw(4)
       << gpu.Property("device_id") << std::dec << ", node " << gpu.node << ", gpu id "
       << gpu.gpu_id << ", " << (gpu.vram_bytes >> 20U) << " MiB of VRAM";
  return text.str();
}

}  // namespace

Surroundings AskSurroundings() {
  Surroundings answer;
  utsname names{};
  if (uname(&names) == 0) answer.kernel_release = names.release;
  try {
    const auto version = gpu::Kfd().Version();
    answer.kfd_version =
        std::to_string(version.major_version) + "." + std::to_string(version.minor_version);
  } catch (const gpu::GpuError&) {
    // No KFD: the tests that need it will say so.
  }
  for (const auto& node : gpu::ReadTopology().gpus) answer.gpus.push_back(Describe(node));
  return answer;
}

}  // namespace kfdcts::harness
