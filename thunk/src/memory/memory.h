#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/context/gpu.h"
#include "thunk/src/context/options.h"
#include "thunk/src/kernel/kfd.h"

namespace kfdcts::thunk {

struct MemoryObject;

/// A caller's list of node ids; nullopt where the call has none and its default applies.
using NodeList = std::optional<std::span<const HSAuint32>>;

/// The memory of one context: allocations, registrations, imports and reservations, and what
/// stands behind an address (rules PTR-*, USR-*). Functions answer as the API call of their name;
/// output pointers are never null (the API layer has looked). Any thread may call any function.
class Memory {
 public:
  /// `gpus` outlives this and does not change. `primary`: user pointers and the SVM are the
  /// primary context's alone. Makes no system call.
  Memory(const Kfd& kfd, std::span<const Gpu> gpus, const Options& options, bool primary);
  /// Gives everything back to the kernel.
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Apertures and the memory policy of each GPU. Once, before all else.
  HSAKMT_STATUS Open();

  HSAKMT_STATUS Allocate(HSAuint32 node, HSAuint64 size, HSAuint64 alignment, HsaMemFlags flags,
                         void** address);
  HSAKMT_STATUS Free(void* address, HSAuint64 size);
  HSAKMT_STATUS Available(HSAuint32 node, HSAuint64* bytes);

  HSAKMT_STATUS Register(void* address, HSAuint64 size, NodeList nodes, HsaMemFlags flags);
  HSAKMT_STATUS Deregister(void* address);
  HSAKMT_STATUS RegisterGraphics(HSAuint64 dmabuf, HsaGraphicsResourceInfo* info, NodeList nodes,
                                 HSA_REGISTER_MEM_FLAGS flags);
  HSAKMT_STATUS ExportDmabuf(void* address, HSAuint64 size, int* dmabuf, HSAuint64* offset);
  HSAKMT_STATUS Share(void* address, HSAuint64 size, HsaSharedMemoryHandle* handle);
  HSAKMT_STATUS RegisterShared(const HsaSharedMemoryHandle* handle, void** address, HSAuint64* size,
                               NodeList nodes);

  HSAKMT_STATUS Map(void* address, HSAuint64 size, NodeList nodes, HSAuint64* gpu_address);
  HSAKMT_STATUS Unmap(void* address);

  /// PTR-1…26; no system call. `info` is written wholly also where the address is unknown.
  HSAKMT_STATUS Query(const void* address, HsaPointerInfo* info);
  HSAKMT_STATUS SetUserData(const void* address, void* user_data);

  HSAKMT_STATUS SetPolicy(HSAuint32 node, HSAuint32 default_policy, HSAuint32 alternate_policy,
                          void* alternate_base, HSAuint64 alternate_size);

  /// Objects that a caller made and has not given back.
  std::uint64_t ObjectCount() const;

  /// The apertures that a GPU node's properties list as banks besides sysfs' own; filled by Open().
  Aperture SvmAperture() const;

  /// What an internal allocation is made of.
  enum class InternalKind {
    kUncachedSystem,  ///< GTT that the CPU reaches, past the caches: what GPU and CPU exchange.
    kSignals,         ///< The same, mapped on every GPU: each signals events.
    kSystem,          ///< GTT that the CPU reaches.
    kVram,            ///< Out of the CPU's reach.
    kDoorbells,       ///< The process's slice of doorbells, whose size the kernel checks.
  };

  /// An allocation for queues and events: mapped on its GPU, at a page's start, not an object of
  /// the API's, in no query's answer.
  struct Internal {
    void* address = nullptr;
    std::uint64_t handle = 0;  ///< The kernel's, for CREATE_EVENT's event page.
    std::size_t size = 0;
    MemoryObject* object = nullptr;  ///< Memory's own note of it.
  };
  /// `node` must be a GPU's, `size` is rounded up to pages. INVALID_NODE_UNIT, or what the failed
  /// system call says; `memory` is then not touched. `doorbell_offset`: where /dev/kfd maps the
  /// slice of kDoorbells, as CREATE_QUEUE says.
  HSAKMT_STATUS AllocateInternal(HSAuint32 node, std::size_t size, InternalKind kind,
                                 Internal& memory, std::uint64_t doorbell_offset = 0);
  void FreeInternal(Internal& memory);

  /// Gives back all that callers made; internal allocations stay.
  void ReleaseObjects();

  /// Around fork(): no query, which takes no lock of the context's, is half done when the child's
  /// memory is copied.
  void LockForFork();
  void UnlockAfterFork();
  void UnlockInChild();

  /// In a forked child, where no call was under way at the fork: the kernel's side belongs to the
  /// parent, so only the books are given up and no ioctl is made, then or by the destructor. What
  /// the child inherited stays mapped: it may go on using the parent's system memory (BUG-17).
  void AbandonInChild();

 private:
  class Books;
  std::unique_ptr<Books> books_;
};

}  // namespace kfdcts::thunk
