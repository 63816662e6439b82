#pragma once

#include <cstdint>
#include <optional>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/fault/fault.h"
#include "thunk/src/kernel/kfd.h"
#include "thunk/src/memory/memory_object.h"
#include "thunk/src/memory/range_index.h"

/// Faults that take more than a condition where they strike. In the library that users get each of
/// these answers what it is given.
namespace kfdcts::thunk::fault {

#ifdef KFDCTS_THUNK_FAULTS

/// In place of TypeOf().
std::optional<HSA_POINTER_TYPE> WrongType(const MemoryObject& object);
/// Spoils what a query about `asked` filled in.
void SpoilAnswer(const MemoryObject& object, std::uint64_t asked, HsaPointerInfo& info);
/// What a query answers where nothing holds `asked`.
HSAKMT_STATUS NotFound(HSAKMT_STATUS status, std::uint64_t asked, HsaPointerInfo& info,
                       const Kfd& kfd);
/// What holds `asked`, where the look-up came to `found`; `objects` as in Books.
MemoryObject* Holder(MemoryObject* found, const RangeIndex& objects, std::uint64_t asked);
/// The object whose user data is set at `asked`, where the look-up came to `found`.
MemoryObject* ToSet(MemoryObject* found, const RangeIndex& objects, std::uint64_t asked,
                    void* user_data);
/// What setting `wanted` stores.
void* StoredUserData(const MemoryObject& object, void* wanted);
/// A range that the fault, where it is on, makes queries find.
void Note(Fault fault, std::uint64_t start, std::uint64_t size);
/// An object is made; one is no longer to be found.
void Begins(MemoryObject& object);
void Ends(const MemoryObject& object);
/// An ioctl that nobody needs, where the fault is on.
void AskKernel(Fault fault, const Kfd& kfd);

#else

constexpr std::optional<HSA_POINTER_TYPE> WrongType(const MemoryObject& /*object*/) {
  return std::nullopt;
}
constexpr void SpoilAnswer(const MemoryObject& /*object*/, std::uint64_t /*asked*/,
                           HsaPointerInfo& /*info*/) {}
constexpr HSAKMT_STATUS NotFound(HSAKMT_STATUS status, std::uint64_t /*asked*/,
                                 HsaPointerInfo& /*info*/, const Kfd& /*kfd*/) {
  return status;
}
constexpr MemoryObject* Holder(MemoryObject* found, const RangeIndex& /*objects*/,
                               std::uint64_t /*asked*/) {
  return found;
}
constexpr MemoryObject* ToSet(MemoryObject* found, const RangeIndex& /*objects*/,
                              std::uint64_t /*asked*/, void* /*user_data*/) {
  return found;
}
constexpr void* StoredUserData(const MemoryObject& /*object*/, void* wanted) { return wanted; }
constexpr void Note(Fault /*fault*/, std::uint64_t /*start*/, std::uint64_t /*size*/) {}
constexpr void Begins(MemoryObject& /*object*/) {}
constexpr void Ends(const MemoryObject& /*object*/) {}
constexpr void AskKernel(Fault /*fault*/, const Kfd& /*kfd*/) {}

#endif

}  // namespace kfdcts::thunk::fault
