#include "suites/support/shared_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "suites/support/status.h"

namespace kfdcts::suites {
namespace {

constexpr std::uint32_t kStride = 0x9e3779b1;

}  // namespace

SharedHandle Share(const harness::ThunkApi& thunk, void* address, std::size_t size) {
  SharedHandle handle;
  Check("hsaKmtShareMemory", thunk.hsaKmtShareMemory(address, size, &handle.words));
  return handle;
}

HSAKMT_STATUS TryImport(const harness::ThunkApi& thunk, const SharedHandle& handle) {
  void* address = nullptr;
  HSAuint64 size = 0;
  const HSAKMT_STATUS status = thunk.hsaKmtRegisterSharedHandle(&handle.words, &address, &size);
  if (status == HSAKMT_STATUS_SUCCESS) thunk.hsaKmtDeregisterMemory(address);
  return status;
}

Import::Import(const harness::ThunkApi& thunk, const SharedHandle& handle) : thunk_(thunk) {
  Check("hsaKmtRegisterSharedHandle",
        thunk.hsaKmtRegisterSharedHandle(&handle.words, &address_, &size_));
}

Import::Import(const harness::ThunkApi& thunk, const SharedHandle& handle,
               std::vector<HSAuint32> nodes)
    : thunk_(thunk) {
  Check("hsaKmtRegisterSharedHandleToNodes",
        thunk.hsaKmtRegisterSharedHandleToNodes(&handle.words, &address_, &size_, nodes.size(),
                                                nodes.data()));
}

Import::~Import() {
  if (address_ == nullptr) return;
  thunk_.hsaKmtUnmapMemoryToGPU(address_);  // fails where nothing is mapped
  Deregister();
}

HSAKMT_STATUS Import::Deregister() {
  return thunk_.hsaKmtDeregisterMemory(std::exchange(address_, nullptr));
}

DmaBuf::DmaBuf(const harness::ThunkApi& thunk, void* address, std::size_t size) {
  Check("hsaKmtExportDMABufHandle", thunk.hsaKmtExportDMABufHandle(address, size, &fd_, &offset_));
}

DmaBuf::~DmaBuf() { close(fd_); }

CpuWindow::CpuWindow(const harness::ThunkApi& thunk, void* address, std::size_t size)
    : size_(size) {
  const DmaBuf buffer(thunk, address, size);
  start_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, buffer.fd(),
                static_cast<off_t>(buffer.offset()));
  if (start_ == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "mmap of a dma-buf");
  }
}

CpuWindow::~CpuWindow() { munmap(start_, size_); }

void WritePattern(std::span<volatile std::uint32_t> words, std::uint32_t seed) {
  std::uint32_t value = seed;
  for (volatile std::uint32_t& word : words) word = value += kStride;
}

std::size_t WrongWords(std::span<volatile std::uint32_t> words, std::uint32_t seed) {
  std::size_t wrong = 0;
  std::uint32_t value = seed;
  for (volatile std::uint32_t& word : words) wrong += word != (value += kStride);
  return wrong;
}

}  // namespace kfdcts::suites
