#pragma once

/// DRM_AMDGPU_GEM_SVM: SVM of one GPU through its render node. A draft in no released kernel (the
/// patch series "drm/amdgpu: SVM", seventh posting, 2026): whoever uses it asks the kernel first,
/// for the number has moved once. Attribute numbers are those of the fourth posting and later.

#include <amdgpu_drm.h>
#include <linux/types.h>

namespace kfdcts::uapi {

/// By place in the driver's table: since DRM_AMDGPU_PROC_OPTIONS took the former number, and
/// before.
inline constexpr unsigned kGemSvmNumbers[] = {0x1B, 0x1A};

/// Of two pages at `pages`, the one to ask about while it is not known what the kernel has under a
/// number. DRM_AMDGPU_PROC_OPTIONS reads the address as {operation, value}, low word first, and
/// operation 0 sets how the process hears of memory errors: no address of it goes to the kernel.
constexpr __u64 ProbePage(__u64 pages, __u64 page_size) {
  return (pages & 0xffffffff) == 0 ? pages + page_size : pages;
}

enum class SvmOperation : __u32 {
  kSetAttributes = 0,
  kGetAttributes = 1,
  kReset = 2,  ///< Takes no attributes, checks no mapping.
};

enum class SvmAttribute : __u32 {
  kPreferredLocation = 0,
  kPrefetchLocation = 1,
  kAccess = 2,       ///< SvmAccess.
  kGranularity = 3,  ///< 2 to this power pages.
  // Booleans.
  kHostAccess = 4,
  kCoherent = 5,
  kExtendedCoherent = 6,
  kHiveLocal = 7,
  kGpuReadOnly = 8,
  kGpuExecute = 9,
  kGpuReadMostly = 10,
};
inline constexpr __u32 kSvmAttributeCount = 11;

enum class SvmAccess : __u32 { kInaccessible = 0, kInPlace = 1, kAllowMigrate = 2 };

/// Locations. What is neither system memory nor undefined is the file's own GPU.
inline constexpr __u32 kSvmSystemMemory = 0;
inline constexpr __u32 kSvmThisGpu = 1;
inline constexpr __u32 kSvmUndefined = 0xffffffff;

/// EINVAL for more in a call.
inline constexpr __u32 kMostSvmAttributes = 64;

struct DrmSvmAttribute {
  __u32 type;  ///< SvmAttribute.
  __u32 value;
};

struct DrmGemSvm {
  __u64 start_addr;  ///< Bytes, whole pages, not 0.
  __u64 size;        ///< The same. Newer drafts: GET leaves the length that the answer is good for.
  __u32 operation;   ///< SvmOperation.
  __u32 nattr;
  __u64 attrs_ptr;  ///< Of DrmSvmAttribute.
};
static_assert(sizeof(DrmSvmAttribute) == 8 && sizeof(DrmGemSvm) == 32);

constexpr unsigned long GemSvmRequest(unsigned number) {
  return DRM_IOWR(DRM_COMMAND_BASE + number, DrmGemSvm);
}

}  // namespace kfdcts::uapi
