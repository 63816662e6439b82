#pragma once

#include <cstddef>

namespace kfdcts::thunk {

/// What users of libhsakmt set by environment variables, read once when a context opens.
struct Options {
  /// HSA_USE_SVM, unless "0": host memory is registered through the kernel's SVM.
  bool use_svm = true;
  /// HSA_DISABLE_FRAGMENT_ALLOCATOR… and the like have no meaning here. Page alignment of the
  /// fragments of large allocations, log2 of pages: HSA_SVM_GUARD_PAGES, default 1: guard pages
  /// around each allocation.
  std::size_t guard_pages = 1;
  /// HSA_CHECK_USERPTR: user memory is touched when it is registered, so that a bad address faults
  /// there.
  bool check_userptr = false;
  /// HSA_MAX_VA_ALIGN: the greatest alignment of addresses, log2 of pages above a page.
  unsigned max_va_align = 9;

  static Options FromEnvironment();
};

}  // namespace kfdcts::thunk
