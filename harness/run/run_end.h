#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace kfdcts::harness {

/// Why and when nothing more of a run is run: what its sessions share.
struct RunEnd {
  std::chrono::seconds limit{0};                                    ///< For the whole run; 0: none.
  std::optional<std::chrono::steady_clock::time_point> deadline{};  ///< By that.
  std::string reason{};  ///< Not empty: it has ended; a line without a full stop.

  /// Starts the limit's time.
  void Start() {
    if (limit.count() > 0) deadline = std::chrono::steady_clock::now() + limit;
  }

  bool Passed() const { return deadline && *deadline <= std::chrono::steady_clock::now(); }

  void Pass() { reason = "the run's time limit of " + std::to_string(limit.count()) + " s passed"; }
};

}  // namespace kfdcts::harness
