#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/context/gpu.h"
#include "thunk/src/fault/fault.h"
#include "thunk/src/kernel/page.h"

namespace kfdcts::thunk {

/// Which part of the address space an object's addresses come from (PTR-12).
enum class Place : std::uint8_t {
  kNone,          ///< Nothing is reserved.
  kGpuvm,         ///< A GPU's own aperture, out of the CPU's reach.
  kHandle,        ///< Numbers that stand for memory without an address.
  kSvm,           ///< What CPU and GPUs share.
  kSvmAlternate,  ///< Its part for coherent memory; the same as kSvm where mmap chooses.
  kCpu,           ///< Memory of the process on an APU, which the GPU sees as it is.
};

/// The list of GPUs that something was done to, and the array of node ids that a query gives out:
/// made at the first query after a change, freed at the next change (PTR-14, PTR-15).
class GpuList {
 public:
  GpuList() = default;
  ~GpuList();
  GpuList(const GpuList&) = delete;
  GpuList& operator=(const GpuList&) = delete;

  const std::vector<const Gpu*>& gpus() const { return gpus_; }
  bool Contains(const Gpu* gpu) const;
  /// Takes a new list; does not throw.
  void Assign(std::vector<const Gpu*>&& gpus) noexcept;

  /// Null until MakeArray() and where the list is empty.
  const HSAuint32* array() const { return array_; }
  bool needs_array() const {
    return (array_ == nullptr || Broken(Fault::kArraysRebuilt)) && !gpus_.empty();
  }
  /// False where there is no memory for it (PTR-16).
  bool MakeArray();

 private:
  HSAuint32* array_ = nullptr;
  std::vector<const Gpu*> gpus_;
};

/// One thing that an address can belong to. What a query reads comes first and together.
struct alignas(64) MemoryObject {
  std::uint64_t start = 0;         ///< For the GPU; for kHandle just a number.
  std::uint64_t size = 0;          ///< Bytes there.
  std::uint64_t user_address = 0;  ///< A user pointer's own, exact.
  std::uint64_t user_size = 0;     ///< A user pointer's own, exact.
  std::atomic<void*> user_data{nullptr};
  HsaMemFlags flags{};
  HSAuint32 node = 0;
  // The traits that its type follows from.
  bool is_imported = false;      ///< Shared by another process.
  bool is_graphics = false;      ///< A registered dma-buf.
  bool is_user_pointer = false;  ///< Registered memory of the process.
  bool has_memory = false;       ///< More than an address.
  Place place = Place::kNone;
  GpuList registered;
  GpuList mapped;

  // What it holds and must give back.
  std::vector<std::uint64_t> handles;  ///< The kernel's, of consecutive pieces.
  unsigned registrations = 0;          ///< Of a user pointer: deregistrations it takes.
  unsigned mappings = 0;               ///< Of a user pointer: unmappings it takes.
  int exported_fd = -1;                ///< The dma-buf that other processes take, once shared.
  std::string metadata;                ///< A graphics buffer's; callers get its address.

  std::uint64_t end() const { return start + size; }
};

/// PTR-9: the first trait of one list of priorities.
HSA_POINTER_TYPE TypeOf(const MemoryObject& object);

/// Writes every field of `info` (PTR-1, PTR-5, PTR-10, PTR-18); the arrays as far as they are made.
void FillPointerInfo(const MemoryObject& object, HsaPointerInfo& info);

}  // namespace kfdcts::thunk
