#pragma once

#include <cstddef>

namespace kfdcts::thunk {

/// What users of libhsakmt set by environment variables, read once when a context opens.
struct Options {
  /// HSA_USE_SVM, unless "0": host memory is registered through the kernel's SVM.
  bool use_svm = true;
  /// HSAKMT_SVM_BACKEND is "drm": SVM attributes go through DRM_AMDGPU_GEM_SVM where the kernel has
  /// it.
  bool drm_svm = false;
  /// HSA_SVM_GUARD_PAGES: pages of address space left free between allocations.
  std::size_t guard_pages = 1;
  /// HSA_CHECK_USERPTR, unless "0": user memory is read when it is registered, so that a bad
  /// address faults there.
  bool check_userptr = false;
  /// HSA_MAX_VA_ALIGN: the greatest alignment of addresses is 2 to this power pages.
  unsigned max_va_align = 9;

  static Options FromEnvironment();
};

}  // namespace kfdcts::thunk
