#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace kfdcts::harness {

/// How far a run is.
struct Progress {
  std::size_t total = 0;
  std::size_t done = 0;
  std::size_t failed = 0;  ///< Unexpectedly.
  std::size_t skipped = 0;
};

/// "12 of 340, 1 failed, 3 skipped, about 2:05 left"; the time after the first test only, failures
/// in red where `colours`.
std::string ProgressText(const Progress& progress, std::chrono::milliseconds elapsed, bool colours);

/// Whether the user wants no colours: NO_COLOR is set and not empty (https://no-color.org).
bool ColoursRefused();

/// The last line of a terminal, that a run writes over and over; nothing where standard error is
/// none. All functions from any thread.
class StatusLine {
 public:
  /// The process's own. What else is printed must Clear() it first.
  static StatusLine& Get();

  bool on() const { return on_; }
  bool colours() const { return colours_; }

  /// Shows `text`, unless it was shown less than 100 ms ago.
  void Show(const std::string& text);
  void Clear();

 private:
  StatusLine();

  bool on_ = false;
  bool colours_ = false;
  std::mutex mutex_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace kfdcts::harness
