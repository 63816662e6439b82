#pragma once

#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "harness/vm/base/child_process.h"
#include "harness/vm/base/unique_fd.h"
#include "harness/vm/guest_run.h"
#include "harness/vm/run/console.h"
#include "harness/vm/run/gpu_process.h"

namespace kfdcts::vm {

/// The launcher's ends of what the emulator was started with.
struct SessionFds {
  UniqueFd console;
  UniqueFd control;
  UniqueFd out;
  UniqueFd err;
  UniqueFd in;
  UniqueFd kernel_log;
  UniqueFd terminal;  ///< Only for GuestRun::terminal; then out, err and in carry nothing.
};

/// Watches one running guest until the program has ended and all that it printed is there, or until
/// something else is decided. Fills in the result; leaves the emulator to the caller to end.
class Session {
 public:
  Session(const GuestRun& run, SessionFds fds, ChildProcess& emulator,
          std::vector<GpuProcess>& gpus, GuestResult& result);

  void Watch();

 private:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  struct Source {
    int fd;
    short events;
    void (Session::*handle)();
  };

  std::vector<Source> Sources();
  int PollTimeout() const;
  bool Done() const;

  void ReadConsole();
  void ReadControl();
  void ReadOut();
  void ReadErr();
  void ReadKernelLog();
  void ReadTerminal();
  void ReadInput();
  void WriteInput();
  void Cancel();
  void EmulatorEnded();
  void GpuEnded();

  void ControlLine(const std::string& line);
  void CheckDeadlines();
  void NoteDeath();
  void DrainAll();
  void Decide(GuestResult::End end, std::string reason);
  void Conclude();
  std::chrono::milliseconds Since(Time start) const;

  const GuestRun& run_;
  SessionFds fds_;
  ChildProcess& emulator_;
  std::vector<GpuProcess>& gpus_;
  GuestResult& result_;

  Console console_;
  KernelLogParser kernel_log_;
  std::ofstream console_file_;
  std::ofstream kernel_log_file_;

  std::string control_pending_;
  std::string input_pending_;
  bool input_open_ = false;
  bool started_ = false;
  bool program_ended_ = false;
  bool drained_ = false;
  bool log_ended_ = false;
  bool emulator_ended_ = false;
  std::optional<GuestResult::End> decided_;

  Time start_;
  Time program_start_;
  std::optional<Time> boot_deadline_;
  std::optional<Time> program_deadline_;
  std::optional<Time> end_deadline_;    ///< For the last words after the program's end.
  std::optional<Time> death_deadline_;  ///< For the panic that follows an oops, and the power-off
                                        ///< that follows that.
};

}  // namespace kfdcts::vm
