#pragma once

#include <string>
#include <system_error>

namespace kfdcts::gpu {

/// A call that had to succeed did not. code() is the errno, what() names call and object.
class GpuError : public std::system_error {
 public:
  GpuError(int error, const std::string& what)
      : std::system_error(error, std::generic_category(), what) {}
};

/// Throws GpuError where `error` is not 0.
inline void Require(int error, const std::string& what) {
  if (error != 0) throw GpuError(error, what);
}

/// Called by destructors for what the kernel refused to give back; there is nobody to throw to.
/// Prints to standard error unless a test program has put its own function there.
using ReleaseFailureHandler = void (*)(const std::string& what, int error);
void SetReleaseFailureHandler(ReleaseFailureHandler handler);
void ReportReleaseFailure(const std::string& what, int error);

}  // namespace kfdcts::gpu
