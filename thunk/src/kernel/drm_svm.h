#pragma once

#include <cstdint>
#include <span>

#include "harness/uapi/amdgpu_svm.h"
#include "thunk/src/kernel/system_calls.h"

namespace kfdcts::thunk {

/// DRM_AMDGPU_GEM_SVM on render nodes, under the number that the kernel has it. Functions give 0 or
/// -errno and repeat a call that a signal interrupted. Any thread may call.
class DrmSvmCalls {
 public:
  /// Asks the render node about a page of its own. Without the ioctl, or where its attributes are
  /// older ones or XNACK is off, available() is false.
  static DrmSvmCalls Probe(SystemCalls& calls, int render_fd);

  bool available() const { return number_ != 0; }

  /// `start` and `size` are bytes here and below, whole pages.
  int Set(int render_fd, std::uint64_t start, std::uint64_t size,
          std::span<uapi::DrmSvmAttribute> attributes) const;
  /// Answers come back in `attributes`; they are good for `size` bytes from the start on, which may
  /// be less than what went in.
  int Get(int render_fd, std::uint64_t start, std::uint64_t& size,
          std::span<uapi::DrmSvmAttribute> attributes) const;
  int Reset(int render_fd, std::uint64_t start, std::uint64_t size) const;

 private:
  DrmSvmCalls(SystemCalls& calls, unsigned number) : calls_(&calls), number_(number) {}

  int Call(int render_fd, uapi::DrmGemSvm& arguments) const;

  SystemCalls* calls_;
  unsigned number_;  ///< 0: not available.
};

}  // namespace kfdcts::thunk
