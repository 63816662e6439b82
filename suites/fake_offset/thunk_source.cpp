#include "suites/fake_offset/thunk_source.h"

#include "harness/capabilities/capability.h"
#include "suites/support/status.h"

namespace kfdcts::suites {

UniqueFd ExportMemory(const harness::ThunkApi& thunk, const Allocation& memory) {
  int fd = -1;
  HSAuint64 offset = 0;
  const HSAKMT_STATUS status =
      thunk.hsaKmtExportDMABufHandle(memory.address(), memory.size(), &fd, &offset);
  if (status == HSAKMT_STATUS_NOT_SUPPORTED) {
    throw harness::CapabilityMissing("dma-buf-export", "the kernel's KFD exports no dma-bufs");
  }
  Check("hsaKmtExportDMABufHandle", status);
  return UniqueFd(fd);
}

ThunkSource::ThunkSource(DrmNodes nodes, const harness::ThunkApi& thunk, HSAuint32 gpu_node,
                         MemoryKind kind)
    : nodes_(std::move(nodes)),
      thunk_(thunk),
      node_(IsOnGpu(kind) ? gpu_node : 0),  // the kernel lists CPUs first
      kind_(kind) {
  if (!thunk.hsaKmtExportDMABufHandle) {
    throw harness::CapabilityMissing("symbol:hsaKmtExportDMABufHandle",
                                     "the thunk under test does not export it");
  }
}

std::uint32_t ThunkSource::Create(int fd, std::uint64_t bytes) {
  Allocation memory(thunk_, node_, bytes, FlagsFor(kind_));
  const UniqueFd exported = ExportMemory(thunk_, memory);
  std::uint32_t handle = 0;
  if (const int error = Import(fd, exported.get(), &handle); error != 0) {
    throw std::system_error(error, std::generic_category(), "PRIME_FD_TO_HANDLE");
  }
  memory_.emplace(handle, std::move(memory));
  return handle;
}

int ThunkSource::Close(int fd, std::uint32_t handle) {
  const int error = CloseHandle(fd, handle);
  memory_.erase(handle);
  return error;
}

}  // namespace kfdcts::suites
