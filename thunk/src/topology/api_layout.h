#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "hsakmt/hsakmttypes.h"

/// Callers built against other headers than ours.
///
/// libhsakmt changed HsaNodeProperties (356 bytes, then 376) and HsaIoLinkProperties (48, then 52)
/// by members put in the middle, and kept soname libhsakmt.so.1 and symbol version HSAKMT_1:
/// nothing in the binary interface tells which one a caller means. A caller of the old form that
/// gets the new one has its stack overwritten, and reads most members at the wrong place.
///
/// What there is to go by is history. The old layout is that of libhsakmt as a library of its own
/// (ROCT-Thunk-Interface, until ROCm 6.2; Debian's 5.2.3). The new ones came after its sources had
/// moved into ROCr's, which has linked it statically ever since, and together with
/// hsaKmtCreateQueueExt, which that ROCr needs. So:
///
/// - ROCr (soname libhsa-runtime64.so.*) that imports hsaKmtGetNodeProperties but not
///   hsaKmtCreateQueueExt from a shared thunk is an old caller;
/// - any other caller (kfdtest, a tool, dlsym, ctypes, a ROCr that uses dlsym) is taken to be built
/// with headers of today.
///   Where that is wrong, the user says so: HSAKMT_API_LAYOUT=2022.
///
/// The caller is told by the return address of the API function: both kinds may live in one
/// process.
namespace kfdcts::thunk {

enum class ApiLayout {
  k2022,  ///< As in Debian's libhsakmt-dev 5.2.3.
  k2025,  ///< As in thunk/include/hsakmt.
};

/// HSAKMT_API_LAYOUT's "2022" or "2025"; nothing for anything else.
std::optional<ApiLayout> ParseApiLayout(std::string_view text);

/// HSAKMT_API_LAYOUT's, if it is set to one of the two; else that of the object whose code is at
/// `return_address`, which an API function takes by __builtin_return_address(0). Costs less than a
/// tenth of a microsecond, for ROCr a search in its relocations (4 us).
ApiLayout LayoutOfCaller(const void* return_address);

/// Writes `properties` to the caller's structure of that layout, and no byte beyond it. The old one
/// has no place for what was added; OverrideEngineId is then EngineId's version, as it was at the
/// time.
void StoreNodeProperties(const HsaNodeProperties& properties, ApiLayout layout, void* destination);

/// The same for an array of `links.size()` elements.
void StoreIoLinkProperties(std::span<const HsaIoLinkProperties> links, ApiLayout layout,
                           void* destination);

}  // namespace kfdcts::thunk
