#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/thunk/thunk.h"
#include "suites/support/memory.h"

namespace kfdcts::suites {

/// What one process gives to another.
struct SharedHandle {
  HsaSharedMemoryHandle words = {};
};

/// Kinds of memory that a process can share: the driver's own, not the process's pages.
inline constexpr KindCase kSharedKinds[] = {
    {"vram", MemoryKind::kVram},
    {"visible_vram", MemoryKind::kVisibleVram},
    {"gtt", MemoryKind::kGtt},
};

/// hsaKmtShareMemory of a whole object; throws ThunkFailure.
SharedHandle Share(const harness::ThunkApi& thunk, void* address, std::size_t size);

/// hsaKmtRegisterSharedHandle with nothing kept; for handles that must be refused. Deregisters what
/// it gets.
HSAKMT_STATUS TryImport(const harness::ThunkApi& thunk, const SharedHandle& handle);

/// Memory of hsaKmtRegisterSharedHandle or …ToNodes, deregistered in the end. Construction throws
/// ThunkFailure.
class Import {
 public:
  Import(const harness::ThunkApi& thunk, const SharedHandle& handle);
  Import(const harness::ThunkApi& thunk, const SharedHandle& handle, std::vector<HSAuint32> nodes);
  ~Import();
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;

  void* address() const { return address_; }
  std::size_t size() const { return size_; }
  void* At(std::size_t offset) const { return static_cast<std::byte*>(address_) + offset; }

  /// Deregisters it now; the destructor does not again.
  HSAKMT_STATUS Deregister();

 private:
  const harness::ThunkApi& thunk_;
  void* address_ = nullptr;
  HSAuint64 size_ = 0;
};

/// A dma-buf of hsaKmtExportDMABufHandle. Construction throws ThunkFailure.
class DmaBuf {
 public:
  DmaBuf(const harness::ThunkApi& thunk, void* address, std::size_t size);
  ~DmaBuf();
  DmaBuf(const DmaBuf&) = delete;
  DmaBuf& operator=(const DmaBuf&) = delete;

  int fd() const { return fd_; }
  HSAuint64 offset() const { return offset_; }  ///< Of the memory in it, bytes.

 private:
  int fd_ = -1;
  HSAuint64 offset_ = 0;
};

/// Memory seen by the CPU through its dma-buf, whether or not the thunk maps it for the CPU.
class CpuWindow {
 public:
  /// Throws ThunkFailure or std::system_error.
  CpuWindow(const harness::ThunkApi& thunk, void* address, std::size_t size);
  ~CpuWindow();
  CpuWindow(const CpuWindow&) = delete;
  CpuWindow& operator=(const CpuWindow&) = delete;

  std::span<volatile std::uint32_t> words() const {
    return {static_cast<volatile std::uint32_t*>(start_), size_ / sizeof(std::uint32_t)};
  }

 private:
  void* start_;
  std::size_t size_;
};

/// Words that differ from place to place and from `seed` to `seed`.
void WritePattern(std::span<volatile std::uint32_t> words, std::uint32_t seed);
/// How many words are not those of WritePattern().
std::size_t WrongWords(std::span<volatile std::uint32_t> words, std::uint32_t seed);

}  // namespace kfdcts::suites
