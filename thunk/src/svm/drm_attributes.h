#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/uapi/amdgpu_svm.h"
#include "hsakmt/hsakmttypes.h"

namespace kfdcts::thunk {

/// The DRM attributes that a set of one HSA attribute is, at most one a flag. `location`: what the
/// node of a location is to the file; `attribute`'s type is known to exist.
void AppendDrmAttributes(const HSA_SVM_ATTRIBUTE& attribute, std::uint32_t location,
                         std::vector<uapi::DrmSvmAttribute>& drm);

/// All attributes of a range, or of several in what they have in common.
class DrmSvmState {
 public:
  DrmSvmState();

  /// What a GET asks for and answers: every attribute once.
  std::span<uapi::DrmSvmAttribute> attributes() { return attributes_; }
  std::uint32_t Value(uapi::SvmAttribute type) const {
    return attributes_[static_cast<std::size_t>(type)].value;
  }
  /// The flags that are set, as HSA_SVM_FLAGS.
  std::uint32_t Flags() const;

  /// SVM-7…10, DRM: locations agree or are undefined, accesses agree or there is none, granularity
  /// is the least, a boolean is set where all have it.
  void Merge(const DrmSvmState& other);

 private:
  std::array<uapi::DrmSvmAttribute, uapi::kSvmAttributeCount> attributes_;
};

}  // namespace kfdcts::thunk
