#pragma once

#include <sys/types.h>
#include <sys/wait.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/gpu/unique_fd.h"

namespace kfdcts::harness {

using gpu::UniqueFd;

/// A child process of ours that has not been waited for.
class ChildProcess {
 public:
  /// Throws std::system_error.
  explicit ChildProcess(pid_t pid);
  /// Kills and waits, where that has not been done.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// Readable once the process has ended.
  int pidfd() const { return pidfd_.get(); }

  /// The wait status if it ended within `limit`, and then every time.
  std::optional<int> Wait(std::chrono::milliseconds limit);

  /// SIGKILL to the process and to its process group.
  void Kill() const;

 private:
  pid_t pid_;
  UniqueFd pidfd_;
  std::optional<int> status_;
};

/// "exit code 3", "killed by signal 11 (Segmentation fault)".
std::string DescribeStatus(int wait_status);

/// Makes this process the parent of orphaned descendants. Throws std::system_error.
void BecomeSubreaper();

/// Kills and waits for every child that is left, until there is none or one does not die.
void KillOrphans();

/// Reads what there is without blocking; empty at the end of file too.
std::string ReadAvailable(int fd);

/// What a program of PATH prints; nothing where it cannot be run or does not exit with 0.
std::optional<std::string> OutputOf(const std::vector<std::string>& command);

/// Starts a program of PATH (or by path) with just this environment ("NAME=value" each) and the
/// three standard descriptors given (-1: /dev/null), with no signal blocked. Throws
/// std::system_error.
pid_t Spawn(const std::vector<std::string>& command, const std::vector<std::string>& environment,
            int stdin_fd, int stdout_fd, int stderr_fd);

/// This process's environment, "NAME=value" each.
std::vector<std::string> CurrentEnvironment();

/// A pipe with close-on-exec ends. Throws std::system_error.
struct Pipe {
  UniqueFd read;
  UniqueFd write;
  static Pipe Make();
};

/// Milliseconds from now until `deadline` for poll(2): 0 where it has passed.
int PollTime(std::chrono::steady_clock::time_point deadline);

}  // namespace kfdcts::harness
