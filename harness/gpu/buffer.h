#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/gpu/gpu.h"
#include "harness/gpu/memory.h"

namespace kfdcts::gpu {

enum class BufferKind {
  kVram,         ///< Mapped by the CPU too; needs a large BAR.
  kVramPrivate,  ///< GPU only.
  kGtt,          ///< System memory of the driver's, mapped by the CPU too.
  kUserptr,      ///< Anonymous memory of this process, registered.
};

const char* Name(BufferKind kind);

/// KFD_IOC_ALLOC_MEM_FLAGS_* of a writable, executable buffer of this kind.
std::uint32_t AllocFlags(BufferKind kind);

/// Memory of one GPU, at the same address for GPU and CPU. The GPU is mapped from the start; the
/// destructor unmaps from all GPUs and frees, and says so on standard error where the kernel
/// refuses. Refers to its Gpu objects.
class Buffer {
 public:
  /// Throws GpuError. `extra_flags` are or-ed to AllocFlags(kind).
  Buffer(Gpu& gpu, BufferKind kind, std::uint64_t bytes, std::uint32_t extra_flags = 0);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();

  BufferKind kind() const { return kind_; }
  std::uint64_t address() const { return memory_.address(); }
  std::uint64_t bytes() const { return memory_.bytes(); }
  std::uint64_t handle() const { return handle_; }
  std::uint64_t mmap_offset() const {
    return mmap_offset_;
  }  ///< For the render node; 0 for a user pointer.

  /// Only where the CPU has it mapped, i.e. not for kVramPrivate.
  std::byte* data() const { return memory_.data(); }
  template <class T>
  T* as() const {
    return memory_.as<T>();
  }
  std::span<std::byte> span() const { return memory_.span(); }

  /// Maps to or unmaps from one GPU: 0 or the errno.
  int Map(Gpu& gpu);
  int Unmap(Gpu& gpu);

  /// Frees the GPU memory before the destructor does: 0 or the errno. The address range stays
  /// reserved.
  int Free();

  /// Leaves GPU memory and mapping to the process's end, for what the kernel does not let go
  /// before.
  void Abandon();

 private:
  void MapForCpu();
  void Release();

  Gpu* gpu_;
  BufferKind kind_;
  HostMemory memory_;
  std::uint64_t handle_ = 0;
  std::uint64_t mmap_offset_ = 0;
  std::vector<Gpu*> mapped_;
};

/// MAP_MEMORY_TO_GPU and UNMAP_MEMORY_FROM_GPU of any handle. `done` counts the GPUs that were. 0
/// or the errno.
int MapHandle(Kfd& kfd, std::uint64_t handle, std::span<const std::uint32_t> gpu_ids,
              std::uint32_t& done);
int UnmapHandle(Kfd& kfd, std::uint64_t handle, std::span<const std::uint32_t> gpu_ids,
                std::uint32_t& done);
int FreeHandle(Kfd& kfd, std::uint64_t handle);

}  // namespace kfdcts::gpu
