#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "harness/run/event_tail.h"
#include "harness/run/plan.h"
#include "harness/target/target.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {

/// One executor from its launch to its end, seen from the runner.
class Boot {
 public:
  /// Launches it. `folder` is made; what an earlier run left in it is removed. Throws
  /// std::system_error, std::filesystem::filesystem_error.
  Boot(Target& target, const std::filesystem::path& folder,
       std::function<void(const std::string&)> on_notice);
  /// Cancels where it still runs, and waits.
  ~Boot();
  Boot(const Boot&) = delete;
  Boot& operator=(const Boot&) = delete;

  void Send(const Plan& plan);

  enum class Wake { kEvent, kEnded, kTimeOut, kSignal };

  /// Waits for the next event, which goes to `event`, for the executor's end after the last of
  /// them, until the time is up or until `signal_fd` (-1: none) is readable. Throws what
  /// Target::Run threw.
  Wake Next(Event& event, std::chrono::milliseconds limit, int signal_fd);

  /// Ends the executor's input and waits for its regular end; cancels after `patience`.
  Target::End Finish(std::chrono::milliseconds patience);

  /// Ends it at once.
  Target::End Cancel();

 private:
  void WaitForThread();
  bool WaitEnded(std::chrono::milliseconds limit);

  Target& target_;
  Target::Launch launch_;
  vm::FdPair plans_;
  vm::FdPair cancel_;
  vm::UniqueFd ended_;  ///< An eventfd.
  std::optional<EventTail> tail_;
  std::deque<Event> events_;
  Target::End end_;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace kfdcts::harness
