#include "harness/test_support/xnack_mode.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "harness/gpu/kfd.h"

namespace kfdcts::harness {
namespace {

constexpr const char* kOnName = "xnack-on";
constexpr const char* kOffName = "xnack-off";

bool AllSwitch(std::span<const GpuNode> gpus) {
  return std::all_of(gpus.begin(), gpus.end(), [](const GpuNode& gpu) {
    return HasXnackPerProcess(gpu.facts.Property("gfx_target_version"));
  });
}

/// 0, or why the kernel will not have it. Throws GpuError where it cannot say: there are queues.
int Set(const gpu::Kfd& kfd, int mode) {
  const int error = kfd.SetXnackMode(mode);
  if (error == EBUSY) throw gpu::GpuError(error, "SET_XNACK_MODE");
  return error;
}

}  // namespace

bool HasXnackPerProcess(std::uint64_t gfx_target_version) {
  // gfx90a, gfx940 to gfx942, gfx950 as major * 10000 + minor * 100 + step.
  constexpr std::array<std::uint64_t, 5> kSwitching = {90010, 90400, 90401, 90402, 90500};
  return std::find(kSwitching.begin(), kSwitching.end(), gfx_target_version) != kSwitching.end();
}

XnackMode::XnackMode(Xnack wanted, std::span<const GpuNode> gpus) {
  const char* name = wanted == Xnack::kOn ? kOnName : kOffName;
  const gpu::Kfd kfd;
  const int mode = kfd.XnackMode();
  if (mode < 0) throw CapabilityMissing(name, "the kernel has no XNACK mode (no KFD SVM)");
  before_ = mode;
  if (wanted == Xnack::kOn) {
    const int error = Set(kfd, 1);
    if (error == 0) return;
    throw CapabilityMissing(
        name, "no retry here: mode 1 is refused, " + std::system_category().message(error));
  }
  if (AllSwitch(gpus)) {
    gpu::Require(Set(kfd, 0), "SET_XNACK_MODE 0");
    return;
  }
  if (Set(kfd, 1) != 0) return;  // the driver was loaded without retry
  Restore();
  throw CapabilityMissing(
      name, "the GPUs retry whatever the process's mode is: amdgpu was loaded so (noretry=0)");
}

XnackMode::~XnackMode() { Restore(); }

int XnackMode::Restore() {
  if (!before_) return 0;
  const int mode = *before_;
  before_.reset();
  try {
    const gpu::Kfd kfd;
    return kfd.XnackMode() == mode ? 0 : kfd.SetXnackMode(mode);
  } catch (const gpu::GpuError& error) {
    return error.code().value();
  }
}

}  // namespace kfdcts::harness
