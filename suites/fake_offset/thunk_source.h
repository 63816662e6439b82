#pragma once

#include <map>

#include "suites/fake_offset/offset_source.h"
#include "suites/support/memory.h"

namespace kfdcts::suites {

/// The dma-buf of the thunk's memory. Throws ThunkFailure, or harness::CapabilityMissing where the
/// kernel's KFD has no such call.
UniqueFd ExportMemory(const harness::ThunkApi& thunk, const Allocation& memory);

/// Memory of hsaKmtAllocMemory; its handle of a file comes by hsaKmtExportDMABufHandle. The thunk's
/// own reference goes with the handle.
class ThunkSource : public OffsetSource {
 public:
  /// Throws harness::CapabilityMissing for a thunk that cannot export. `thunk` must outlive it.
  ThunkSource(DrmNodes nodes, const harness::ThunkApi& thunk, HSAuint32 gpu_node, MemoryKind kind);

  const std::string& path() const override { return nodes_.render; }
  const std::string& other_path() const override { return nodes_.card; }
  std::uint32_t Create(int fd, std::uint64_t bytes) override;
  int Ask(int fd, std::uint32_t handle, std::uint64_t* offset) override {
    return AskAmdgpu(fd, handle, offset);
  }
  bool TakesPartialPages() const override { return false; }
  bool WorksAfterFork() const override { return false; }
  int Close(int fd, std::uint32_t handle) override;

 private:
  DrmNodes nodes_;
  const harness::ThunkApi& thunk_;
  HSAuint32 node_;
  MemoryKind kind_;
  std::map<std::uint32_t, Allocation> memory_;  ///< By GEM handle.
};

}  // namespace kfdcts::suites
