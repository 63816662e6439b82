#include "suites/scenarios/ptrace_reader.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>

#include "suites/scenarios/pipe_io.h"

namespace kfdcts::suites {
namespace {

struct Question {
  pid_t thread = 0;
  std::uint64_t address = 0;
};

struct Answer {
  int error = 0;
  std::uint64_t value = 0;
};

int WaitForStop(pid_t thread) {
  int status = 0;
  while (waitpid(thread, &status, __WALL) < 0) {
    if (errno != EINTR) return errno;
  }
  return WIFSTOPPED(status) ? 0 : ESRCH;
}

Answer PeekInto(const Question& question) {
  if (ptrace(PTRACE_SEIZE, question.thread, nullptr, nullptr) != 0) return {errno, 0};
  Answer answer;
  if (ptrace(PTRACE_INTERRUPT, question.thread, nullptr, nullptr) != 0) answer.error = errno;
  if (answer.error == 0) answer.error = WaitForStop(question.thread);
  if (answer.error == 0) {
    errno = 0;
    const long word = ptrace(PTRACE_PEEKDATA, question.thread,
                             reinterpret_cast<void*>(question.address), nullptr);
    answer.error = errno;
    answer.value = static_cast<std::uint64_t>(word);
  }
  ptrace(PTRACE_DETACH, question.thread, nullptr, nullptr);
  return answer;
}

[[noreturn]] void Serve(int channel) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Question question;
  while (ReadAll(channel, &question, sizeof question)) {
    const Answer answer = PeekInto(question);
    if (!WriteAll(channel, &answer, sizeof answer)) break;
  }
  _exit(0);
}

}  // namespace

PtraceReader::PtraceReader() {
  auto [here, there] = SocketPair();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    here.Close();
    Serve(there.get());
  }
  channel_ = std::move(here);
  // Where the security module Yama lets only parents trace.
  prctl(PR_SET_PTRACER, pid_);
}

PtraceReader::~PtraceReader() {
  channel_.Close();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  prctl(PR_SET_PTRACER, 0);
}

std::uint64_t PtraceReader::Peek(const void* address) {
  const Question question{gettid(), reinterpret_cast<std::uint64_t>(address)};
  Answer answer;
  if (!WriteAll(channel_.get(), &question, sizeof question) ||
      !ReadAll(channel_.get(), &answer, sizeof answer)) {
    throw std::runtime_error("the process that peeks is gone");
  }
  if (answer.error != 0) {
    throw std::system_error(answer.error, std::generic_category(), "PTRACE_PEEKDATA");
  }
  return answer.value;
}

}  // namespace kfdcts::suites
