#include "harness/gpu/gpu.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <string>
#include <utility>

namespace kfdcts::gpu {

UniqueFd OpenRenderNode(const GpuNode& node) {
  const std::string path = "/dev/dri/renderD" + std::to_string(node.Property("drm_render_minor"));
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.valid()) throw GpuError(errno, "open " + path);
  return fd;
}

Gpu::Gpu(Kfd& kfd, GpuNode node)
    : kfd_(kfd), node_(std::move(node)), render_(OpenRenderNode(node_)) {
  kfd_ioctl_acquire_vm_args args{};
  args.drm_fd = static_cast<std::uint32_t>(render_.get());
  args.gpu_id = id();
  kfd_.Do(AMDKFD_IOC_ACQUIRE_VM, args, "ACQUIRE_VM");
}

Gpu::~Gpu() {
  if (doorbells_ != nullptr) munmap(doorbells_, DoorbellBytes());
}

std::uint64_t Gpu::DoorbellBytes() const {
  constexpr std::uint64_t kQueuesPerProcess = 1024;
  return kQueuesPerProcess * (node_.Property("gfx_target_version") >= 90000 ? 8 : 4);
}

volatile std::uint64_t* Gpu::Doorbell(std::uint64_t offset) {
  const std::uint64_t inside = offset & (DoorbellBytes() - 1);
  if (doorbells_ == nullptr) {
    void* map = mmap(nullptr, DoorbellBytes(), PROT_READ | PROT_WRITE, MAP_SHARED, kfd_.fd(),
                     static_cast<off_t>(offset - inside));
    if (map == MAP_FAILED) throw GpuError(errno, "mmap of the doorbells");
    doorbells_ = static_cast<std::byte*>(map);
  }
  return reinterpret_cast<volatile std::uint64_t*>(doorbells_ + inside);
}

}  // namespace kfdcts::gpu
