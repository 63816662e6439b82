#include "harness/run/forked_child.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <limits>
#include <system_error>

namespace kfdcts::harness {
namespace {

constexpr std::chrono::seconds kOrphanPatience{5};

[[noreturn]] void Throw(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

pid_t FirstChild() {
  const std::string self = std::to_string(getpid());
  std::ifstream children("/proc/" + self + "/task/" + self + "/children");
  pid_t pid = 0;
  children >> pid;
  return children ? pid : 0;
}

}  // namespace

ForkedChild::ForkedChild(pid_t pid)
    : pid_(pid), pidfd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
  if (!pidfd_) Throw("pidfd_open");
}

ForkedChild::~ForkedChild() {
  if (status_) return;
  Kill();
  Wait(kOrphanPatience);
}

std::optional<int> ForkedChild::Wait(std::chrono::milliseconds limit) {
  if (status_) return status_;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  pollfd ended{pidfd_.get(), POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&ended, 1, PollTime(deadline))) < 0 && errno == EINTR) {
  }
  if (ready <= 0) return std::nullopt;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0) {
    if (errno != EINTR) Throw("waitpid");
  }
  status_ = status;
  return status_;
}

void ForkedChild::Kill() const {
  if (status_) return;
  kill(-pid_, SIGKILL);  // fails where it leads no group
  kill(pid_, SIGKILL);
}

void BecomeSubreaper() {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) Throw("PR_SET_CHILD_SUBREAPER");
}

bool KillOrphans() {
  while (const pid_t pid = FirstChild()) {
    ForkedChild orphan(pid);
    orphan.Kill();
    if (!orphan.Wait(kOrphanPatience)) return false;
  }
  return true;
}

std::string ReadAvailable(int fd) {
  std::string bytes;
  std::array<char, 4096> chunk{};
  for (;;) {
    pollfd readable{fd, POLLIN, 0};
    if (poll(&readable, 1, 0) <= 0) return bytes;
    const ssize_t got = read(fd, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

int PollTime(std::chrono::steady_clock::time_point deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(
      std::clamp<std::int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

}  // namespace kfdcts::harness
