#include "harness/check/isolated.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <vector>

#include "harness/check/check_log.h"
#include "harness/check/part_channel.h"
#include "harness/gpu/error.h"
#include "harness/gpu/unique_fd.h"
#include "harness/gpu/wait.h"

namespace kfdcts::check {
namespace {

using gpu::Deadline;
using gpu::UniqueFd;

/// In the child: where its results go.
int channel = -1;

/// A killed process may have to get out of a driver call first.
constexpr std::chrono::milliseconds kDeathLimit{20000};

[[noreturn]] void RunChild(const std::function<void()>& body, int fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  signal(SIGPIPE, SIG_IGN);  // a worker that died is an error, not the end
  channel = fd;
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new PartForwarder(fd));
  gpu::SetReleaseFailureHandler([](const std::string& what, int error) {
    ADD_FAILURE() << "not given back: " << what << ": " << std::strerror(error);
  });
  try {
    body();
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
  Send(fd, {.kind = Message::Kind::kEnd, .line = -1, .file = "", .text = ""});
  std::fflush(nullptr);
  _exit(0);
}

/// The parent's side of one child.
class Child {
 public:
  explicit Child(const std::function<void()>& body) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw gpu::GpuError(errno, "pipe");
    read_end_ = UniqueFd(ends[0]);
    UniqueFd write_end(ends[1]);
    std::fflush(nullptr);
    pid_ = fork();
    if (pid_ < 0) throw gpu::GpuError(errno, "fork");
    if (pid_ == 0) {
      fcntl(write_end.get(), F_SETFL, 0);
      RunChild(body, write_end.get());
    }
    setpgid(pid_, pid_);
    pid_fd_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    if (!pid_fd_.valid()) {
      const int error = errno;
      kill(-pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
      throw gpu::GpuError(error, "pidfd_open");
    }
  }

  /// Takes results until the child has ended. False where the deadline came first.
  bool Follow(const Deadline& deadline) {
    for (;;) {
      pollfd fds[2] = {{read_end_.get(), POLLIN, 0}, {pid_fd_.get(), POLLIN, 0}};
      const int ready = poll(fds, 2, static_cast<int>(deadline.RemainingMs()));
      if (ready < 0 && errno != EINTR) throw gpu::GpuError(errno, "poll");
      Drain();
      if (ready > 0 && (fds[1].revents & POLLIN) != 0) break;
      if (deadline.expired()) return false;
    }
    Drain();
    return true;
  }

  void Kill() const { kill(-pid_, SIGKILL); }

  /// The wait status. Only after Follow was true.
  int Reap() const {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  const std::vector<Message>& messages() const { return messages_; }

 private:
  void Drain() {
    char buffer[4096];
    ssize_t got = 0;
    while ((got = read(read_end_.get(), buffer, sizeof buffer)) > 0) {
      parser_.Feed(buffer, static_cast<std::size_t>(got));
    }
    for (Message& message : parser_.Take()) messages_.push_back(std::move(message));
  }

  pid_t pid_ = -1;
  UniqueFd read_end_, pid_fd_;
  MessageParser parser_;
  std::vector<Message> messages_;
};

void ReportStatus(int status, bool ended) {
  if (WIFSIGNALED(status)) {
    ADD_FAILURE() << "killed by signal " << WTERMSIG(status) << " (" << strsignal(WTERMSIG(status))
                  << ")";
  } else if (WEXITSTATUS(status) != 0) {
    ADD_FAILURE() << "ended with exit code " << WEXITSTATUS(status);
  } else if (!ended) {
    ADD_FAILURE() << "ended by exit() before its body was over";
  }
}

std::string CurrentTest() {
  const auto* const info = ::testing::UnitTest::GetInstance()->current_test_info();
  return std::string(info->test_suite_name()) + "." + info->name();
}

/// True where the child ended by itself; then the status is in `status`.
bool FollowToTheEnd(Child& child, std::chrono::milliseconds limit, int& status) {
  const bool in_time = child.Follow(Deadline(limit));
  child.Kill();
  if (!in_time) {
    ADD_FAILURE() << "not done after " << limit.count() << " ms";
    if (!child.Follow(Deadline(kDeathLimit))) {
      ADD_FAILURE() << "stuck in the kernel: not even SIGKILL ended it";
      return false;
    }
  }
  status = child.Reap();
  return in_time;
}

}  // namespace

void RunIsolated(const std::function<void()>& body, std::chrono::milliseconds limit) {
  CheckLog* const log = CheckLog::Current();
  if (log != nullptr) log->Begin(CurrentTest());
  Child child(body);
  int status = 0;
  const bool own_end = FollowToTheEnd(child, limit, status);
  bool ended = false;
  std::vector<std::string> expected;
  for (const Message& message : child.messages()) {
    switch (message.kind) {
      case Message::Kind::kEnd:
        ended = true;
        break;
      case Message::Kind::kExpectedKernelLog:
        expected.push_back(message.text);
        break;
      default:
        Adopt(message);
    }
  }
  if (own_end) ReportStatus(status, ended);
  if (log != nullptr) log->End(CurrentTest(), expected);
}

void ExpectKernelLog(const std::string& regex) {
  if (channel < 0) throw std::logic_error("ExpectKernelLog outside of an isolated body");
  Send(channel, {.kind = Message::Kind::kExpectedKernelLog, .line = -1, .file = "", .text = regex});
}

}  // namespace kfdcts::check
