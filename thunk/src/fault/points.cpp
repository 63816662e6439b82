#include "thunk/src/fault/points.h"

#ifdef KFDCTS_THUNK_FAULTS

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace kfdcts::thunk::fault {
namespace {

/// Address ranges that are found although they are no objects.
class Ranges {
 public:
  void Add(std::uint64_t start, std::uint64_t size) {
    const std::lock_guard guard(mutex_);
    ranges_.push_back({start, size});
  }
  /// The size of the one that holds the address; 0 where there is none.
  std::uint64_t SizeAt(std::uint64_t address) const {
    const std::lock_guard guard(mutex_);
    const auto found = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& range) {
      return address - range.start < range.size;
    });
    return found == ranges_.end() ? 0 : found->size;
  }

 private:
  struct Range {
    std::uint64_t start;
    std::uint64_t size;
  };
  mutable std::mutex mutex_;
  std::vector<Range> ranges_;
};

Ranges& Noted() {
  static auto& ranges = *new Ranges;
  return ranges;
}

std::atomic<void*> common_user_data{nullptr};
std::atomic<void*> last_user_data{nullptr};

void* Pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

/// Answers are put together in a place that all threads share.
void Mix(HsaPointerInfo& info) {
  static HsaPointerInfo shared;
  shared = info;
  sched_yield();
  info = shared;
}

void SpoilAddresses(const MemoryObject& object, std::uint64_t asked, HsaPointerInfo& info) {
  const std::uint64_t start = info.GPUAddress;
  if (Broken(Fault::kSizeOfRest)) info.SizeInBytes = object.end() - asked;
  if (Broken(Fault::kGpuAddressAsked)) info.GPUAddress = asked;
  if (info.Type == HSA_POINTER_ALLOCATED && Broken(Fault::kCpuAddressAsked)) {
    info.CPUAddress = Pointer(asked);
  }
  const bool given =
      (info.Type == HSA_POINTER_REGISTERED_GRAPHICS && Broken(Fault::kGraphicsCpuAddress)) ||
      (info.Type == HSA_POINTER_REGISTERED_SHARED && Broken(Fault::kSharedCpuAddress)) ||
      (info.Type == HSA_POINTER_RESERVED_ADDR && Broken(Fault::kReservedCpuAddress));
  if (given) info.CPUAddress = Pointer(start);
}

void SpoilUserPointer(const MemoryObject& object, HsaPointerInfo& info) {
  const std::uint64_t offset = OffsetInPage(object.user_address);
  if (Broken(Fault::kSizeRounded)) info.SizeInBytes = RoundUpToPage(object.user_size);
  if (Broken(Fault::kUserAddressRounded)) info.CPUAddress = Pointer(object.user_address - offset);
  if (Broken(Fault::kUserGpuAddressRounded)) info.GPUAddress = object.start;
  if (Broken(Fault::kUserFlagsLost)) info.MemFlags.Value = 0;
}

void SpoilNodes(HsaPointerInfo& info) {
  if (Broken(Fault::kRegisteredNodesLost)) {
    info.NRegisteredNodes = 0;
    info.RegisteredNodes = nullptr;
  }
  if (Broken(Fault::kLastMappedNodeOnly) && info.NMappedNodes > 1) {
    info.MappedNodes = info.MappedNodes + info.NMappedNodes - 1;
    info.NMappedNodes = 1;
  }
}

bool LacksMetadata(const MemoryObject& object) {
  return object.metadata.find_first_not_of('\0') == std::string::npos;
}

bool InSvmAperture(const MemoryObject& object) {
  return object.place == Place::kSvm || object.place == Place::kSvmAlternate;
}

}  // namespace

std::optional<HSA_POINTER_TYPE> WrongType(const MemoryObject& object) {
  const bool plain = !object.is_imported && !object.is_graphics && !object.is_user_pointer;
  if ((object.is_imported && Broken(Fault::kSharedIsAllocated)) ||
      (object.is_graphics && LacksMetadata(object) && Broken(Fault::kGraphicsNeedsMetadata)) ||
      (object.is_user_pointer && Broken(Fault::kUserIsAllocated)) ||
      (plain && !object.has_memory && Broken(Fault::kReservedIsAllocated))) {
    return HSA_POINTER_ALLOCATED;
  }
  if (plain && object.has_memory && Broken(Fault::kAllocatedIsUser)) {
    return HSA_POINTER_REGISTERED_USER;
  }
  if (object.is_user_pointer && object.mapped.gpus().empty() &&
      Broken(Fault::kReservedBeforeUser)) {
    return HSA_POINTER_RESERVED_ADDR;
  }
  return std::nullopt;
}

void SpoilAnswer(const MemoryObject& object, std::uint64_t asked, HsaPointerInfo& info) {
  SpoilAddresses(object, asked, info);
  if (object.is_user_pointer) SpoilUserPointer(object, info);
  SpoilNodes(info);
  if (Broken(Fault::kNodeZero)) info.Node = 0;
  if (Broken(Fault::kFlagsLost)) info.MemFlags.Value = 0;
  if (Broken(Fault::kUserDataNotFilled)) info.UserData = nullptr;
  if (Broken(Fault::kUserDataGlobal)) info.UserData = common_user_data;
  if (Broken(Fault::kUserDataOfStartOnly) && asked != object.start) info.UserData = nullptr;
  if (Broken(Fault::kMixedAnswer)) Mix(info);
}

HSAKMT_STATUS NotFound(HSAKMT_STATUS status, std::uint64_t asked, HsaPointerInfo& info,
                       const Kfd& kfd) {
  info.Type = HSA_POINTER_UNKNOWN;
  AskKernel(Fault::kFailedQueryMakesIoctl, kfd);
  if (Broken(Fault::kUnknownAborts)) std::abort();
  if (Broken(Fault::kUnknownIsSuccess)) return HSAKMT_STATUS_SUCCESS;
  const std::uint64_t size = Noted().SizeAt(asked);
  if (size == 0) return status;
  info.Type =
      Broken(Fault::kDeregisteredIsFound) ? HSA_POINTER_REGISTERED_USER : HSA_POINTER_ALLOCATED;
  info.SizeInBytes = size;
  return HSAKMT_STATUS_SUCCESS;
}

MemoryObject* Holder(MemoryObject* found, const RangeIndex& objects, std::uint64_t asked) {
  if (found == nullptr) {
    if (Broken(Fault::kPastEndFinds)) return objects.Find(asked - 1);
    if (Broken(Fault::kBeforeStartFinds)) return objects.Find(asked + 1);
    return nullptr;
  }
  const bool by_gpu_address = asked - found->start < found->size;
  const bool lost =
      (Broken(Fault::kLastByteLost) && asked + 1 == found->end()) ||
      (Broken(Fault::kStartOnly) && !found->is_user_pointer && asked != found->start) ||
      (Broken(Fault::kUserNotByGpuAddress) && found->is_user_pointer && by_gpu_address) ||
      (Broken(Fault::kUserNotByCpuAddress) && found->is_user_pointer && !by_gpu_address) ||
      (Broken(Fault::kHandlesSkipped) && found->place == Place::kHandle) ||
      (Broken(Fault::kSvmApertureSkipped) && InSvmAperture(*found));
  return lost ? nullptr : found;
}

MemoryObject* ToSet(MemoryObject* found, const RangeIndex& objects, std::uint64_t asked,
                    void* user_data) {
  if (found == nullptr && Broken(Fault::kSetterUnknownSetsAny) && !objects.empty()) {
    objects.Any()->user_data = user_data;
  }
  if (found == nullptr && Broken(Fault::kSetterTakesAnyAddress)) return objects.Find(asked);
  if (found != nullptr && Broken(Fault::kSetterExactOnly) && asked != found->start &&
      asked != found->user_address) {
    return nullptr;
  }
  return found;
}

void* StoredUserData(const MemoryObject& object, void* wanted) {
  void* const before = object.user_data;
  if (Broken(Fault::kUserDataGlobal)) common_user_data = wanted;
  if (Broken(Fault::kUserDataTruncated)) {
    return Pointer(reinterpret_cast<std::uintptr_t>(wanted) & 0xffffffffU);
  }
  const bool ignored =
      (Broken(Fault::kUserDataSetOnce) && before != nullptr) ||
      (Broken(Fault::kNullDoesNotClear) && wanted == nullptr) ||
      (Broken(Fault::kUserDataOfUserLost) && object.is_user_pointer) ||
      (Broken(Fault::kUserDataOfGraphicsLost) && object.is_graphics) ||
      (Broken(Fault::kUserDataOfSharedLost) && object.is_imported) ||
      (Broken(Fault::kUserDataOfReservedLost) && TypeOf(object) == HSA_POINTER_RESERVED_ADDR);
  return ignored ? before : wanted;
}

void Note(Fault fault, std::uint64_t start, std::uint64_t size) {
  if (Broken(fault)) Noted().Add(start, size);
}

void Begins(MemoryObject& object) {
  if (Broken(Fault::kUserDataOutlives)) object.user_data.store(last_user_data);
}

void Ends(const MemoryObject& object) {
  last_user_data = object.user_data.load();
  if (object.is_user_pointer) {
    Note(Fault::kDeregisteredIsFound, object.user_address, object.user_size);
  } else {
    Note(Fault::kFreedIsFound, object.start, object.size);
  }
}

void AskKernel(Fault fault, const Kfd& kfd) {
  if (!Broken(fault)) return;
  kfd_ioctl_get_version_args version{};
  kfd.GetVersion(version);
}

}  // namespace kfdcts::thunk::fault

#endif
