#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "thunk/src/context/sharded_lock.h"
#include "thunk/src/memory/address_space.h"
#include "thunk/src/memory/memory.h"
#include "thunk/src/memory/memory_object.h"
#include "thunk/src/memory/pool.h"
#include "thunk/src/memory/range_index.h"

namespace kfdcts::thunk {

using Gpus = std::vector<const Gpu*>;

/// A GPU's scratch memory: addresses from the first, memory where it is mapped. No object of it is
/// found by a query (PTR-4).
struct ScratchArea {
  struct Piece {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::uint64_t handle = 0;
    bool mapped = false;
  };

  const Gpu* gpu = nullptr;
  Place place = Place::kNone;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::vector<Piece> pieces;

  bool Contains(std::uint64_t one) const { return one >= address && one - address < size; }
};

/// What a Memory knows. A call that changes anything holds `operations` from the first to the last
/// system call, so that no two see each other half done; what a query reads changes only with
/// `lock` held for writing as well, which is never held over a system call.
class Memory::Books {
 public:
  Books(const Kfd& kfd, std::span<const Gpu> gpus, const Options& options, bool primary);
  ~Books();

  SystemCalls& calls() const { return kfd.calls(); }
  /// Plain memory of the process is registered through the kernel's SVM.
  bool svm_in_use() const;
  /// Null where the node is no GPU.
  const Gpu* FindGpuById(std::uint32_t gpu_id) const;
  /// An empty list where there is none. INVALID_NODE_UNIT: a node that is no GPU.
  HSAKMT_STATUS Resolve(NodeList nodes, Gpus& resolved) const;
  Gpus AllGpus() const;
  /// Whose buffers of system memory are: the first that shares addresses with the process.
  const Gpu& FirstGpu() const;

  /// What holds the address (PTR-11, PTR-12).
  MemoryObject* FindHolder(std::uint64_t address) const;
  /// What starts there: a user pointer by its exact address, and size if not 0; null where several
  /// sizes would do. Anything else by any address in its first page.
  MemoryObject* FindAt(std::uint64_t address, std::uint64_t size) const;
  /// As FindAt, but where several user pointers start there the one to deregister or unmap next.
  MemoryObject* FindAny(std::uint64_t address, bool mapped) const;
  ScratchArea* FindScratch(std::uint64_t address);

  /// Takes back from the kernel and the address space what an object holds.
  struct GiveBack {
    Books* books;
    void operator()(MemoryObject* object) const noexcept;
  };
  /// An object that no query finds; when it goes, so goes what it holds.
  using Owned = std::unique_ptr<MemoryObject, GiveBack>;

  /// `operations` is held, also when the object goes.
  Owned New();
  /// Reserves the object's addresses.
  int Reserve(MemoryObject& object, const AddressSpace::Request& request);
  /// ALLOC_MEMORY_OF_GPU over all of the object; `offset` is the address of user memory going in
  /// and the first piece's mmap offset coming out.
  int AllocateMemory(MemoryObject& object, const Gpu& gpu, std::uint32_t flags,
                     std::uint64_t& offset);
  /// Maps device memory over [address, address + size), which no child inherits (BUG-18).
  int MapForCpu(std::uint64_t address, std::uint64_t size, int protection, int fd,
                std::uint64_t offset);
  /// Frees what the kernel holds; on failure the rest stays. 0 or -errno.
  int FreeHandles(MemoryObject& object);
  /// From here on queries find it.
  MemoryObject& Publish(Owned object);
  /// From here on they do not.
  Owned Withdraw(MemoryObject& object);
  /// Unmaps the object where it is mapped, frees and withdraws it; on failure it stays.
  HSAKMT_STATUS Remove(MemoryObject& object);

  /// Maps on GPUs where it is not mapped yet; all or none. 0 or -errno.
  int MapOn(MemoryObject& object, const Gpus& gpus);
  /// Unmaps where it is mapped; on failure the rest stays mapped. 0 or -errno.
  int UnmapFrom(MemoryObject& object, const Gpus& gpus);

  HSAKMT_STATUS AllocateHost(const Gpu* gpu, HSAuint32 node, std::uint64_t size,
                             std::uint64_t alignment, HsaMemFlags flags, std::uint64_t fixed,
                             void** address);
  HSAKMT_STATUS AllocateCpu(std::uint64_t size, std::uint64_t alignment, HsaMemFlags flags,
                            std::uint64_t fixed, void** address);
  HSAKMT_STATUS AllocateDevice(const Gpu& gpu, std::uint64_t size, std::uint64_t alignment,
                               HsaMemFlags flags, std::uint64_t fixed, void** address);
  HSAKMT_STATUS ReserveOnly(std::uint64_t size, std::uint64_t alignment, HsaMemFlags flags,
                            std::uint64_t fixed, void** address);
  HSAKMT_STATUS AllocateScratch(const Gpu* gpu, std::uint64_t size, std::uint64_t fixed,
                                void** address);
  HSAKMT_STATUS MapScratch(ScratchArea& area, std::uint64_t address, std::uint64_t size);
  HSAKMT_STATUS UnmapScratch(ScratchArea& area, std::uint64_t address);
  HSAKMT_STATUS ReleaseScratch(ScratchArea& area);
  HSAKMT_STATUS RegisterUserPointer(std::uint64_t address, std::uint64_t size, Gpus nodes,
                                    HsaMemFlags flags);
  HSAKMT_STATUS RegisterBySvm(std::uint64_t address, std::uint64_t size, HsaMemFlags flags);
  HSAKMT_STATUS MapBySvm(std::uint64_t address, std::uint64_t size, const Gpus& gpus);
  HSAKMT_STATUS MapObject(MemoryObject& object, bool has_list, const Gpus& nodes);
  /// The other half of an import: reserves, imports and describes.
  int Import(MemoryObject& object, const kfd_ioctl_get_dmabuf_info_args& info, int dmabuf,
             const AddressSpace::Request& request);
  int Export(MemoryObject& object);

  void ReleaseAll() noexcept;
  void Abandon();

  const Kfd& kfd;
  std::span<const Gpu> gpus;
  Options options;
  bool primary;
  unsigned numa_nodes = 1;
  AddressSpace space;

  std::mutex operations;
  mutable ShardedLock lock;
  RangeIndex objects{&calls()};        ///< By address for the GPU; every object but those of kCpu.
  RangeIndex cpu_objects;              ///< Those of kCpu.
  RangeIndex user_pointers{&calls()};  ///< By the user's address; may overlap.
  std::vector<ScratchArea> scratch;

 private:
  int BindToNumaNode(std::uint64_t address, std::uint64_t size, HSAuint32 node, HsaMemFlags flags);
  int MapPlainMemory(std::uint64_t address, std::uint64_t size, int protection, int sharing);
  HSAKMT_STATUS AllocatePaged(Owned object, const Gpu& gpu, HSAuint32 node, std::uint32_t flags,
                              void** address);
  void Destroy(MemoryObject* object) noexcept;
  /// Unmaps and frees; false where the kernel refuses.
  bool ReturnHandles(MemoryObject& object) noexcept;
  void RetryRefused() noexcept;

  Pool<MemoryObject> pool_{&calls()};
  bool abandoned_ = false;
  /// Objects that are no more, but which the kernel would not take back; tried again in the end.
  std::vector<MemoryObject*> refused_;
};

}  // namespace kfdcts::thunk
