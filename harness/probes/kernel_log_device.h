#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/vm/base/unique_fd.h"
#include "harness/vm/kernel_log.h"

namespace kfdcts::harness {

inline constexpr const char* kKernelLogDevice = "/dev/kmsg";

/// Lines that frame a test in the kernel's log.
std::string BeginMark(std::string_view test);
std::string EndMark(std::string_view test);
bool IsMark(std::string_view text);

/// Adds a line of level info to the kernel's log, or of `level` to a regular file in its place, as
/// it would come out of the device. Nothing where `device` is empty or may not be written.
void WriteKernelLog(const std::string& device, std::string_view text, int level = 6);

/// Follows the kernel's log from where it ended when this was made.
class KernelLogReader {
 public:
  /// `device` may be one that cannot be read: there are no lines then.
  explicit KernelLogReader(const std::string& device);

  bool readable() const { return static_cast<bool>(fd_); }

  /// The lines since the last call, without waiting. Some are missing where the kernel's buffer
  /// went round in between.
  std::vector<vm::KernelLine> Read();

 private:
  std::vector<vm::KernelLine> lines_;
  vm::KernelLogParser parser_;
  vm::UniqueFd fd_;
};

}  // namespace kfdcts::harness
