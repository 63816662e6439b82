#include "thunk/bench/child.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <iostream>
#include <system_error>

namespace kfdcts::bench {
namespace {

[[noreturn]] void Fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

/// Signals that end a process, and SIGCHLD, held back while the object lives.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) sigaddset(&held_, signal);
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { Restore(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  void Restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  int Next() const {
    int signal = 0;
    while (sigwait(&held_, &signal) != 0) {
    }
    return signal;
  }

 private:
  sigset_t held_;
  sigset_t before_;
};

void WriteAll(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(fd, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) return;
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

std::string ReadAll(int fd) {
  std::string text;
  std::array<char, 4096> block;
  for (;;) {
    const ssize_t got = read(fd, block.data(), block.size());
    if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

[[noreturn]] void Work(const std::function<std::string()>& work, int out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int code = 0;
  try {
    WriteAll(out, work());
  } catch (const std::exception& error) {
    std::cerr << "bench_thunk: " << error.what() << '\n';
    code = 1;
  }
  std::cout.flush();
  _exit(code);  // no destructors of the parent's
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "bench-thunk-XXXXXX").string();
  if (!mkdtemp(name.data())) Fail(name.c_str());
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ChildEnd RunInChild(const std::function<std::string()>& work,
                    const std::function<void()>& clean_up) {
  int ends[2];
  if (pipe(ends) != 0) Fail("pipe");
  const HeldSignals held;
  const pid_t child = fork();
  if (child < 0) Fail("fork");
  if (child == 0) {
    held.Restore();
    close(ends[0]);
    Work(work, ends[1]);
  }
  close(ends[1]);
  ChildEnd end;
  int asked_to_end = 0;
  while (waitpid(child, &end.status, WNOHANG) == 0) {
    const int signal = held.Next();
    if (signal == SIGCHLD) continue;
    asked_to_end = signal;
    kill(child, signal);
  }
  end.output = ReadAll(ends[0]);
  close(ends[0]);
  clean_up();
  if (asked_to_end != 0) raise(asked_to_end);  // comes once they are no longer held
  return end;
}

}  // namespace kfdcts::bench
