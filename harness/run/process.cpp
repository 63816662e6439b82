#include "harness/run/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
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

ChildProcess::ChildProcess(pid_t pid)
    : pid_(pid), pidfd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
  if (!pidfd_.valid()) Throw("pidfd_open");
}

ChildProcess::~ChildProcess() {
  if (status_) return;
  Kill();
  Wait(kOrphanPatience);
}

std::optional<int> ChildProcess::Wait(std::chrono::milliseconds limit) {
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

void ChildProcess::Kill() const {
  if (status_) return;
  kill(-pid_, SIGKILL);  // fails where it has no group of its own
  kill(pid_, SIGKILL);
}

std::string DescribeStatus(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return "exit code " + std::to_string(WEXITSTATUS(wait_status));
}

void BecomeSubreaper() {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) Throw("PR_SET_CHILD_SUBREAPER");
}

void KillOrphans() {
  while (const pid_t pid = FirstChild()) {
    ChildProcess orphan(pid);
    orphan.Kill();
    if (!orphan.Wait(kOrphanPatience)) return;
  }
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

pid_t Spawn(const std::vector<std::string>& command, const std::vector<std::string>& environment,
            int stdin_fd, int stdout_fd, int stderr_fd) {
  const auto pointers = [](const std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (const auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));
    list.push_back(nullptr);
    return list;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto redirect = [&](int fd, int target) {
    if (fd >= 0) posix_spawn_file_actions_adddup2(&actions, fd, target);
    if (fd < 0) posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0);
  };
  redirect(stdin_fd, STDIN_FILENO);
  redirect(stdout_fd, STDOUT_FILENO);
  redirect(stderr_fd, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, command.front().c_str(), &actions, &attributes,
                                 pointers(command).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), command.front());
  return pid;
}

std::vector<std::string> CurrentEnvironment() {
  std::vector<std::string> list;
  for (char** entry = environ; *entry != nullptr; ++entry) list.emplace_back(*entry);
  return list;
}

std::optional<std::string> OutputOf(const std::vector<std::string>& command) {
  try {
    Pipe output = Pipe::Make();
    ChildProcess child(Spawn(command, CurrentEnvironment(), -1, output.write.get(), -1));
    output.write.Close();
    std::string text;
    std::array<char, 4096> chunk{};
    ssize_t got = 0;
    while ((got = read(output.read.get(), chunk.data(), chunk.size())) != 0) {
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) break;
      text.append(chunk.data(), static_cast<std::size_t>(got));
    }
    const auto status = child.Wait(std::chrono::minutes(1));
    if (!status || *status != 0) return std::nullopt;
    return text;
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

Pipe Pipe::Make() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) Throw("pipe");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

int PollTime(std::chrono::steady_clock::time_point deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(
      std::clamp<std::int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

}  // namespace kfdcts::harness
