// A thunk that lies: what it exports stands before the real library's functions of the same name,
// and falsifies the one thing that KFDCTS_FALSIFY names. Everything else is the real library's own,
// which is this one's dependency, so that a look-up in it finds both. For tests of the tests; never
// installed.
//
// A name that is no falsification ends the process: a misspelt one would pass for one that nothing
// sees.
#include <sys/ioctl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "harness/test/falsify/ioctls.h"
#include "harness/test/falsify/objects.h"
#include "harness/test/falsify/query.h"
#include "harness/test/falsify/real_thunk.h"
#include "hsakmt/hsakmt.h"

namespace kfdcts::falsify {
namespace {

constexpr std::string_view kOtherFalsifiers[] = {
    "user_data.set_ignored",        "user_data.unknown_accepted", "user_data.later_page_accepted",
    "user_data.first_page_refused", "user_data.null_ignored",     "user_data.set_everywhere",
    "user_data.set_makes_ioctl",    "user_data.lost_by_mapping",  "register.vram_accepted",
    "deregister.counts_once",       "free.does_nothing",          "unmap.does_nothing",
    "svm.refused_when_unknown",
};

/// The falsification that is on, from the environment, checked once when the library is loaded.
class Active {
 public:
  Active() {
    const char* name = std::getenv("KFDCTS_FALSIFY");
    if (name == nullptr || *name == '\0') return;
    name_ = name;
    query_ = FindQueryFalsifier(name);
    bool known = query_ != nullptr || StartIoctlFalsifier(name);
    for (const std::string_view other : kOtherFalsifiers) known = known || other == name;
    if (known) return;
    std::fprintf(stderr, "falsifying shim: KFDCTS_FALSIFY: no falsification \"%s\"\n", name);
    std::abort();
  }

  bool Is(std::string_view name) const { return name_ == name; }
  QueryFalsifier query() const { return query_; }

 private:
  std::string name_;
  QueryFalsifier query_ = nullptr;
};
const Active active;

void MakeIoctl() { ioctl(-1, _IO('K', 0x01)); }

bool IsUnknown(const void* pointer) {
  HsaPointerInfo info;
  return AskReal(pointer, &info) != HSAKMT_STATUS_SUCCESS;
}

}  // namespace
}  // namespace kfdcts::falsify

using kfdcts::falsify::active;
using kfdcts::falsify::Objects;

HSAKMT_STATUS hsaKmtQueryPointerInfo(const void* Pointer, HsaPointerInfo* PointerInfo) {
  kfdcts::falsify::QueryCall call{Pointer, PointerInfo, {}, HSAKMT_STATUS_SUCCESS};
  if (PointerInfo != nullptr) std::memcpy(&call.before, PointerInfo, sizeof(call.before));
  call.status = kfdcts::falsify::AskReal(Pointer, PointerInfo);
  const bool about_null = active.Is("status.null_accepted") || active.Is("status.null_is_error");
  if (active.query() != nullptr && (PointerInfo != nullptr || about_null)) active.query()(call);
  return call.status;
}

HSAKMT_STATUS hsaKmtSetMemoryUserData(const void* Pointer, void* UserData) {
  REAL(hsaKmtSetMemoryUserData);
  if (active.Is("user_data.set_ignored")) return HSAKMT_STATUS_SUCCESS;
  if (active.Is("user_data.null_ignored") && UserData == nullptr) return HSAKMT_STATUS_SUCCESS;
  if (active.Is("user_data.set_makes_ioctl")) kfdcts::falsify::MakeIoctl();
  if (active.Is("user_data.set_everywhere")) {
    for (const void* start : Objects::Global().Live()) real(start, UserData);
  }
  const auto object = Objects::Global().Find(Pointer);
  if (object && active.Is("user_data.later_page_accepted")) {
    Pointer = reinterpret_cast<const void*>(object->start);
  }
  if (object && active.Is("user_data.first_page_refused") &&
      reinterpret_cast<const void*>(object->start) != Pointer) {
    return HSAKMT_STATUS_ERROR;
  }
  const HSAKMT_STATUS status = real(Pointer, UserData);
  if (status == HSAKMT_STATUS_SUCCESS) Objects::Global().UserDataSet(Pointer, UserData);
  return active.Is("user_data.unknown_accepted") ? HSAKMT_STATUS_SUCCESS : status;
}

HSAKMT_STATUS hsaKmtAllocMemory(HSAuint32 PreferredNode, HSAuint64 SizeInBytes,
                                HsaMemFlags MemFlags, void** MemoryAddress) {
  REAL(hsaKmtAllocMemory);
  const HSAKMT_STATUS status = real(PreferredNode, SizeInBytes, MemFlags, MemoryAddress);
  if (status == HSAKMT_STATUS_SUCCESS) {
    Objects::Global().Allocated(*MemoryAddress, SizeInBytes, MemFlags.ui32.Scratch != 0);
  }
  return status;
}

HSAKMT_STATUS hsaKmtFreeMemory(void* MemoryAddress, HSAuint64 SizeInBytes) {
  REAL(hsaKmtFreeMemory);
  if (active.Is("free.does_nothing")) return HSAKMT_STATUS_SUCCESS;
  Objects::Global().Freed(MemoryAddress);
  return real(MemoryAddress, SizeInBytes);
}

HSAKMT_STATUS hsaKmtRegisterMemory(void* MemoryAddress, HSAuint64 MemorySizeInBytes) {
  REAL(hsaKmtRegisterMemory);
  const bool allocated = Objects::Global().Find(MemoryAddress).has_value();
  if (allocated && active.Is("register.vram_accepted")) return HSAKMT_STATUS_SUCCESS;
  return real(MemoryAddress, MemorySizeInBytes);
}

HSAKMT_STATUS hsaKmtDeregisterMemory(void* MemoryAddress) {
  REAL(hsaKmtDeregisterMemory);
  const HSAKMT_STATUS status = real(MemoryAddress);
  if (!active.Is("deregister.counts_once")) return status;
  while (real(MemoryAddress) == HSAKMT_STATUS_SUCCESS) continue;
  return status;
}

HSAKMT_STATUS hsaKmtMapMemoryToGPUNodes(void* MemoryAddress, HSAuint64 MemorySizeInBytes,
                                        HSAuint64* AlternateVAGPU, HsaMemMapFlags MemMapFlags,
                                        HSAuint64 NumberOfNodes, HSAuint32* NodeArray) {
  REAL(hsaKmtMapMemoryToGPUNodes);
  const HSAKMT_STATUS status =
      real(MemoryAddress, MemorySizeInBytes, AlternateVAGPU, MemMapFlags, NumberOfNodes, NodeArray);
  if (active.Is("user_data.lost_by_mapping")) hsaKmtSetMemoryUserData(MemoryAddress, nullptr);
  return status;
}

HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(void* MemoryAddress) {
  REAL(hsaKmtUnmapMemoryToGPU);
  if (active.Is("unmap.does_nothing")) return HSAKMT_STATUS_SUCCESS;
  return real(MemoryAddress);
}

HSAKMT_STATUS hsaKmtSVMSetAttr(void* start_addr, HSAuint64 size, unsigned int nattr,
                               HSA_SVM_ATTRIBUTE* attrs) {
  REAL(hsaKmtSVMSetAttr);
  if (active.Is("svm.refused_when_unknown") && kfdcts::falsify::IsUnknown(start_addr)) {
    return HSAKMT_STATUS_ERROR;
  }
  return real(start_addr, size, nattr, attrs);
}
