#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/vm/base/unique_fd.h"

namespace kfdcts::vm {

struct SpawnOptions {
  std::vector<std::string> argv;  ///< argv[0] is searched in PATH where it holds no '/'.
  std::vector<std::pair<std::string, std::string>> environment;  ///< Added to the caller's.
  std::string working_directory;                                 ///< Empty: the caller's.
  int stdin_fd = -1;                                             ///< -1: /dev/null, for all three.
  int stdout_fd = -1;
  int stderr_fd = -1;
  std::vector<int> inherit;  ///< Stay open in the child under the same numbers.
};

/// A process of ours, in a process group of its own. It is killed by the kernel when the thread
/// that started it ends, and by the destructor, which also waits for it.
class ChildProcess {
 public:
  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  /// Throws RunError where the program cannot be started ("PROGRAM: reason"), std::system_error for
  /// lack of resources.
  static ChildProcess Spawn(const SpawnOptions& options);

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

  /// Readable once the process has ended. Valid until it is reaped.
  int pidfd() const { return pidfd_.get(); }

  /// Reaps it if it has ended. The status is waitpid's.
  std::optional<int> TryReap();

  /// Waits at most `limit` for the end. Nothing where it still runs then.
  std::optional<int> WaitFor(std::chrono::milliseconds limit);

  /// SIGKILL to the whole group, then reaps. Nothing where it had been reaped.
  void Kill();

 private:
  pid_t pid_ = -1;
  UniqueFd pidfd_;
};

/// "exited with 3" or "was killed by signal 9 (Killed)".
std::string DescribeStatus(int status);

struct ToolResult {
  int status = 0;  ///< waitpid's.
  std::string output;
  std::string errors;
};

/// Runs a tool to its end and collects what it printed. `on_line` gets each line of both streams as
/// it comes. Throws RunError where it cannot be started, Cancelled when `cancel_fd` becomes
/// readable (the tool is killed).
ToolResult RunTool(SpawnOptions options, int cancel_fd = -1,
                   const std::function<void(std::string_view)>& on_line = {});

/// RunTool for tools that must succeed: its output; else RunError with the tool's last words.
std::string ToolOutput(std::vector<std::string> argv, int cancel_fd = -1);

}  // namespace kfdcts::vm
