// Falsified answers of hsaKmtQueryPointerInfo, a small function each.
#include "harness/test/falsify/query.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/test/falsify/objects.h"
#include "harness/test/falsify/real_thunk.h"

namespace kfdcts::falsify {
namespace {

std::uintptr_t Number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

std::uintptr_t PageOffset(const void* address) {
  return Number(address) & (static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)) - 1);
}

void MakeUnknown(QueryCall& call) {
  *call.info = HsaPointerInfo{};
  call.status = HSAKMT_STATUS_ERROR;
}

// ---- single fields

void Type(QueryCall& call) {
  if (call.Found()) call.info->Type = HSA_POINTER_REGISTERED_SHARED;
}
void Node(QueryCall& call) {
  if (call.Found()) call.info->Node = call.info->Node + 1;
}
void Flags(QueryCall& call) {
  if (call.Found()) call.info->MemFlags.ui32.HostAccess ^= 1U;
}
void CpuAddress(QueryCall& call) {
  if (call.Found()) call.info->CPUAddress = nullptr;
}
void GpuAddress(QueryCall& call) {
  if (call.Found()) call.info->GPUAddress = call.info->GPUAddress + 1;
}
void Size(QueryCall& call) {
  if (call.Found()) call.info->SizeInBytes = call.info->SizeInBytes + 1;
}
void RegisteredCount(QueryCall& call) { call.info->NRegisteredNodes = 0; }
void MappedCount(QueryCall& call) { call.info->NMappedNodes = 0; }
void UserDataLost(QueryCall& call) { call.info->UserData = nullptr; }
void UserDataTruncated(QueryCall& call) {
  call.info->UserData = reinterpret_cast<void*>(Number(call.info->UserData) & 0xffffffffU);
}

// ---- node lists

// Kept for the process's life, as no caller says when it is done with an array.
const HSAuint32* Keep(std::vector<HSAuint32> nodes) {
  static std::mutex mutex;
  static std::vector<std::vector<HSAuint32>*> kept;
  const std::lock_guard lock(mutex);
  kept.push_back(new std::vector<HSAuint32>(std::move(nodes)));
  return kept.back()->data();
}

std::vector<HSAuint32> Copy(const HSAuint32* nodes, HSAuint32 count) {
  return nodes == nullptr ? std::vector<HSAuint32>{} : std::vector<HSAuint32>(nodes, nodes + count);
}

const HSAuint32* OtherNodes(const HSAuint32* nodes, HSAuint32 count) {
  std::vector<HSAuint32> others = Copy(nodes, count);
  for (HSAuint32& node : others) node += 1000;
  return Keep(std::move(others));
}

void RegisteredNodes(QueryCall& call) {
  call.info->RegisteredNodes = OtherNodes(call.info->RegisteredNodes, call.info->NRegisteredNodes);
}
void MappedNodes(QueryCall& call) {
  call.info->MappedNodes = OtherNodes(call.info->MappedNodes, call.info->NMappedNodes);
}
void ArraysMove(QueryCall& call) {
  call.info->RegisteredNodes = Keep(Copy(call.info->RegisteredNodes, call.info->NRegisteredNodes));
  call.info->MappedNodes = Keep(Copy(call.info->MappedNodes, call.info->NMappedNodes));
}
// The first list of mapped nodes that an object ever had.
void ArraysStale(QueryCall& call) {
  static std::mutex mutex;
  static std::map<HSAuint64, std::pair<HSAuint32, const HSAuint32*>> first;
  if (!call.Found() || call.info->SizeInBytes == 0) return;
  const std::lock_guard lock(mutex);
  const HSAuint64 start = call.info->GPUAddress;
  if (call.info->NMappedNodes > 0 && !first.contains(start)) {
    const HSAuint32 count = call.info->NMappedNodes;
    first[start] = {count, Keep(Copy(call.info->MappedNodes, count))};
  }
  const auto found = first.find(start);
  if (found == first.end()) return;
  call.info->NMappedNodes = found->second.first;
  call.info->MappedNodes = found->second.second;
}

// ---- status, and what a failed look-up leaves

void FoundIsError(QueryCall& call) {
  if (call.Found()) call.status = HSAKMT_STATUS_ERROR;
}
void UnknownIsSuccess(QueryCall& call) {
  if (call.status == HSAKMT_STATUS_ERROR) call.status = HSAKMT_STATUS_SUCCESS;
}
void UnknownHasType(QueryCall& call) {
  if (call.status == HSAKMT_STATUS_ERROR) call.info->Type = HSA_POINTER_ALLOCATED;
}
void UnknownKeepsUserData(QueryCall& call) {
  if (call.status == HSAKMT_STATUS_ERROR) call.info->UserData = call.before.UserData;
}
void FieldUnwritten(QueryCall& call) { call.info->RegisteredNodes = call.before.RegisteredNodes; }
void WritesBehind(QueryCall& call) {
  std::memset(reinterpret_cast<char*>(call.info) + sizeof(HsaPointerInfo), 0, 4);
}
void NullAccepted(QueryCall& call) {
  if (call.info == nullptr) call.status = HSAKMT_STATUS_SUCCESS;
}
void NullIsError(QueryCall& call) {
  if (call.info == nullptr) call.status = HSAKMT_STATUS_ERROR;
}

// ---- where objects begin and end

void AlsoAt(QueryCall& call, std::ptrdiff_t offset) {
  if (call.status != HSAKMT_STATUS_ERROR || call.pointer == nullptr) return;
  const auto other = reinterpret_cast<const void*>(
      static_cast<std::uintptr_t>(static_cast<std::intptr_t>(Number(call.pointer)) + offset));
  call.status = AskReal(other, call.info);
}
void PastEnd(QueryCall& call) { AlsoAt(call, -1); }
void BeforeStart(QueryCall& call) { AlsoAt(call, 1); }
void LastByteLost(QueryCall& call) {
  if (call.Found() && Number(call.pointer) + 1 == call.info->GPUAddress + call.info->SizeInBytes) {
    MakeUnknown(call);
  }
}
void OnlyFirstPage(QueryCall& call) {
  const auto page = static_cast<HSAuint64>(sysconf(_SC_PAGESIZE));
  if (call.Found() && Number(call.pointer) >= call.info->GPUAddress + page) MakeUnknown(call);
}
void FreedIsFound(QueryCall& call) {
  const auto object = Objects::Global().Find(call.pointer);
  if (call.status != HSAKMT_STATUS_ERROR || !object || !object->freed) return;
  call.info->Type = HSA_POINTER_ALLOCATED;
  call.status = HSAKMT_STATUS_SUCCESS;
}
void ScratchIsFound(QueryCall& call) {
  const auto object = Objects::Global().Find(call.pointer);
  if (call.status != HSAKMT_STATUS_ERROR || !object || !object->scratch) return;
  call.info->Type = HSA_POINTER_ALLOCATED;
  call.status = HSAKMT_STATUS_SUCCESS;
}
void AnythingIsUserMemory(QueryCall& call) {
  if (call.status != HSAKMT_STATUS_ERROR) return;
  call.info->Type = HSA_POINTER_REGISTERED_USER;
  call.status = HSAKMT_STATUS_SUCCESS;
}

// ---- by type

bool IsUser(const QueryCall& call) {
  return call.Found() && call.info->Type == HSA_POINTER_REGISTERED_USER;
}
bool IsGraphics(const QueryCall& call) {
  return call.Found() && call.info->Type == HSA_POINTER_REGISTERED_GRAPHICS;
}
void UserType(QueryCall& call) {
  if (IsUser(call)) call.info->Type = HSA_POINTER_ALLOCATED;
}
void UserSizeRounded(QueryCall& call) {
  const auto page = static_cast<HSAuint64>(sysconf(_SC_PAGESIZE));
  if (IsUser(call)) call.info->SizeInBytes = (call.info->SizeInBytes / page + 1) * page;
}
void UserAddressRounded(QueryCall& call) {
  void* const address = call.info->CPUAddress;
  if (IsUser(call)) call.info->CPUAddress = static_cast<char*>(address) - PageOffset(address);
}
void UserGpuAddressRounded(QueryCall& call) {
  if (IsUser(call)) {
    call.info->GPUAddress = call.info->GPUAddress - PageOffset(call.info->CPUAddress);
  }
}
void UserFlagsEmpty(QueryCall& call) {
  if (IsUser(call)) call.info->MemFlags.Value = 0;
}
void GraphicsType(QueryCall& call) {
  if (IsGraphics(call)) call.info->Type = HSA_POINTER_ALLOCATED;
}
void GraphicsCpuAddress(QueryCall& call) {
  if (IsGraphics(call)) call.info->CPUAddress = reinterpret_cast<void*>(call.info->GPUAddress);
}
void GraphicsNode(QueryCall& call) {
  if (IsGraphics(call)) call.info->Node = 0;
}

// ---- behaviour

// AMDKFD_IOC_GET_VERSION on no file: that it is made is what counts.
void MakesIoctl(QueryCall&) { ioctl(-1, _IO('K', 0x01)); }
// Every answer has the size of the one before.
void SizeOfAnother(QueryCall& call) {
  static std::mutex mutex;
  static HSAuint64 last = 0;
  if (!call.Found()) return;
  const std::lock_guard lock(mutex);
  const HSAuint64 own = call.info->SizeInBytes;
  if (last != 0) call.info->SizeInBytes = last;
  last = own;
}
// Now and then half of an answer is missing, as when nobody locks.
void Races(QueryCall& call) {
  static std::atomic<unsigned> calls = 0;
  if (call.Found() && ++calls % 16 == 0) call.info->CPUAddress = nullptr;
}
void UserDataOfTheDead(QueryCall& call) {
  const auto object = Objects::Global().Find(call.pointer);
  if (call.Found() && object && call.info->UserData == nullptr) {
    call.info->UserData = object->user_data;
  }
}

struct Named {
  std::string_view name;
  QueryFalsifier falsifier;
};
constexpr Named kFalsifiers[] = {
    {"pointer_info.type", Type},
    {"pointer_info.node", Node},
    {"pointer_info.flags", Flags},
    {"pointer_info.cpu_address", CpuAddress},
    {"pointer_info.gpu_address", GpuAddress},
    {"pointer_info.size", Size},
    {"pointer_info.registered_count", RegisteredCount},
    {"pointer_info.mapped_count", MappedCount},
    {"pointer_info.registered_nodes", RegisteredNodes},
    {"pointer_info.mapped_nodes", MappedNodes},
    {"pointer_info.user_data", UserDataLost},
    {"pointer_info.user_data_truncated", UserDataTruncated},
    {"arrays.move", ArraysMove},
    {"arrays.stale", ArraysStale},
    {"status.found_is_error", FoundIsError},
    {"status.unknown_is_success", UnknownIsSuccess},
    {"status.null_accepted", NullAccepted},
    {"status.null_is_error", NullIsError},
    {"unknown.has_type", UnknownHasType},
    {"unknown.keeps_user_data", UnknownKeepsUserData},
    {"write.field_unwritten", FieldUnwritten},
    {"write.behind", WritesBehind},
    {"edge.past_end", PastEnd},
    {"edge.before_start", BeforeStart},
    {"edge.last_byte_lost", LastByteLost},
    {"edge.only_first_page", OnlyFirstPage},
    {"unknown.freed_is_found", FreedIsFound},
    {"unknown.scratch_is_found", ScratchIsFound},
    {"unknown.svm_is_found", AnythingIsUserMemory},
    {"user_pointer.type", UserType},
    {"user_pointer.size", UserSizeRounded},
    {"user_pointer.cpu_address", UserAddressRounded},
    {"user_pointer.gpu_address", UserGpuAddressRounded},
    {"user_pointer.flags", UserFlagsEmpty},
    {"graphics.type", GraphicsType},
    {"graphics.cpu_address", GraphicsCpuAddress},
    {"graphics.node", GraphicsNode},
    {"query.makes_ioctl", MakesIoctl},
    {"query.mixes_objects", SizeOfAnother},
    {"query.races", Races},
    {"user_data.survives_free", UserDataOfTheDead},
};

}  // namespace

QueryFalsifier FindQueryFalsifier(const char* name) {
  for (const Named& one : kFalsifiers) {
    if (one.name == name) return one.falsifier;
  }
  return nullptr;
}

HSAKMT_STATUS AskReal(const void* pointer, HsaPointerInfo* info) {
  REAL(hsaKmtQueryPointerInfo);
  return real(pointer, info);
}

}  // namespace kfdcts::falsify
