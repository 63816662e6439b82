#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "harness/probes/kernel_taint.h"
#include "harness/probes/out_of_memory_kills.h"
#include "harness/run/event_sink.h"
#include "harness/run/forked_child.h"
#include "harness/run/plan.h"

namespace kfdcts::harness {

/// Follows one worker process from fork to end and gives its death to the test that ran. A test
/// with a process of its own has not ended before that process is gone: one that hangs in its exit
/// is the test's failure.
class WorkerWatch {
 public:
  enum class End {
    kDone,        ///< Every test ended.
    kDied,        ///< In one of them, or after one that failed; the ones after it have not run.
    kStuck,       ///< It does not die of SIGKILL.
    kRunnerGone,  ///< Nobody reads our answers any more; the worker was ended.
  };

  WorkerWatch(const Plan& plan, std::span<const TestInstance> tests, const EventSink& sink,
              int output_fd)
      : plan_(plan), tests_(tests), sink_(sink), output_fd_(output_fd) {
    taint_.Start();
  }

  /// `progress` carries the worker's events, `runner_fd` hangs up when the runner is gone.
  End Follow(ForkedChild& worker, int progress, int runner_fd);

  /// Whether the worker of these tests is to tell the ends of tests to the watch alone, which
  /// passes them on in time.
  static bool HoldsEnds(const Plan& plan, std::span<const TestInstance> tests);

  /// Tests that have had their verdict.
  std::size_t finished() const { return finished_; }

 private:
  void Take(int progress);
  void PassEndOn();
  End Bury(const std::string& how, bool timed_out);
  End Kill(ForkedChild& worker, int progress, const std::string& why);
  std::int64_t OutputSize() const;
  bool IsSilent();
  /// When a limit may have passed.
  std::chrono::steady_clock::time_point NextLook() const;
  bool AllEnded() const { return finished_ == tests_.size(); }
  /// From a test's start: its limit. Between tests: as long again.
  void Restart();

  const Plan& plan_;
  std::span<const TestInstance> tests_;
  const EventSink& sink_;
  int output_fd_;

  EventReader reader_;
  bool running_ = false;
  bool failed_ = false;  ///< The last test that ended, or the one that runs.
  std::size_t finished_ = 0;
  std::optional<Event> held_end_;
  KernelTaint taint_;
  OutOfMemoryKills memory_kills_;
  std::int64_t output_offset_ = 0;
  std::chrono::seconds limit_{0};
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point heard_;  ///< An event, or that output grew.
  std::int64_t heard_size_ = 0;
};

}  // namespace kfdcts::harness
