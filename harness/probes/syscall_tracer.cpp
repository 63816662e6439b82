#include "harness/probes/syscall_tracer.h"

#include <linux/seccomp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

#include "harness/gpu/unique_fd.h"
#include "harness/probes/seccomp_filter.h"
#include "harness/probes/syscall_ledger.h"

namespace kfdcts::harness {
namespace {

constexpr std::array kTraced = {SYS_ioctl,   SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect,
                                SYS_madvise, SYS_open, SYS_openat, SYS_close};

constexpr auto kTracedNumbers = [] {
  std::array<int, kTraced.size()> numbers{};
  for (std::size_t i = 0; i < kTraced.size(); ++i) numbers[i] = static_cast<int>(kTraced[i]);
  return numbers;
}();

/// The kernel may one day write longer records than those of this header.
template <typename Record>
union Padded {
  Record record;
  std::array<std::byte, 512> room;
};

bool Transfer(long (*call)(pid_t, const iovec*, const iovec*), void* ours, std::uint64_t address,
              std::size_t size) {
  const iovec local{ours, size};
  const iovec remote{reinterpret_cast<void*>(address), size};
  return call(getpid(), &local, &remote) == static_cast<long>(size);
}

/// Memory of this process that may not be there: an error instead of a signal.
bool ReadMemory(void* to, std::uint64_t address, std::size_t size) {
  return Transfer(
      [](pid_t pid, const iovec* local, const iovec* remote) {
        return static_cast<long>(process_vm_readv(pid, local, 1, remote, 1, 0));
      },
      to, address, size);
}

bool WriteMemory(const void* from, std::uint64_t address, std::size_t size) {
  return Transfer(
      [](pid_t pid, const iovec* local, const iovec* remote) {
        return static_cast<long>(process_vm_writev(pid, local, 1, remote, 1, 0));
      },
      const_cast<void*>(from), address, size);
}

void ApplyPatch(const SyscallLedger::Verdict& verdict, std::uint64_t argument) {
  std::uint64_t base = argument;
  if (verdict.indirect && !ReadMemory(&base, argument + verdict.pointer_offset, sizeof(base))) {
    return;
  }
  WriteMemory(verdict.bytes.data(), base + verdict.offset, verdict.size);
}

bool IsOwnThread(pid_t thread) { return syscall(SYS_tgkill, getpid(), thread, 0) == 0; }

}  // namespace

SyscallMatch SyscallMatch::Ioctl() { return {SYS_ioctl, {}}; }

SyscallMatch SyscallMatch::Ioctl(unsigned long request) {
  return {SYS_ioctl, static_cast<std::uint16_t>(request & 0xFFFFU)};
}

SyscallMatch SyscallMatch::Call(int number) { return {number, {}}; }

class SyscallTracer::Impl {
 public:
  Impl() : installed_(eventfd(0, EFD_CLOEXEC)) {
    if (!installed_.valid()) throw std::system_error(errno, std::generic_category(), "eventfd");
    // Before the filter, which this thread must not have.
    std::thread([this] { Serve(); }).detach();
    const int listener = InstallSeccompFilter(kTracedNumbers, SECCOMP_RET_USER_NOTIF);
    listener_ = listener;
    const std::uint64_t one = 1;
    while (write(installed_.get(), &one, sizeof(one)) < 0 && errno == EINTR) {
    }
    if (listener < 0) throw std::system_error(-listener, std::generic_category(), "seccomp");
  }

  SyscallLedger& ledger() { return ledger_; }

 private:
  void Serve() {
    std::uint64_t count = 0;
    while (read(installed_.get(), &count, sizeof(count)) < 0 && errno == EINTR) {
    }
    while (listener_ >= 0) {
      pollfd waiting{listener_, POLLIN, 0};
      if (poll(&waiting, 1, -1) < 0 && errno != EINTR) return;
      if ((waiting.revents & POLLIN) != 0) AnswerOne();
      if ((waiting.revents & (POLLHUP | POLLERR)) != 0) return;
    }
  }

  void AnswerOne() {
    Padded<seccomp_notif> request;
    std::memset(&request, 0, sizeof(request));
    // The caller may be gone by now.
    if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &request.record) != 0) return;
    Padded<seccomp_notif_resp> answer;
    std::memset(&answer, 0, sizeof(answer));
    answer.record.id = request.record.id;
    Decide(request.record, answer.record);
    ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer.record);
  }

  void Decide(const seccomp_notif& request, seccomp_notif_resp& answer) {
    const auto& args = request.data.args;
    const SyscallLedger::Verdict verdict =
        ledger_.Take({request.data.nr, request.data.nr == SYS_ioctl ? args[1] : 0});
    if (verdict.error != 0) {
      answer.error = -verdict.error;
    } else if (verdict.falsify && IsOwnThread(static_cast<pid_t>(request.pid))) {
      const long result = syscall(SYS_ioctl, args[0], args[1], args[2]);
      answer.error = result < 0 ? -errno : 0;
      answer.val = result < 0 ? 0 : result;
      if (result >= 0) ApplyPatch(verdict, args[2]);
    } else {
      answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
  }

  gpu::UniqueFd installed_;
  std::atomic<int> listener_{-1};
  SyscallLedger ledger_;
};

SyscallTracer::SyscallTracer() : impl_(new Impl) {}

SyscallTracer& SyscallTracer::Install() {
  static auto* const tracer = new SyscallTracer;
  return *tracer;
}

std::string SyscallTracer::WhyUnavailable() {
  const pid_t pid = fork();
  if (pid < 0) return std::string("fork: ") + std::strerror(errno);
  if (pid == 0) {
    const int listener = InstallSeccompFilter(kTracedNumbers, SECCOMP_RET_USER_NOTIF);
    _exit(listener < 0 ? -listener : 0);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return "";
  return WIFEXITED(status) ? std::string("seccomp: ") + std::strerror(WEXITSTATUS(status))
                           : "seccomp ends the process";
}

std::uint64_t SyscallTracer::Count(const SyscallMatch& match) const {
  return impl_->ledger().Count(match);
}

std::string SyscallTracer::Describe() const { return impl_->ledger().Describe(); }

void SyscallTracer::Reset() { impl_->ledger().Reset(); }

void SyscallTracer::FailNth(const SyscallMatch& match, std::uint64_t nth, int error) {
  impl_->ledger().Add(match, nth, error, nullptr);
}

void SyscallTracer::FailAll(const SyscallMatch& match, int error) {
  impl_->ledger().Add(match, 0, error, nullptr);
}

void SyscallTracer::FalsifyNth(const SyscallMatch& match, std::uint64_t nth, const Patch& patch) {
  impl_->ledger().Add(match, nth, 0, &patch);
}

std::uint64_t SyscallTracer::Interventions() const { return impl_->ledger().Interventions(); }

void KillOnIoctl() {
  constexpr std::array numbers = {static_cast<int>(SYS_ioctl)};
  const int error = InstallSeccompFilter(numbers, SECCOMP_RET_KILL_PROCESS);
  if (error < 0) throw std::system_error(-error, std::generic_category(), "seccomp");
}

}  // namespace kfdcts::harness
