#pragma once

#include <cstdint>
#include <ostream>
#include <set>
#include <vector>

#include "harness/thunk/thunk.h"

namespace kfdcts::suites {

/// What a query answered, copied out of the API's packed structure.
struct PointerInfo {
  HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
  HSA_POINTER_TYPE type = HSA_POINTER_UNKNOWN;
  HSAuint32 node = 0;
  HSAuint32 flags = 0;  ///< HsaMemFlags::Value.
  const void* cpu_address = nullptr;
  HSAuint64 gpu_address = 0;
  HSAuint64 size = 0;
  HSAuint32 registered_count = 0;
  HSAuint32 mapped_count = 0;
  const HSAuint32* registered_array = nullptr;  ///< The thunk's own arrays.
  const HSAuint32* mapped_array = nullptr;
  const void* user_data = nullptr;

  bool Found() const { return status == HSAKMT_STATUS_SUCCESS && type != HSA_POINTER_UNKNOWN; }
  /// The look-up failed as it should: UNKNOWN with HSAKMT_STATUS_ERROR.
  bool Unknown() const { return status == HSAKMT_STATUS_ERROR && type == HSA_POINTER_UNKNOWN; }
  /// Every member the same, the addresses of the arrays too.
  bool operator==(const PointerInfo&) const = default;
};

void PrintTo(const PointerInfo& info, std::ostream* out);

/// Asks about an address. The structure is filled with 0xA5 before, so that a member which the
/// thunk leaves alone is not taken for an answer.
PointerInfo Query(const harness::ThunkApi& thunk, const void* address);

/// The same from an address as a number.
PointerInfo Query(const harness::ThunkApi& thunk, HSAuint64 address);

/// The same of a context, by hsaKmtQueryPointerInfoCtx.
PointerInfo QueryCtx(const harness::ThunkApi& thunk, HsaKFDContext* context, const void* address);

/// Node lists as sets; a list that is missing or names a node twice fails the test. Only where no
/// other thread changes the object.
std::set<HSAuint32> RegisteredNodes(const PointerInfo& info);
std::set<HSAuint32> MappedNodes(const PointerInfo& info);

}  // namespace kfdcts::suites
