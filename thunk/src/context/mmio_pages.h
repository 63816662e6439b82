#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "thunk/src/context/gpu.h"
#include "thunk/src/kernel/kfd.h"

namespace kfdcts::thunk {

/// The page of each GPU's registers that user space may write, to flush the host data path
/// (KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP). A node without one does without.
class MmioPages {
 public:
  explicit MmioPages(const Kfd& kfd) : kfd_(kfd) {}
  ~MmioPages();
  MmioPages(const MmioPages&) = delete;
  MmioPages& operator=(const MmioPages&) = delete;

  /// Once, after the GPUs' VMs were acquired. A GPU that refuses has none.
  void Map(std::span<const Gpu> gpus);
  /// Where a node's page is; limit 0: it has none.
  Aperture ApertureOf(std::uint32_t node_id) const;
  /// In a forked child: the pages are not in its address space.
  void AbandonInChild() { pages_.clear(); }

 private:
  struct Page {
    std::uint32_t node_id;
    std::uint32_t gpu_id;
    void* address;
    std::uint64_t handle;
  };

  bool Map(const Gpu& gpu, Page& page);
  void Unmap(const Page& page);

  const Kfd& kfd_;
  std::vector<Page> pages_;
};

}  // namespace kfdcts::thunk
