#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>

#include "harness/vgpu/asic/chip.h"

namespace kfdcts::vgpu {

/// A line for each access of the guest to a region, with seconds since the start, the register's
/// name and how often the same access came again. For people; costs time. Used by one thread.
class TraceLog {
 public:
  /// Throws std::runtime_error where `path` cannot be written.
  TraceLog(const std::string& path, const Chip& chip);
  ~TraceLog();
  TraceLog(const TraceLog&) = delete;
  TraceLog& operator=(const TraceLog&) = delete;

  /// `direction` is R or W.
  void Access(char direction, std::uint32_t region, std::uint64_t offset,
              std::span<const std::byte> data);
  void Note(const std::string& text);

 private:
  void FlushRepeats();
  void Stamp();

  std::ofstream file_;
  const Chip& chip_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string last_;
  std::uint64_t repeats_ = 0;
};

}  // namespace kfdcts::vgpu
