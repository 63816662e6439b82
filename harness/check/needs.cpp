#include "harness/check/needs.h"

#include <cerrno>
#include <vector>

#include "harness/gpu/pagemap.h"
#include "harness/gpu/svm.h"

namespace kfdcts::check {

std::string NeedsGpu(std::size_t ordinal) {
  if (ordinal < gpu::ReadTopology().gpus.size()) return "";
  return "machine has no GPU " + std::to_string(ordinal);
}

std::string NeedsSvm(gpu::Session& session) {
  return gpu::HasSvm(session.kfd()) ? "" : "kernel has no KFD SVM";
}

std::string NeedsXnack(gpu::Session& session) {
  if (auto missing = NeedsSvm(session); !missing.empty()) return missing;
  return session.kfd().SetXnackMode(1) == 0 ? "" : "XNACK cannot be switched on";
}

std::string NeedsPublicVram(const gpu::Gpu& gpu) {
  return gpu.node().vram_is_public ? "" : "GPU has no large BAR";
}

std::string NeedsNoSwap() { return gpu::SwapIsOff() ? "" : "swap is on"; }

std::string NeedsIoctl(const gpu::Kfd& kfd, unsigned long request, const char* name) {
  std::vector<std::byte> nothing(_IOC_SIZE(request));
  return gpu::Ioctl(kfd.fd(), request, nothing.data()) != ENOTTY
             ? ""
             : std::string("kernel has no ") + name;
}

std::string NeedsGfx9(const gpu::Gpu& gpu) {
  return gpu.node().Property("gfx_target_version") / 10000 == 9
             ? ""
             : "GPU is not of the GFX9 generation";
}

}  // namespace kfdcts::check
