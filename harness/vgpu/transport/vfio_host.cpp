#include "harness/vgpu/transport/vfio_host.h"

#include <chrono>

namespace kfdcts::vgpu {

std::uint64_t VfioHost::NowNs() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace kfdcts::vgpu
