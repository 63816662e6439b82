#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>

#include "harness/vgpu/core/device.h"

namespace kfdcts::vgpu {

/// A line for each access of the guest to a region, each register access of the device's own
/// engines, and what the session notes. For people; costs time. Used by one thread.
class TraceLog {
 public:
  /// Throws std::runtime_error where `path` cannot be written. Outlives neither `device` nor its
  /// use by a session.
  TraceLog(const std::string& path, Device& device);
  ~TraceLog();
  TraceLog(const TraceLog&) = delete;
  TraceLog& operator=(const TraceLog&) = delete;

  /// `direction` is R or W. Registers are left to the device, which knows their names.
  void Access(char direction, std::uint32_t region, std::uint64_t offset,
              std::span<const std::byte> data);
  void Note(const std::string& text);

 private:
  void Line(const std::string& text);

  std::ofstream file_;
  Device& device_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace kfdcts::vgpu
