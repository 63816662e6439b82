#include "harness/probes/seccomp_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

// Linux 5.19
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace kfdcts::harness {
namespace {

sock_filter Load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

sock_filter SkipUnlessEqual(std::uint32_t value, std::uint8_t instructions) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, instructions);
}

sock_filter Return(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

std::vector<sock_filter> Program(std::span<const int> numbers, std::uint32_t action) {
  std::vector<sock_filter> program = {
      Load(offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
      Return(SECCOMP_RET_ALLOW),
      Load(offsetof(seccomp_data, nr)),
  };
  for (const int number : numbers) {
    program.push_back(SkipUnlessEqual(static_cast<std::uint32_t>(number), 1));
    program.push_back(Return(action));
  }
  program.push_back(Return(SECCOMP_RET_ALLOW));
  return program;
}

int Seccomp(unsigned long flags, const sock_fprog& program) {
  const long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  return result < 0 ? -errno : static_cast<int>(result);
}

}  // namespace

int InstallSeccompFilter(std::span<const int> numbers, std::uint32_t action) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
  std::vector<sock_filter> instructions = Program(numbers, action);
  const sock_fprog program{static_cast<unsigned short>(instructions.size()), instructions.data()};
  if (action != SECCOMP_RET_USER_NOTIF) return Seccomp(0, program);
  // A signal must not tear a traced call away from the tracer in the middle of its answer.
  const int listener =
      Seccomp(SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, program);
  return listener == -EINVAL ? Seccomp(SECCOMP_FILTER_FLAG_NEW_LISTENER, program) : listener;
}

}  // namespace kfdcts::harness
