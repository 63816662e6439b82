#include "harness/vm/base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "harness/vm/base/errors.h"
#include "harness/vm/base/files.h"

namespace kfdcts::vm {
namespace {

/// What the child needs after fork(), where nothing may be allocated any more.
struct ExecPlan {
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;

  explicit ExecPlan(const SpawnOptions& options) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      environment.emplace_back(*entry);
    }
    for (const auto& [name, value] : options.environment) {
      std::string assignment = name;
      assignment += '=';
      std::erase_if(environment,
                    [&](const std::string& entry) { return entry.starts_with(assignment); });
      environment.push_back(assignment + value);
    }
    for (const std::string& argument : options.argv) {
      argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    for (std::string& entry : environment) {
      envp.push_back(entry.data());
    }
    envp.push_back(nullptr);
  }
};

[[noreturn]] void ReportAndExit(int report_fd) {
  const int error = errno;
  if (write(report_fd, &error, sizeof error) != sizeof error) {
    _exit(126);
  }
  _exit(127);
}

/// Puts `from` (or /dev/null) in place of the standard stream `to`.
bool Redirect(int from, int to) {
  if (from < 0) {
    from = open("/dev/null", to == 0 ? O_RDONLY : O_WRONLY);
  }
  if (from == to) {
    return fcntl(to, F_SETFD, 0) == 0;
  }
  return from >= 0 && dup2(from, to) == to;
}

[[noreturn]] void RunChild(const SpawnOptions& options, const ExecPlan& plan, pid_t parent,
                           int report_fd) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(127);  // The parent ended before the line above.
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  const bool redirected = Redirect(options.stdin_fd, 0) && Redirect(options.stdout_fd, 1) &&
                          Redirect(options.stderr_fd, 2);
  bool inherited = true;
  for (const int fd : options.inherit) {
    inherited = inherited && fcntl(fd, F_SETFD, 0) == 0;
  }
  const bool moved =
      options.working_directory.empty() || chdir(options.working_directory.c_str()) == 0;
  if (redirected && inherited && moved) {
    execvpe(plan.argv[0], plan.argv.data(), plan.envp.data());
  }
  ReportAndExit(report_fd);
}

}  // namespace

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    Kill();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::move(other.pidfd_);
  }
  return *this;
}

ChildProcess::~ChildProcess() { Kill(); }

ChildProcess ChildProcess::Spawn(const SpawnOptions& options) {
  const ExecPlan plan(options);
  FdPair report = MakePipe();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    ThrowErrno("fork");
  }
  if (pid == 0) {
    RunChild(options, plan, parent, report.second.get());
  }
  setpgid(pid, pid);  // As the child does itself: whoever comes first.
  ChildProcess child;
  child.pid_ = pid;
  child.pidfd_.Reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  report.second.Reset();
  int error = 0;
  ssize_t got;
  do {
    got = read(report.first.get(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof error) {
    throw RunError(options.argv[0] + ": " + std::strerror(error));
  }
  if (!child.pidfd_) {
    ThrowErrno("pidfd_open");
  }
  return child;
}

std::optional<int> ChildProcess::TryReap() {
  int status = 0;
  if (!running() || waitpid(pid_, &status, WNOHANG) != pid_) {
    return std::nullopt;
  }
  // What the process left in its group goes with it.
  kill(-pid_, SIGKILL);
  pid_ = -1;
  pidfd_.Reset();
  return status;
}

std::optional<int> ChildProcess::WaitFor(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd ended{pidfd_.get(), POLLIN, 0};
    const int timeout = static_cast<int>(std::max<std::int64_t>(0, left.count()));
    if (poll(&ended, 1, timeout) >= 0 || errno != EINTR) {
      return TryReap();
    }
  }
}

void ChildProcess::Kill() {
  if (!running()) {
    return;
  }
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  pidfd_.Reset();
}

std::string DescribeStatus(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return "exited with " + std::to_string(WEXITSTATUS(status));
}

namespace {

/// Reads what one stream of a tool has; false at its end.
bool Collect(int fd, std::string& all, std::size_t& told,
             const std::function<void(std::string_view)>& on_line) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(fd, buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR) {
    return true;
  }
  if (got > 0) {
    all.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (!on_line) {
    return got > 0;
  }
  for (auto end = all.find('\n', told); end != std::string::npos; end = all.find('\n', told)) {
    on_line(std::string_view(all).substr(told, end - told));
    told = end + 1;
  }
  return got > 0;
}

}  // namespace

ToolResult RunTool(SpawnOptions options, int cancel_fd,
                   const std::function<void(std::string_view)>& on_line) {
  FdPair out = MakePipe();
  FdPair err = MakePipe();
  options.stdout_fd = out.second.get();
  options.stderr_fd = err.second.get();
  ChildProcess tool = ChildProcess::Spawn(options);
  out.second.Reset();
  err.second.Reset();
  ToolResult result;
  std::size_t told_out = 0;
  std::size_t told_err = 0;
  std::array<pollfd, 3> fds{
      {{out.first.get(), POLLIN, 0}, {err.first.get(), POLLIN, 0}, {cancel_fd, POLLIN, 0}}};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (poll(fds.data(), fds.size(), -1) < 0) {
      continue;
    }
    if (fds[2].revents != 0) {
      throw Cancelled();
    }
    if (fds[0].revents != 0 && !Collect(fds[0].fd, result.output, told_out, on_line)) {
      fds[0].fd = -1;
    }
    if (fds[1].revents != 0 && !Collect(fds[1].fd, result.errors, told_err, on_line)) {
      fds[1].fd = -1;
    }
  }
  std::optional<int> status;
  while (!status) {
    status = tool.WaitFor(std::chrono::hours(1));
  }
  result.status = *status;
  return result;
}

std::string ToolOutput(std::vector<std::string> argv, int cancel_fd) {
  SpawnOptions options;
  options.argv = std::move(argv);
  ToolResult result = RunTool(options, cancel_fd);
  if (result.status != 0) {
    std::string line = options.argv[0];
    for (std::size_t i = 1; i < options.argv.size(); ++i) {
      line += " " + options.argv[i];
    }
    throw RunError(line + " " + DescribeStatus(result.status) + ": " + result.errors);
  }
  return std::move(result.output);
}

}  // namespace kfdcts::vm
