#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iosfwd>
#include <string>
#include <vector>

namespace kfdcts::check {

/// When a check ran, in microseconds of CLOCK_MONOTONIC, and what it expects in the kernel's log.
struct CheckWindow {
  std::string test;
  std::uint64_t start_us = 0;
  std::uint64_t end_us = UINT64_MAX;  ///< UINT64_MAX: it never ended.
  std::vector<std::string> expected;  ///< Regular expressions.
};

/// Writes windows as they open and close, a JSON object a line, so that a kernel log can be judged
/// afterwards.
class CheckLog {
 public:
  /// Throws std::runtime_error where the file cannot be written.
  explicit CheckLog(const std::filesystem::path& file);

  void Begin(const std::string& test);
  void End(const std::string& test, const std::vector<std::string>& expected);

  /// The one that RunIsolated writes to; null: none.
  static CheckLog* Current();
  static void SetCurrent(CheckLog* log);

 private:
  std::ofstream out_;
};

/// What a CheckLog wrote, in order. Throws std::runtime_error with the line for anything else.
std::vector<CheckWindow> ReadCheckLog(std::istream& in);

}  // namespace kfdcts::check
