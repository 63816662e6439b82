#pragma once

#include <chrono>
#include <filesystem>

#include "harness/vm/base/unique_fd.h"

namespace kfdcts::harness {

/// A hardware or software watchdog (/dev/watchdog) that restarts the machine unless it hears from
/// this process often enough.
class Watchdog {
 public:
  /// Arms it. Throws std::system_error where it cannot be opened or written.
  explicit Watchdog(const std::filesystem::path& device);
  /// Disarms it. One that the kernel was built never to disarm goes on.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// To be called more often than kTimeout. Nothing where the device does not take it any more: the
  /// machine is restarted then.
  void Ping() const;

  /// Longer than what the runner ever does without waiting for a test.
  static constexpr std::chrono::seconds kTimeout{120};

 private:
  vm::UniqueFd device_;
};

}  // namespace kfdcts::harness
