#include "harness/work/thunk_memory.h"

#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string>

namespace kfdcts::harness {
namespace {

std::size_t RoundToPages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

void RequireSuccess(HSAKMT_STATUS status, std::string_view call) {
  if (status == HSAKMT_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(call) + " gives status " + std::to_string(status));
}

ThunkMemory::ThunkMemory(const ThunkApi& thunk, const GpuNode& gpu, std::size_t bytes)
    : thunk_(thunk), bytes_(RoundToPages(bytes)) {
  HsaMemFlags flags{};
  flags.ui32.NonPaged = 1;
  flags.ui32.HostAccess = 1;
  flags.ui32.ExecuteAccess = 1;
  flags.ui32.NoNUMABind = 1;
  RequireSuccess(thunk.hsaKmtAllocMemory(0, bytes_, flags, &start_),
                 "hsaKmtAllocMemory of a queue's memory");
  HSAuint32 node = gpu.node_id;
  HSAuint64 alternate = 0;
  const HSAKMT_STATUS mapped =
      thunk.hsaKmtMapMemoryToGPUNodes(start_, bytes_, &alternate, HsaMemMapFlags{}, 1, &node);
  if (mapped != HSAKMT_STATUS_SUCCESS) thunk.hsaKmtFreeMemory(start_, bytes_);
  RequireSuccess(mapped, "hsaKmtMapMemoryToGPUNodes of a queue's memory");
  std::memset(start_, 0, bytes_);
}

ThunkMemory::~ThunkMemory() {
  thunk_.hsaKmtUnmapMemoryToGPU(start_);
  thunk_.hsaKmtFreeMemory(start_, bytes_);
}

}  // namespace kfdcts::harness
