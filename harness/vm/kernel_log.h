#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kfdcts::vm {

/// One record of the kernel's log, as /dev/kmsg gives it.
struct KernelLine {
  int level = 6;                   ///< 0 emergency … 7 debug (linux/kern_levels.h).
  std::uint64_t microseconds = 0;  ///< Since the guest's boot.
  std::string text;                ///< Without level and time; escapes of /dev/kmsg resolved.

  /// "<4>[   12.345678] text", as dmesg --raw prints.
  std::string Raw() const;
};

/// Cuts the byte stream of /dev/kmsg into lines; a record of several lines becomes several.
/// Continuation lines (device properties) are dropped.
class KernelLogParser {
 public:
  explicit KernelLogParser(std::function<void(const KernelLine&)> sink) : sink_(std::move(sink)) {}

  void Feed(std::string_view bytes);

 private:
  void Record(std::string_view record);

  std::function<void(const KernelLine&)> sink_;
  std::string pending_;
};

}  // namespace kfdcts::vm
