#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/gpu/kfd.h"
#include "harness/gpu/topology.h"
#include "harness/gpu/unique_fd.h"

namespace kfdcts::gpu {

/// A GPU as one process uses it: its render node is open and its address space is KFD's.
/// Refers to the Kfd it was made with. A process gets one Gpu per GPU: KFD keeps the render file to
/// its end.
class Gpu {
 public:
  /// Opens the render node and acquires the VM. Throws GpuError.
  Gpu(Kfd& kfd, GpuNode node);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  Kfd& kfd() const { return kfd_; }
  const GpuNode& node() const { return node_; }
  std::uint32_t id() const { return node_.gpu_id; }
  int render_fd() const { return render_.get(); }

  /// The doorbell at `offset`, as CREATE_QUEUE returned it. Maps the process's doorbell pages at
  /// the first call.
  volatile std::uint64_t* Doorbell(std::uint64_t offset);

  /// Bytes of a process's doorbells on this GPU, which are mapped as a whole.
  std::uint64_t DoorbellBytes() const;

 private:
  Kfd& kfd_;
  GpuNode node_;
  UniqueFd render_;
  std::byte* doorbells_ = nullptr;
};

/// Opens /dev/dri/renderD<minor> of a GPU. Throws GpuError.
UniqueFd OpenRenderNode(const GpuNode& node);

}  // namespace kfdcts::gpu
