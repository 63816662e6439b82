#include "thunk/src/svm/drm_attributes.h"

#include <algorithm>

namespace kfdcts::thunk {
namespace {

using uapi::DrmSvmAttribute;
using uapi::SvmAccess;
using uapi::SvmAttribute;

/// HSA_SVM_FLAGS as the booleans of DRM_AMDGPU_GEM_SVM. GPU_ALWAYS_MAPPED and bits that are none
/// have no boolean.
struct SvmFlagAttribute {
  std::uint32_t flag;
  SvmAttribute attribute;
};

constexpr std::array kFlags = {
    SvmFlagAttribute{HSA_SVM_FLAG_HOST_ACCESS, SvmAttribute::kHostAccess},
    SvmFlagAttribute{HSA_SVM_FLAG_COHERENT, SvmAttribute::kCoherent},
    SvmFlagAttribute{HSA_SVM_FLAG_EXT_COHERENT, SvmAttribute::kExtendedCoherent},
    SvmFlagAttribute{HSA_SVM_FLAG_HIVE_LOCAL, SvmAttribute::kHiveLocal},
    SvmFlagAttribute{HSA_SVM_FLAG_GPU_RO, SvmAttribute::kGpuReadOnly},
    SvmFlagAttribute{HSA_SVM_FLAG_GPU_EXEC, SvmAttribute::kGpuExecute},
    SvmFlagAttribute{HSA_SVM_FLAG_GPU_READ_MOSTLY, SvmAttribute::kGpuReadMostly}};

DrmSvmAttribute Make(SvmAttribute type, std::uint32_t value) {
  return {static_cast<std::uint32_t>(type), value};
}

SvmAccess AccessOf(std::uint32_t type) {
  if (type == HSA_SVM_ATTR_ACCESS) return SvmAccess::kAllowMigrate;
  return type == HSA_SVM_ATTR_ACCESS_IN_PLACE ? SvmAccess::kInPlace : SvmAccess::kInaccessible;
}

std::uint32_t MergeOne(SvmAttribute type, std::uint32_t a, std::uint32_t b) {
  switch (type) {
    case SvmAttribute::kPreferredLocation:
    case SvmAttribute::kPrefetchLocation:
      return a == b ? a : uapi::kSvmUndefined;
    case SvmAttribute::kAccess:
      return a == b ? a : static_cast<std::uint32_t>(SvmAccess::kInaccessible);
    case SvmAttribute::kGranularity:
      return std::min(a, b);
    default:
      return a != 0 && b != 0 ? 1 : 0;
  }
}

}  // namespace

void AppendDrmAttributes(const HSA_SVM_ATTRIBUTE& attribute, std::uint32_t location,
                         std::vector<DrmSvmAttribute>& drm) {
  switch (attribute.type) {
    case HSA_SVM_ATTR_PREFERRED_LOC:
      drm.push_back(Make(SvmAttribute::kPreferredLocation, location));
      return;
    case HSA_SVM_ATTR_PREFETCH_LOC:
      drm.push_back(Make(SvmAttribute::kPrefetchLocation, location));
      return;
    case HSA_SVM_ATTR_GRANULARITY:
      drm.push_back(Make(SvmAttribute::kGranularity, attribute.value));
      return;
    case HSA_SVM_ATTR_SET_FLAGS:
    case HSA_SVM_ATTR_CLR_FLAGS:
      for (const auto& [flag, type] : kFlags) {
        const std::uint32_t value = attribute.type == HSA_SVM_ATTR_SET_FLAGS ? 1 : 0;
        if ((attribute.value & flag) != 0) drm.push_back(Make(type, value));
      }
      return;
    default:
      drm.push_back(
          Make(SvmAttribute::kAccess, static_cast<std::uint32_t>(AccessOf(attribute.type))));
  }
}

DrmSvmState::DrmSvmState() {
  for (std::uint32_t type = 0; type < attributes_.size(); ++type) attributes_[type] = {type, 0};
}

std::uint32_t DrmSvmState::Flags() const {
  std::uint32_t flags = 0;
  for (const auto& [flag, type] : kFlags) flags |= Value(type) != 0 ? flag : 0;
  return flags;
}

void DrmSvmState::Merge(const DrmSvmState& other) {
  for (std::uint32_t type = 0; type < attributes_.size(); ++type) {
    attributes_[type].value = MergeOne(static_cast<SvmAttribute>(type), attributes_[type].value,
                                       other.attributes_[type].value);
  }
}

}  // namespace kfdcts::thunk
