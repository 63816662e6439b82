#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>

#include "harness/uapi/amdgpu_svm.h"

namespace kfdcts::thunk {

/// The SVM of one render file as the seventh posting of DRM_AMDGPU_GEM_SVM has it: entries of
/// attributes that outlive mappings, merged for answers with holes as entries of the defaults.
class FakeDrmSvm {
 public:
  /// -EINVAL where a set must not begin.
  static int Check(std::span<const uapi::DrmSvmAttribute> attributes);
  /// Attributes must have been checked.
  void Set(std::uint64_t start, std::uint64_t end,
           std::span<const uapi::DrmSvmAttribute> attributes);
  /// -EINVAL for an unknown type.
  int Get(std::uint64_t start, std::uint64_t end,
          std::span<uapi::DrmSvmAttribute> attributes) const;
  void Reset(std::uint64_t start, std::uint64_t end);

  /// Where the attributes that are at `start` end, at `end` at the latest.
  std::uint64_t UniformEnd(std::uint64_t start, std::uint64_t end) const;
  std::size_t entries() const { return entries_.size(); }

 private:
  using Values = std::array<std::uint32_t, uapi::kSvmAttributeCount>;
  struct Entry {
    std::uint64_t end = 0;
    Values values{};
  };

  static Values Defaults();
  void SplitAt(std::uint64_t address);
  /// Calls `visit(begin, end, values)` for each entry and hole of the range, in order.
  template <typename Visit>
  void ForEach(std::uint64_t start, std::uint64_t end, Visit visit) const;

  std::map<std::uint64_t, Entry> entries_;  ///< by start
};

}  // namespace kfdcts::thunk
