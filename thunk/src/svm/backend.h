#pragma once

#include <cstdint>
#include <span>

#include "hsakmt/hsakmttypes.h"

namespace kfdcts::thunk {

/// hsaKmtSVMSetAttr and hsaKmtSVMGetAttr over one of the kernel's two front doors (SVM-20). Any
/// thread may call.
class SvmBackend {
 public:
  virtual ~SvmBackend() = default;

  /// `start` and `size` are bytes, aligned to pages and not 0. INVALID_PARAMETER: they are not, an
  /// unknown type, or more attributes than a call takes (SVM-1, SVM-22). INVALID_NODE_UNIT: a node
  /// that does not exist, or the CPU's as an access (SVM-13). ERROR: the kernel refused.
  virtual HSAKMT_STATUS Set(void* start, std::uint64_t size,
                            std::span<const HSA_SVM_ATTRIBUTE> attributes) = 0;
  /// The same errors. Answers are written on success only: locations as node ids or INVALID_NODEID,
  /// an access as the attribute's type (SVM-8).
  virtual HSAKMT_STATUS Get(void* start, std::uint64_t size,
                            std::span<HSA_SVM_ATTRIBUTE> attributes) = 0;

  /// The last close: attributes that would stay behind go.
  virtual void ReleaseAll() {}
};

/// What both back ends ask of a range before they ask the kernel (SVM-1).
bool IsSvmRange(const void* start, std::uint64_t size);
bool IsSvmLocation(std::uint32_t type);
bool IsSvmAccess(std::uint32_t type);

}  // namespace kfdcts::thunk
