#pragma once

#include <sys/types.h>
#include <sys/wait.h>

#include <chrono>
#include <optional>
#include <string>

#include "harness/vm/base/files.h"
#include "harness/vm/base/unique_fd.h"

namespace kfdcts::harness {

using vm::UniqueFd;

/// A child of this process by fork(), not yet waited for.
class ForkedChild {
 public:
  /// Throws std::system_error.
  explicit ForkedChild(pid_t pid);
  /// Kills and waits, where that has not been done.
  ~ForkedChild();
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;

  /// Readable once the process has ended.
  int pidfd() const { return pidfd_.get(); }

  /// The wait status if it ended within `limit`; once it has, always.
  std::optional<int> Wait(std::chrono::milliseconds limit);

  /// SIGKILL to the process and, where it leads one, its process group.
  void Kill() const;

 private:
  pid_t pid_;
  UniqueFd pidfd_;
  std::optional<int> status_;
};

/// Makes this process the parent of orphaned descendants. Throws std::system_error.
void BecomeSubreaper();

/// Kills and waits for every child that is left. False: one does not die, and those after it were
/// not tried.
bool KillOrphans();

/// Reads what there is without blocking; empty at the end of file too.
std::string ReadAvailable(int fd);

/// Milliseconds from now until `deadline` for poll(2): 0 where it has passed.
int PollTime(std::chrono::steady_clock::time_point deadline);

}  // namespace kfdcts::harness
