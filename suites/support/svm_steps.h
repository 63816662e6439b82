#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include "harness/probes/svm_map.h"

namespace kfdcts::suites {

/// Watches the steps of a test about shared virtual memory: keeps a map of all SvmMemory as the
/// last step left it, and takes another one at the test's first failure, so that both can be shown.
/// Costs a test two seconds at most. No map is taken while the test has threads of its own: the
/// kernel answers no question while it works on a set of another thread, which a test may hold up.
class SvmSteps {
 public:
  explicit SvmSteps(harness::SvmMap map);
  ~SvmSteps();
  SvmSteps(const SvmSteps&) = delete;
  SvmSteps& operator=(const SvmSteps&) = delete;

  /// A step has ended.
  void After(const std::string& step);

  /// Both maps; empty where the test did not fail.
  std::string Report() const { return report_; }

 private:
  class Listener;

  bool IsAlone() const;
  std::string MapOfAll() const;
  void OnFailure();

  const harness::SvmMap map_;
  const std::thread::id thread_ = std::this_thread::get_id();
  const std::size_t threads_;  // of the process at the beginning
  Listener* listener_;         // gtest's until the end
  std::chrono::steady_clock::duration spent_{};
  std::string before_, last_;  // the map after the last mapped step, and that step
  std::atomic<unsigned> steps_ = 0;
  unsigned mapped_steps_ = 0;  // steps when the map was taken
  bool failed_ = false;
  std::string report_;
};

}  // namespace kfdcts::suites
