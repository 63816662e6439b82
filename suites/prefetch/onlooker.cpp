#include "suites/prefetch/onlooker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#include "harness/capabilities/capability.h"

namespace kfdcts::suites {
namespace {

struct Question {
  Look look;
  bool write;
  std::uintptr_t address;
  std::uint32_t value;
};

struct Answer {
  int error;  ///< errno; 0 where it went well.
  std::uint32_t value;
};

/// All of an object in one message; false with errno, or at the other's end with errno 0.
template <typename T>
bool Receive(int socket, T& message) {
  ssize_t got = 0;
  do {
    errno = 0;
    got = recv(socket, &message, sizeof message, MSG_WAITALL);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof message);
}

template <typename T>
bool Send(int socket, const T& message) {
  ssize_t sent = 0;
  do {
    sent = send(socket, &message, sizeof message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof message);
}

int Outcome(bool success) { return success ? 0 : errno; }

// The kernel moves a whole machine word.
int TransferWord(pid_t pid, const Question& question, std::uint32_t& value) {
  void* const address = reinterpret_cast<void*>(question.address);
  errno = 0;
  long word = ptrace(PTRACE_PEEKDATA, pid, address, nullptr);
  if (errno != 0) return errno;
  if (!question.write) {
    std::memcpy(&value, &word, sizeof value);
    return 0;
  }
  std::memcpy(&word, &question.value, sizeof question.value);
  return Outcome(ptrace(PTRACE_POKEDATA, pid, address, word) == 0);
}

int ByPtrace(pid_t pid, const Question& question, std::uint32_t& value) {
  if (ptrace(PTRACE_ATTACH, pid, nullptr, nullptr) != 0) return errno;
  int error = Outcome(waitpid(pid, nullptr, __WALL) == pid);
  if (error == 0) error = TransferWord(pid, question, value);
  ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
  return error;
}

int ByProcessVm(pid_t pid, const Question& question, std::uint32_t& value) {
  value = question.value;
  const iovec here{&value, sizeof value};
  const iovec there{reinterpret_cast<void*>(question.address), sizeof value};
  const ssize_t moved = question.write ? process_vm_writev(pid, &here, 1, &there, 1, 0)
                                       : process_vm_readv(pid, &here, 1, &there, 1, 0);
  return Outcome(moved == static_cast<ssize_t>(sizeof value));
}

int ByProcMem(pid_t pid, const Question& question, std::uint32_t& value) {
  const int file = open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return errno;
  value = question.value;
  const auto offset = static_cast<off_t>(question.address);
  const ssize_t moved = question.write ? pwrite(file, &value, sizeof value, offset)
                                       : pread(file, &value, sizeof value, offset);
  const int error = Outcome(moved == static_cast<ssize_t>(sizeof value));
  close(file);
  return error;
}

[[noreturn]] void BeOnlooker(int socket, pid_t watched) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Question question{};
  while (Receive(socket, question)) {
    Answer answer{};
    switch (question.look) {
      case Look::kPtracePeek:
        answer.error = ByPtrace(watched, question, answer.value);
        break;
      case Look::kProcessVm:
        answer.error = ByProcessVm(watched, question, answer.value);
        break;
      case Look::kProcMem:
        answer.error = ByProcMem(watched, question, answer.value);
        break;
    }
    if (!Send(socket, answer)) break;
  }
  _exit(0);
}

}  // namespace

Onlooker::Onlooker() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  const pid_t watched = getpid();
  child_ = fork();
  if (child_ == 0) {
    close(pair[0]);
    BeOnlooker(pair[1], watched);
  }
  const int error = errno;
  close(pair[1]);
  socket_ = pair[0];
  if (child_ < 0) {
    close(socket_);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  prctl(PR_SET_PTRACER, child_);  // an error where the kernel has no such restriction
}

Onlooker::~Onlooker() {
  close(socket_);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  prctl(PR_SET_PTRACER, 0);
}

std::uint32_t Onlooker::Read(Look look, const std::uint32_t* address) {
  return Ask(look, false, address, 0);
}

void Onlooker::Write(Look look, std::uint32_t* address, std::uint32_t value) {
  Ask(look, true, address, value);
}

std::uint32_t Onlooker::Ask(Look look, bool write, const std::uint32_t* address,
                            std::uint32_t value) {
  Answer answer{};
  if (!Send(socket_, Question{look, write, reinterpret_cast<std::uintptr_t>(address), value}) ||
      !Receive(socket_, answer)) {
    throw std::runtime_error("the process that looks on has ended");
  }
  if (answer.error != 0) {
    throw std::system_error(answer.error, std::generic_category(),
                            "looking on from another process");
  }
  return answer.value;
}

std::uint32_t ReadByGdb(const std::uint32_t* address) {
  // Neither symbols of libraries nor debug information: gdb is to show memory, not source.
  char command[256];
  std::snprintf(
      command, sizeof command,
      "exec gdb -nx -batch --readnever -iex 'set auto-solib-add off' -p %d -ex 'x/1xw %p' 2>&1",
      getpid(), static_cast<const void*>(address));
  if (std::system("command -v gdb >/dev/null 2>&1") != 0) {
    throw harness::CapabilityMissing("gdb", "there is no gdb in the path");
  }
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command, "re"), pclose);
  if (!output) throw std::system_error(errno, std::generic_category(), "popen");
  std::string text;
  for (char line[512]; std::fgets(line, sizeof line, output.get()) != nullptr;) text += line;
  prctl(PR_SET_PTRACER, 0);
  char shown[32];
  std::snprintf(shown, sizeof shown, "%p:\t0x", static_cast<const void*>(address));
  const std::size_t at = text.find(shown);
  if (at == std::string::npos) throw std::runtime_error("gdb shows no memory: " + text);
  return static_cast<std::uint32_t>(
      std::stoul(text.substr(at + std::strlen(shown), 8), nullptr, 16));
}

}  // namespace kfdcts::suites
