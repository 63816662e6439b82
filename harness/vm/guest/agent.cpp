// The guest's process 1 once init is done: runs the program as the right user, carries its streams
// and the kernel's log to the launcher's ports, and says how it ended. Statically linked: the root
// it runs in is the initial one.

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "harness/vm/guest/program_spec.h"

namespace kfdcts::vm {
namespace {

constexpr int kNotFound = 127;  // As shells have it.
constexpr int kNotExecutable = 126;

/// On the console; the launcher takes it for the reason why the guest did not come up.
[[noreturn]] void Fail(const std::string& reason) {
  std::printf("kfdvm: fail %s\n", reason.c_str());
  std::fflush(stdout);
  for (;;) {
    pause();
  }
}

int OpenPort(const char* name) {
  const std::string path = std::string(kPortFolder) + name;
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    Fail(path + ": " + std::strerror(errno));
  }
  return fd;
}

bool WriteAll(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t put = write(fd, bytes, size);
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put <= 0) {
      return false;
    }
    bytes += put;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

void Say(int fd, const std::string& line) {
  const std::string ended = line + "\n";
  WriteAll(fd, ended.data(), ended.size());
}

/// Copies until the end of `from`, then closes both.
void Carry(int from, int to) {
  std::vector<char> buffer(65536);
  for (;;) {
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0 || !WriteAll(to, buffer.data(), static_cast<std::size_t>(got))) {
      break;
    }
  }
  close(from);
  close(to);
}

/// Each read of /dev/kmsg is one record; EPIPE says that some were overwritten before they were
/// read.
void CarryKernelLog(int kmsg, int port) {
  std::array<char, 8192> record;
  for (;;) {
    const ssize_t got = read(kmsg, record.data(), record.size());
    if (got > 0) {
      WriteAll(port, record.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EPIPE && errno != EINTR)) {
      return;
    }
  }
}

std::string ReadSpec(const char* path) {
  std::string text;
  std::array<char, 65536> buffer;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = -1;
  while (fd >= 0 && (got = read(fd, buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (got < 0) {
    Fail(std::string(path) + ": " + std::strerror(errno));
  }
  close(fd);
  return text;
}

/// Lets the user through the folders above `path`. Only the guest's scratch layer changes.
void OpenFoldersAbove(const std::string& path) {
  std::array<char, PATH_MAX> real;
  if (realpath(path.c_str(), real.data()) == nullptr) {
    return;
  }
  std::string folder = real.data();
  for (std::size_t at = folder.find('/', 1);; at = folder.find('/', at + 1)) {
    const std::string above = folder.substr(0, at);
    struct stat status {};
    if (stat(above.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
        (status.st_mode & 0005) != 0005) {
      chmod(above.c_str(), (status.st_mode | 0005) & 07777);
    }
    if (at == std::string::npos) {
      return;
    }
  }
}

struct Streams {
  int in;
  int out;
  int err;
};

bool TakeTerminal(const ProgramSpec& spec) {
  const int terminal = open("/dev/hvc0", O_RDWR);
  if (terminal < 0 || ioctl(terminal, TIOCSCTTY, 0) != 0) {
    return false;
  }
  if (spec.rows != 0 && spec.columns != 0) {
    const winsize size{spec.rows, spec.columns, 0, 0};
    ioctl(terminal, TIOCSWINSZ, &size);
  }
  return fchown(terminal, spec.uid, spec.gid) == 0 && dup2(terminal, 0) == 0 &&
         dup2(terminal, 1) == 1 && dup2(terminal, 2) == 2 && (terminal < 3 || close(terminal) == 0);
}

[[noreturn]] void RefuseProgram(const std::string& what, int code) {
  const std::string line = "kfdvm: " + what + ": " + std::strerror(errno) + "\n";
  WriteAll(2, line.data(), line.size());
  _exit(code);
}

/// Sets this process's capabilities to that one, for a program that it executes, too.
bool KeepOnly(unsigned capability) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  const unsigned bit = 1U << capability % 32;
  sets.at(capability / 32) = {bit, bit, bit};
  return syscall(SYS_capset, &header, sets.data()) == 0 &&
         prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) == 0;
}

/// A user other than root keeps one right of root: to ask KFD about its own process as a
/// checkpoint would, which tells how many SVM ranges there are. Only on kernels that know it.
bool BecomeUser(uid_t user) {
  prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
  if (setuid(user) != 0) {
    return false;
  }
  if (user != 0 && !KeepOnly(CAP_CHECKPOINT_RESTORE)) {
    prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
  }
  return true;
}

[[noreturn]] void RunProgram(const ProgramSpec& spec, const char* root, const Streams& streams) {
  setsid();
  signal(SIGPIPE, SIG_DFL);
  if (dup2(streams.in, 0) != 0 || dup2(streams.out, 1) != 1 || dup2(streams.err, 2) != 2) {
    _exit(kNotExecutable);
  }
  if (chroot(root) != 0 || chdir("/") != 0) {
    RefuseProgram(root, kNotExecutable);
  }
  if (spec.terminal && !TakeTerminal(spec)) {
    RefuseProgram("/dev/hvc0", kNotExecutable);
  }
  if (spec.open_path) {
    OpenFoldersAbove(spec.working_directory);
    OpenFoldersAbove(spec.command[0].starts_with('/')
                         ? spec.command[0]
                         : spec.working_directory + "/" + spec.command[0]);
  }
  if (setgroups(spec.groups.size(), spec.groups.data()) != 0 || setgid(spec.gid) != 0 ||
      !BecomeUser(spec.uid)) {
    RefuseProgram("user " + std::to_string(spec.uid), kNotExecutable);
  }
  if (chdir(spec.working_directory.c_str()) != 0) {
    RefuseProgram(spec.working_directory, kNotExecutable);
  }
  clearenv();
  for (const std::string& variable : spec.environment) {
    putenv(const_cast<char*>(variable.c_str()));
  }
  std::vector<char*> argv;
  for (const std::string& argument : spec.command) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  RefuseProgram(spec.command[0], errno == ENOENT ? kNotFound : kNotExecutable);
}

/// Reaps until `program` is among them: orphans are ours, too.
int WaitForProgram(pid_t program) {
  for (;;) {
    int status = 0;
    if (waitpid(-1, &status, 0) == program) {
      return status;
    }
  }
}

std::array<int, 2> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    Fail(std::string("pipe: ") + std::strerror(errno));
  }
  return ends;
}

/// The program's own pipes stay open as long as any process holds them; it has this long after its
/// end to print.
bool Finished(std::future<void>& stream) {
  return stream.wait_for(std::chrono::seconds(2)) == std::future_status::ready;
}

std::string Ending(int status) {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "exit " + std::to_string(WEXITSTATUS(status));
}

void Run(const char* root, const char* spec_file) {
  const auto spec = ProgramSpec::Parse(ReadSpec(spec_file));
  if (!spec) {
    Fail(std::string(spec_file) + " is malformed");
  }
  const int control = OpenPort(kControlPort);
  const int stdout_port = OpenPort(kStdoutPort);
  const int stderr_port = OpenPort(kStderrPort);
  const int stdin_port = OpenPort(kStdinPort);
  const int log_port = OpenPort(kKernelLogPort);
  const int kmsg = open("/dev/kmsg", O_RDWR | O_CLOEXEC);
  const auto in = MakePipe();
  const auto out = MakePipe();
  const auto err = MakePipe();
  // Programs may open /dev/stdout and the like again, as their own user.
  for (const int end : {in[0], out[1], err[1]}) {
    if (fchown(end, spec->uid, spec->gid) != 0) {
      Fail(std::string("fchown: ") + std::strerror(errno));
    }
  }
  utsname names{};
  uname(&names);
  Say(control, std::string("started ") + names.release);
  const pid_t program = fork();
  if (program == 0) {
    RunProgram(*spec, root, {in[0], out[1], err[1]});
  }
  close(in[0]);
  close(out[1]);
  close(err[1]);
  std::thread(CarryKernelLog, kmsg, log_port).detach();
  std::thread(Carry, stdin_port, in[1]).detach();
  auto output = std::async(std::launch::async, Carry, out[0], stdout_port);
  auto errors = std::async(std::launch::async, Carry, err[0], stderr_port);
  const int status = program > 0 ? WaitForProgram(program) : kNotExecutable << 8;
  sync();
  Say(control, Ending(status));
  const bool both = Finished(output) && Finished(errors);
  Say(control, both ? "drained" : "drained but for a process that still holds the output");
  Say(kmsg, kKernelLogEnd);
  for (;;) {
    pause();  // The launcher ends the machine.
  }
}

}  // namespace
}  // namespace kfdcts::vm

int main(int argc, char** argv) {
  if (argc != 3) {
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  kfdcts::vm::Run(argv[1], argv[2]);
}
