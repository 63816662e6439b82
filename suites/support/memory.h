#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/thunk/thunk.h"

namespace kfdcts::suites {

/// Bytes of a CPU page.
std::size_t PageSize();

/// Kinds of memory that hsaKmtAllocMemory makes.
enum class MemoryKind {
  kVram,         ///< On the GPU, out of the CPU's reach.
  kVisibleVram,  ///< On the GPU, mapped for the CPU.
  kGtt,          ///< System memory that the driver allocates.
  kSystem,       ///< System memory of the process, paged.
};

/// A parameter of KFD_TEST_CASES: every kind.
struct KindCase {
  std::string_view name;
  MemoryKind kind;
};
inline constexpr KindCase kEveryKind[] = {
    {"vram", MemoryKind::kVram},
    {"visible_vram", MemoryKind::kVisibleVram},
    {"gtt", MemoryKind::kGtt},
    {"system", MemoryKind::kSystem},
};

/// The flags that ask for a kind.
HsaMemFlags FlagsFor(MemoryKind kind);

/// Whether the memory is on the GPU's node rather than on the CPU's.
bool IsOnGpu(MemoryKind kind);

/// Memory of hsaKmtAllocMemory. Unmaps and frees it in the end. Construction throws ThunkFailure.
class Allocation {
 public:
  Allocation(const harness::ThunkApi& thunk, HSAuint32 node, std::size_t size, HsaMemFlags flags);
  ~Allocation();
  Allocation(Allocation&& other) noexcept;
  Allocation& operator=(Allocation&&) = delete;

  void* address() const { return address_; }
  std::size_t size() const { return size_; }
  /// An address `offset` bytes behind the start; negative, or past the end, too.
  void* At(std::ptrdiff_t offset) const;

  /// Frees it now. Throws ThunkFailure.
  void Free();

 private:
  const harness::ThunkApi& thunk_;
  void* address_ = nullptr;
  std::size_t size_;
};

/// Whole pages of the process's own memory, private and anonymous. Throws std::system_error.
class HostPages {
 public:
  explicit HostPages(std::size_t pages);
  ~HostPages();
  HostPages(const HostPages&) = delete;
  HostPages& operator=(const HostPages&) = delete;

  void* At(std::size_t offset = 0) const;
  std::size_t size() const { return size_; }

 private:
  void* start_;
  std::size_t size_;
};

/// One registration of user memory, undone in the end. Construction throws ThunkFailure.
class Registration {
 public:
  /// For every GPU.
  Registration(const harness::ThunkApi& thunk, void* address, std::size_t size);
  /// For some nodes.
  Registration(const harness::ThunkApi& thunk, void* address, std::size_t size,
               std::vector<HSAuint32> nodes);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  /// Undoes it now; the destructor does not again.
  HSAKMT_STATUS Deregister();

 private:
  const harness::ThunkApi& thunk_;
  void* address_;
  bool registered_ = false;
};

/// Deregisters whatever is left at a user pointer, by its address for the GPU too: the way out
/// where the thunk cannot tell registrations of one pointer apart (BUG-13).
void ForgetUserPointer(const harness::ThunkApi& thunk, void* address);

/// hsaKmtMapMemoryToGPUNodes; throws ThunkFailure.
void MapToNodes(const harness::ThunkApi& thunk, void* address, std::size_t size,
                std::vector<HSAuint32> nodes);

}  // namespace kfdcts::suites
